// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/sender.h"

#include <algorithm>
#include <utility>

#include "schemes/homa/message.h"

namespace weir::homa {
namespace {

std::uint32_t unsent(const SendState& sender) {
  return sender.congestion.as<Sending>().end - sender.next;
}
bool before(const SendState* a, const SendState* b) {
  const std::uint32_t left = unsent(*a);
  const std::uint32_t right = unsent(*b);
  return left != right ? left < right : a->number.value < b->number.value;
}

}  // namespace

void Sender::attach(const TransportContext& context, std::uint32_t round_trip) {
  message_end_ = context.headers().place<std::uint32_t>(kMessageEnd);
  round_trip_ = round_trip;
}

void Sender::open(SendState& sender) {
  sender.congestion.emplace<Sending>();
  ready_.reserve(++senders_);
}

void Sender::on_close(SendState& sender) {
  --senders_;
  if (state_of(sender).ready) std::erase(ready_, &sender);
}

bool Sender::can_send(const SendState& sender) {
  const Sending& state = state_of(sender);
  return state.has_again() || sequence_before(sender.next, state.granted);
}

// [HOMA-SND-3] Keeps the messages that can send, and their order.
void Sender::place(SendState& sender) {
  Sending& state = state_of(sender);
  if (!can_send(sender)) {
    if (state.ready) std::erase(ready_, &sender);
    state.ready = false;
    return;
  }
  if (!state.ready) ready_.push_back(&sender);
  state.ready = true;
  auto place = ready_.end() - 1;
  if (ready_.front() == &sender) return;
  while (*place != &sender) --place;
  for (; place != ready_.begin() && before(*place, *(place - 1)); --place) std::swap(*place, *(place - 1));
}

SendState* Sender::first(const TransportContext& context) const {
  for (SendState* sender : ready_) {
    if (context.is_open(priority_of(*sender)) && !context.is_held(*sender)) return sender;
  }
  return nullptr;
}

Priority Sender::priority_of(const SendState& sender) {
  const Sending& state = state_of(sender);
  const std::uint32_t next = state.has_again() ? state.again : sender.next;
  return sequence_before(next, state.unscheduled) ? state.unscheduled_priority : state.scheduled_priority;
}

// [HOMA-LOSS-1] What is missing goes first.
std::uint32_t Sender::choose(SendState& sender) {
  Sending& state = state_of(sender);
  return state.has_again() ? state.again++ : sender.next;
}

void Sender::on_sent(SendState& sender, Frame& frame) {
  message_end_.write(frame, state_of(sender).end);  // [HOMA-MSG-1]
  place(sender);
}

// [HOMA-SND-1] The first message that is not complete.
void Sender::begin(TransportContext& context, SendState& sender) {
  Sending& state = state_of(sender);
  const MessageView message = context.message_of(sender, sender.unacknowledged);
  state.first = message.first;
  state.end = message.end;
  state.unscheduled = state.granted = message.first + std::min(message.end - message.first, round_trip_);
  state.again = state.again_end = message.first;
  state.unscheduled_priority = settings_.unscheduled_priority(Bytes(message.size));
  state.known = false;
  state.heard = context.now();
  if (!state.timing) context.arm(sender, context.now() + settings_.resend_after);
  state.timing = true;
  place(sender);
}

// [HOMA-SND-4]
void Sender::on_post(TransportContext& context, SendState& sender) {
  if (!state_of(sender).has_message()) begin(context, sender);
}

// [HOMA-END-1] The last packet is sent again, with the new end of the message.
void Sender::on_stop(SendState& sender) {
  Sending& state = state_of(sender);
  if (!state.has_message() || !sequence_before(sender.end, state.end)) return;
  state.end = sender.end;
  for (std::uint32_t* bound : {&state.unscheduled, &state.granted}) {
    if (sequence_before(state.end, *bound)) *bound = state.end;
  }
  state.again = state.again_end = state.end;
  if (state.has_message()) --state.again;
  place(sender);
}

void Sender::on_feedback(TransportContext& context, SendState& sender, const Frame& frame) {
  Sending& state = state_of(sender);
  // Of an earlier message, or of an earlier queue pair of this number.
  if (!state.has_message() || !sequence_before(state.first, frame.tag_value)) return;
  const std::uint32_t to = sequence_before(state.end, frame.tag_value) ? state.end : frame.tag_value;
  state.heard = context.now();
  state.known = true;
  switch (kind_of(frame)) {
    case Kind::resend:
      resend(context, sender, frame.sequence, to);
      [[fallthrough]];
    case Kind::grant:  // [HOMA-SND-2]
      state.scheduled_priority = priority_in(frame);
      if (sequence_before(state.granted, to)) state.granted = to;
      break;
    case Kind::done:
      // [HOMA-END-2] Not all has arrived if not all was sent: it is of an earlier queue pair of this number.
      if (frame.tag_value == state.end && sender.highest_sent == state.end) return finish(context, sender);
      break;
    case Kind::busy:
      break;
  }
  place(sender);
}

// [HOMA-LOSS-1] [HOMA-LOSS-2]
void Sender::resend(TransportContext& context, SendState& sender, std::uint32_t from, std::uint32_t to) {
  Sending& state = state_of(sender);
  if (sequence_before(from, state.first)) from = state.first;
  if (sequence_before(sender.highest_sent, to)) to = sender.highest_sent;
  if (sequence_before(from, to)) {
    state.again = from;
    state.again_end = to;
    place(sender);
  }
  const SendState* const now = first(context);
  if (now == nullptr || now == &sender) return;
  ++busies_;
  say(context, sender, Kind::busy, Settings::kHighest, 0, 0);
}

void Sender::finish(TransportContext& context, SendState& sender) {
  Sending& state = state_of(sender);
  state.first = state.unscheduled = state.granted = state.again = state.again_end = state.end;
  place(sender);
  context.acknowledge(sender, state.end);
  if (!sender.finished()) return begin(context, sender);  // [HOMA-SND-4]
  if (state.timing) context.cancel(sender);
  state.timing = false;
}

// [HOMA-LOSS-3] The receiver requests nothing if it does not know of the message, and it may have said that it is
// complete.
void Sender::on_timer(TransportContext& context, SendState& sender) {
  Sending& state = state_of(sender);
  state.timing = state.has_message();
  if (!state.timing) return;
  if (const Time due = state.heard + settings_.resend_after; context.now() < due) return context.arm(sender, due);
  context.arm(sender, context.now() + settings_.resend_after);
  const bool waits_for_end = state.granted == state.end;
  if (can_send(sender) || sender.highest_sent == state.first || (state.known && !waits_for_end)) return;
  ++probes_;
  state.again = state.first;
  state.again_end = state.first + 1;
  place(sender);
}

}  // namespace weir::homa
