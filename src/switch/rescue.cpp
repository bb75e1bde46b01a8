// SPDX-License-Identifier: Apache-2.0
// The alternatives to dropping a data frame that the buffer refuses: the frame, or a queued one in its place, is
// trimmed, or it is returned to its sender.
#include <algorithm>
#include <utility>

#include "switch/shared_buffer.h"
#include "switch/switch.h"

namespace weir {
namespace {

bool can_be_trimmed(const Frame& frame) {
  return frame.kind == FrameKind::data && !frame.trimmed();
}

}  // namespace

Rescue Switch::ask_for_rescue(const Frame& frame, DropReason why_not) {
  for (SwitchPolicy* policy : rescue_) {
    if (const Rescue how = policy->rescue(*this, frame, why_not); how.kind != Rescue::Kind::none) return how;
  }
  return {};
}

// The loop terminates: a frame is trimmed once and returned once, and each trimmed tail is one of the queued frames.
bool Switch::rescue(Frame& frame, DropReason& why_not) {
  if (frame.kind != FrameKind::data) return false;
  for (;;) {
    const Rescue how = ask_for_rescue(frame, why_not);
    switch (how.kind) {
      case Rescue::Kind::none:
        return false;
      case Rescue::Kind::trim:
        if (!can_be_trimmed(frame)) return false;
        trim(frame, how, QueueId::none());
        break;
      case Rescue::Kind::trim_tail:
        if (frame.trimmed() || !trim_tail(how)) return false;
        break;
      case Rescue::Kind::to_sender:
        if (!frame.trimmed() || frame.returned() || !turn_back(frame, how, why_not)) return false;
        break;
    }
    if (frame.trimmed() ? admit_trimmed(frame, why_not) : admit_again(frame, why_not)) {
      if (how.kind == Rescue::Kind::to_sender) ++frames_returned_;
      return true;
    }
    refused_for_good_ = false;
  }
}

// A queued frame is already charged, and its charge remains. An arriving frame is charged like one of a lossy priority.
bool Switch::admit_trimmed(Frame& frame, DropReason& why_not) {
  if ((extras_ & kSeesAdmission) != 0 && !policies_admit(frame, why_not)) return false;
  if (frame.charged_bytes != 0) return true;
  const Priority priority = frame.ingress_priority;
  IngressState& ingress = ingress_[frame.ingress.index() * kPriorities + priority];
  PoolState& pool = buffer_.pools[buffer_.pool_of_priority[priority]];
  if (!shared_buffer::charge_lossy(buffer_, pool, ingress, frame.frame_bytes)) {
    why_not = DropReason::buffer_full;
    return false;
  }
  frame.charged_bytes = frame.frame_bytes;
  return true;
}

void Switch::trim(Frame& frame, const Rescue& how, QueueId queue) {
  const std::int64_t was_charged = frame.charged_bytes;
  const int beside_payload = frame.frame_bytes - (framing_.data(frame.payload_bytes) - framing_.data(0));
  const int left = how.bytes != 0 ? how.bytes : std::max<int>(beside_payload, framing_.minimum_frame);
  frame.frame_bytes = static_cast<std::uint16_t>(std::min<int>(left, frame.frame_bytes));
  frame.payload_bytes = 0;
  frame.priority = how.priority;
  frame.set_trimmed(true);
  if (frame.charged_bytes > frame.frame_bytes) {
    Frame part = frame;  // the removed part
    part.charged_bytes = static_cast<std::uint16_t>(frame.charged_bytes - frame.frame_bytes);
    discharge_part(part);
    frame.charged_bytes = frame.frame_bytes;
  }
  ++frames_trimmed_;
  for (SwitchPolicy* policy : on_trim_) policy->on_trim(*this, queue, frame, was_charged);
  if (observer_ != nullptr) observer_->on_trim(*this, queue, frame, was_charged);
}

bool Switch::trim_tail(const Rescue& how) {
  QueueState& state = queues_[how.queue.index()];
  if (state.empty() || !can_be_trimmed(frames_[state.tail])) return false;
  const FrameId id = scheduler_.pop_tail(how.queue, state);
  Frame& frame = frames_[id];
  if ((extras_ & kHeadMatters) != 0 && state.empty()) head_changed(how.queue);
  for (SwitchPolicy* policy : on_withdraw_) policy->on_withdraw(*this, how.queue, frame);
  trim(frame, how, how.queue);
  DropReason why_not{};
  if (!admit_trimmed(frame, why_not) && !rescue(frame, why_not)) {
    drop_withdrawn(id, why_not);
  } else {
    enter(id, frame);
  }
  refused_for_good_ = false;
  return true;
}

// For policies it is like an arriving frame that is refused; an observer is told how much was charged.
void Switch::drop_withdrawn(FrameId id, DropReason reason) {
  Frame& frame = frames_[id];
  discharge_part(frame);
  const std::uint16_t charged = std::exchange(frame.charged_bytes, std::uint16_t{0});
  tell_policies_of_drop(QueueId::none(), frame, reason);
  frame.charged_bytes = charged;
  if (observer_ != nullptr) observer_->on_drop(*this, frame, reason);
  frames_.release(id);
}

bool Switch::turn_back(Frame& frame, const Rescue& how, DropReason& why_not) {
  std::swap(frame.source, frame.destination);
  frame.set_returned();
  frame.priority = how.priority;
  const PortId egress = route_again(frame);
  if (!egress.exists() || !ports_[egress.index()].up) {
    why_not = egress.exists() ? DropReason::link_down : DropReason::no_route;
    return false;
  }
  frame.egress = egress;
  return true;
}

}  // namespace weir
