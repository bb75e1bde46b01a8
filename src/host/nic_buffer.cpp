// SPDX-License-Identifier: Apache-2.0
// The receive buffer: frames wait here until the host takes them, one after the other at its drain rate.
#include <algorithm>

#include "host/nic.h"

namespace weir {

void Nic::enter_buffer(FrameId id, Frame& frame) {
  const bool lossless = rare_->buffer.lossless[frame.priority];
  const std::int64_t limit = lossless ? rare_->buffer.size : rare_->buffer.others_limit;
  if (rare_->buffer.used + frame.frame_bytes > limit) {
    ++rare_->overflows;
    rare_->lossless_overflows += lossless ? 1 : 0;
    return frames_.release(id);
  }
  const bool idle = !rare_->buffered.head.exists();
  push(rare_->buffered, id);
  rare_->buffer.used += frame.frame_bytes;
  rare_->buffer.maximum = std::max(rare_->buffer.maximum, rare_->buffer.used);
  rare_->buffer.of_priority[frame.priority] += frame.frame_bytes;
  if (idle) {
    rare_->drained_at = std::max(now_, rare_->drained_at) + time_to_send(Bytes(frame.frame_bytes), config_.drain_rate);
    timers_.arm(kDrainTimer, rare_->drained_at);
  }
  tell_buffer(frame.priority);
}

void Nic::drain_buffer() {
  const FrameId id = pop(rare_->buffered);
  Frame& frame = frame_at_[id];
  const Priority priority = frame.priority;
  rare_->buffer.used -= frame.frame_bytes;
  rare_->buffer.of_priority[priority] -= frame.frame_bytes;
  if (rare_->buffered.head.exists()) {
    rare_->drained_at += time_to_send(Bytes(frame_at_[rare_->buffered.head].frame_bytes), config_.drain_rate);
    timers_.arm(kDrainTimer, rare_->drained_at);
  }
  const bool taken = (extras_ & kDatagrams) != 0 && frame.kind == FrameKind::datagram && receive_datagram(id, frame);
  if (!taken) {
    take(frame);
    frames_.release(id);
  }
  tell_buffer(priority);
}

void Nic::tell_buffer(Priority priority) {
  for (NicFlowControl* policy : rare_->on_buffer) policy->on_receive_buffer(*this, priority);
}

}  // namespace weir
