// SPDX-License-Identifier: Apache-2.0
// The way of a frame from its queue to the wire, compiled into the drivers that send most frames by transmit().
#pragma once

#include "switch/shared_buffer.h"
#include "switch/switch.h"

namespace weir {

inline bool Switch::discharge(const Frame& frame) {
  if (!frame.ingress.exists()) [[unlikely]] {
    discharge_own(frame);
    return false;
  }
  const Priority priority = frame.ingress_priority;
  IngressState& ingress = ingress_[frame.ingress.index() * kPriorities + priority];
  shared_buffer::release(buffer_, buffer_.pools[buffer_.pool_of_priority[priority]], ingress, frame.charged_bytes);
  return ingress.paused;
}

inline FrameId Switch::next_frame(PortId port) {
  settle();
  PortState& state = ports_[port.index()];
  if (!state.up) return FrameId::none();
  if (state.control_head.exists()) [[unlikely]]
    return next_control(state);
  const QueueId queue = scheduler_.pick(state);
  if (!queue.exists()) return FrameId::none();
  QueueState& from = queues_[queue.index()];
  const FrameId id = scheduler_.pop(queue, from);
  Frame& frame = frame_at_[id];
  constexpr unsigned kConcerned = kHeadMatters | kDepartHooks | kLengthHooks | kWatched;
  if ((extras_ & kConcerned) == 0 && from.markers == 0) [[likely]] {
    const bool of_paused = discharge(frame);
    if (of_paused) [[unlikely]]
      tell_paused(queue, frame);
    ++state.frames_sent;
    state.bytes_sent += frame.frame_bytes;
    if (of_paused) [[unlikely]]
      settle();  // only policies arm timers
    return id;
  }
  if (from.markers != 0) [[unlikely]]
    fire_markers(queue);
  if ((extras_ & kHeadMatters) != 0) [[unlikely]]
    head_left(queue, frame);
  depart(state, queue, frame);
  settle();
  return id;
}

inline void Switch::depart(PortState& port, QueueId queue, Frame& frame) {
  const bool of_paused = discharge(frame);
  leave(port, queue, frame, of_paused);
  if ((extras_ & kWatched) != 0) frame_observer_->on_depart(*this, queue, frame);
}

inline void Switch::leave(PortState& port, QueueId queue, Frame& frame, bool of_paused) {
  if ((extras_ & kDepartHooks) != 0) {
    for (SwitchPolicy* policy : on_depart_) policy->on_depart(*this, queue, frame);
  }
  if ((extras_ & kLengthHooks) != 0 && (isolates_ || queues_[queue.index()].bytes != 0)) tell_length(queue, frame);
  if (of_paused) [[unlikely]]
    tell_paused(queue, frame);
  ++port.frames_sent;
  port.bytes_sent += frame.frame_bytes;  // hooks may have changed frame_bytes
}

inline FrameId Switch::transmit_inline(Time now, PortId port) {
  now_ = now;
  const FrameId id = next_frame(port);
  if ((extras_ & kTraced) != 0) [[unlikely]]
    trace_transmit(port, id);
  return id;
}

}  // namespace weir
