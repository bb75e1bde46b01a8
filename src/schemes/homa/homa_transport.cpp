// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa_transport.h"

#include <algorithm>

namespace weir::homa {
namespace {

Sending& of(const SendState& sender) {
  return sender.congestion.as<Sending>();
}
Receiving& of(const ReceiveState& receiver) {
  return receiver.congestion.as<Receiving>();
}
bool has_again(const Sending& state) {
  return state.again != state.again_end;
}
std::uint32_t next_of(const SendState& sender) {
  return has_again(of(sender)) ? of(sender).again : sender.next;
}
Priority priority_of(const SendState& sender) {
  const Sending& state = of(sender);
  return sequence_before(next_of(sender), state.unscheduled) ? state.unscheduled_priority : state.scheduled_priority;
}
bool can_send(const SendState& sender) {
  const Sending& state = of(sender);
  return has_again(state) || sequence_before(sender.next, state.granted);
}
// [HOMA-S-3]
bool before(const SendState* a, const SendState* b) {
  const std::uint32_t left = of(*a).end - a->next;
  const std::uint32_t right = of(*b).end - b->next;
  return left != right ? left < right : a->number.value < b->number.value;
}

}  // namespace

void HomaTransport::attach(TransportContext& context) {
  message_end_ = context.headers().place<std::uint32_t>(kMessageEnd);
  const std::int64_t payload = context.maximum_payload();
  const std::int64_t packets = (settings_.round_trip_bytes + payload - 1) / payload;
  // What is in flight must fit into the bitmap of a receiver.
  round_trip_packets_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, 1, PacketBitmap::kSpan / 2));
}

void HomaTransport::open(TransportContext&, SendState& sender) {
  sender.congestion.emplace<Sending>();
  ready_.reserve(++senders_);
}

void HomaTransport::open(TransportContext&, ReceiveState& receiver) {
  receiver.congestion.emplace<Receiving>();
  incoming_.reserve(++receivers_);
}

void HomaTransport::on_close(TransportContext& context, SendState& sender) {
  --senders_;
  std::erase(ready_, &sender);
  offer_next(context);
}

void HomaTransport::on_close(TransportContext& context, ReceiveState& receiver) {
  --receivers_;
  incoming_.erase(receiver);
  give_grants(context);
}

void HomaTransport::on_post(TransportContext& context, SendState& sender, const MessageView&) {
  if (of(sender).first == of(sender).end) begin(context, sender);
  offer_next(context);
}

void HomaTransport::on_stop(TransportContext& context, SendState& sender) {
  Sending& state = of(sender);
  if (sequence_before(sender.end, state.end)) state.end = sender.end;
  for (std::uint32_t* bound : {&state.unscheduled, &state.granted, &state.again, &state.again_end}) {
    if (sequence_before(state.end, *bound)) *bound = state.end;
  }
  update(sender);
  offer_next(context);
}

// The first message that is not complete.
void HomaTransport::begin(TransportContext& context, SendState& sender) {
  Sending& state = of(sender);
  const MessageView message = context.message_of(sender, sender.unacknowledged);
  state.first = message.first;
  state.end = message.end;
  state.unscheduled = state.granted = message.first + std::min(message.end - message.first, round_trip_packets_);
  state.again = state.again_end = 0;
  state.unscheduled_priority = settings_.unscheduled_priority(message.size);  // [HOMA-P-1]
  state.scheduled_priority = settings_.scheduled_priority(0, 1);
  context.arm(sender, context.now() + settings_.resend_after);
  update(sender);
}

// Keeps the list of messages that can send, and their order.
void HomaTransport::update(SendState& sender) {
  Sending& state = of(sender);
  const bool can = can_send(sender);
  if (can == state.is_ready) return;
  state.is_ready = can;
  if (can) {
    ready_.insert(std::upper_bound(ready_.begin(), ready_.end(), &sender, before), &sender);
  } else {
    std::erase(ready_, &sender);
  }
}

SendState* HomaTransport::best(const TransportContext& context) const {
  for (SendState* sender : ready_) {
    if (context.is_open(priority_of(*sender)) && !context.is_held(*sender)) return sender;
  }
  return nullptr;
}

void HomaTransport::offer_next(TransportContext& context) {
  const SendState* sender = best(context);
  const Priority next = sender == nullptr ? offered_ : priority_of(*sender);
  if (next != offered_) context.offer(offered_, false);
  offered_ = next;
  context.offer(offered_, sender != nullptr);
}

ChosenPacket HomaTransport::choose(TransportContext& context, Priority priority) {
  SendState* sender = best(context);
  if (sender == nullptr || priority_of(*sender) != priority) return {};
  if (!has_again(of(*sender))) return {sender, sender->next};
  return {sender, of(*sender).again++};
}

void HomaTransport::on_sent(TransportContext& context, SendState& sender, Frame& frame) {
  message_end_.write(frame, of(sender).end);
  update(sender);
  offer_next(context);
}

void HomaTransport::on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) {
  Receiving& state = of(receiver);
  if (data.trimmed()) return;
  if (sequence_before(data.sequence, state.missing) || state.here.contains(data.sequence)) {
    // The sender has not been told that the message is complete, or not yet.
    if (!state.is_open()) tell(context, receiver, Say::done, settings_.highest, 0, state.missing);
    return;
  }
  if (!state.is_open()) {
    state.end = message_end_.read(data);
    state.came = 0;
    state.granted = state.first + std::min(state.end - state.first, round_trip_packets_);
    if (state.granted != state.end) incoming_.insert(receiver);
  }
  state.here.insert(data.sequence);
  for (; state.here.contains(state.missing); ++state.missing) state.here.erase(state.missing);
  ++state.came;
  context.keep(receiver, data.payload_bytes);
  if (state.lacks() == 0) {
    context.cancel(receiver);
    incoming_.erase(receiver);
    context.complete_message(receiver);
    tell(context, receiver, Say::done, settings_.highest, 0, state.end);
    state.first = state.granted = state.end;
    state.came = 0;
  } else {
    context.arm(receiver, context.now() + settings_.resend_after);
    incoming_.shortened(receiver);
  }
  give_grants(context);
}

// [HOMA-R-1] [HOMA-R-2]
void HomaTransport::give_grants(TransportContext& context) {
  const std::vector<ReceiveState*>& list = incoming_.list();
  const std::size_t active = std::min(list.size(), settings_.overcommitment);
  for (std::size_t rank = 0; rank < active; ++rank) {
    ReceiveState& receiver = *list[rank];
    Receiving& state = of(receiver);
    std::uint32_t to = state.first + state.came + round_trip_packets_;
    const std::uint32_t most = state.missing + PacketBitmap::kSpan / 2;
    if (sequence_before(most, to)) to = most;
    if (sequence_before(state.end, to)) to = state.end;
    if (!sequence_before(state.granted, to)) continue;
    state.granted = to;
    tell(context, receiver, Say::grant, settings_.scheduled_priority(rank, active), 0, to);
  }
}

void HomaTransport::tell(TransportContext& context, const ReceiveState& receiver, Say say, Priority priority,
                         std::uint32_t from, std::uint32_t to) {
  const FrameId id = context.new_control(receiver, kProtocol, settings_.highest);
  if (!id.exists()) return;  // as if it were lost
  Frame& frame = context.frames()[id];
  frame.tag = static_cast<std::uint16_t>(static_cast<unsigned>(say) | static_cast<unsigned>(priority) << 8);
  frame.sequence = from;
  frame.tag_value = to;
  context.send_to_host(id);
}

bool HomaTransport::on_feedback(TransportContext& context, const Frame& frame) {
  if (frame.protocol != kProtocol) return false;
  const auto say = static_cast<Say>(frame.tag & 0xff);
  if (say == Say::busy) {  // [HOMA-L-3]
    ReceiveState* receiver = context.receiver(frame.queue_pair);
    if (receiver != nullptr && of(*receiver).is_open()) context.arm(*receiver, context.now() + settings_.resend_after);
    return true;
  }
  SendState* sender = context.sender(frame.queue_pair);
  if (sender == nullptr || sender->remote != frame.source) return true;
  Sending& state = of(*sender);
  const auto priority = static_cast<Priority>(std::min<unsigned>(frame.tag >> 8, settings_.highest));
  const std::uint32_t to = sequence_before(state.end, frame.tag_value) ? state.end : frame.tag_value;
  context.arm(*sender, context.now() + settings_.resend_after);
  switch (say) {
    case Say::grant:
      state.scheduled_priority = priority;
      if (sequence_before(state.granted, to)) state.granted = to;
      break;
    case Say::resend: {  // [HOMA-L-1]
      const SendState* first = best(context);
      if (first != nullptr && first != sender) {
        if (const FrameId id = context.new_control(*sender, kProtocol, settings_.highest); id.exists()) {
          context.frames()[id].tag = static_cast<std::uint16_t>(Say::busy);
          context.send_to_host(id);
        }
      }
      if (sequence_before(frame.sequence, sender->unacknowledged)) break;
      if (sequence_before(state.granted, to)) state.granted = to;
      state.scheduled_priority = priority;
      state.again = frame.sequence;
      state.again_end = sequence_before(sender->highest_sent, to) ? sender->highest_sent : to;
      if (sequence_before(state.again_end, state.again)) state.again = state.again_end;
      break;
    }
    case Say::done:
      if (state.first != state.end && frame.tag_value == state.end) {
        state.granted = state.first = state.again = state.again_end = state.end;
        update(*sender);
        context.cancel(*sender);
        context.acknowledge(*sender, state.end);
        if (!sender->finished()) begin(context, *sender);
      }
      break;
    case Say::busy:
      break;
  }
  update(*sender);
  offer_next(context);
  return true;
}

// [HOMA-L-2] Neither grants nor requests came: all of the unscheduled packets, or the last answer, may be lost.
void HomaTransport::on_sender_timer(TransportContext& context, SendState& sender) {
  Sending& state = of(sender);
  if (state.first == state.end) return;
  context.arm(sender, context.now() + settings_.resend_after);
  if (can_send(sender) || sender.highest_sent == state.first) return;
  state.again = state.first;
  state.again_end = state.first + 1;
  update(sender);
  offer_next(context);
}

// [HOMA-L-1]
void HomaTransport::on_receiver_timer(TransportContext& context, ReceiveState& receiver) {
  const Receiving& state = of(receiver);
  if (!state.is_open()) return;
  context.arm(receiver, context.now() + settings_.resend_after);
  if (!sequence_before(state.missing, state.granted)) return;  // nothing that may have been sent is missing
  std::uint32_t end = state.missing;
  while (sequence_before(end, state.granted) && !state.here.contains(end)) ++end;
  tell(context, receiver, Say::resend, settings_.scheduled_priority(0, 1), state.missing, end);
}

}  // namespace weir::homa
