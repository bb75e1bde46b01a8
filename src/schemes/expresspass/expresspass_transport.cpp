// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/expresspass_transport.h"

#include <cstdint>

#include "schemes/expresspass/message.h"

namespace weir::expresspass {
namespace {

constexpr StatisticSpec kTransportStatistics[] = {{.name = "expresspass.credits_sent", .unit = "frames"},
                                                  {.name = "expresspass.credits_dropped_in_nic", .unit = "frames"},
                                                  {.name = "expresspass.credits_received", .unit = "frames"},
                                                  {.name = "expresspass.credits_wasted", .unit = "frames"},
                                                  {.name = "expresspass.requests", .unit = "frames"},
                                                  {.name = "expresspass.stops", .unit = "frames"},
                                                  {.name = "expresspass.nacks", .unit = "frames"}};

}  // namespace

void ExpressPassTransport::attach(TransportContext& context) {
  sender_.attach(context);
  receiver_.attach(context, context.new_timer(*this));
}

void ExpressPassTransport::open(TransportContext&, SendState& sender) {
  sender_.open(sender);
}
void ExpressPassTransport::open(TransportContext&, ReceiveState& receiver) {
  receiver.congestion.emplace<CreditReceiver::State>();
}
void ExpressPassTransport::on_close(TransportContext& context, ReceiveState& receiver) {
  context.cancel(receiver);
}
void ExpressPassTransport::on_post(TransportContext& context, SendState& sender, const MessageView&) {
  sender_.on_post(context, sender);
}
void ExpressPassTransport::on_stop(TransportContext& context, SendState& sender) {
  sender_.on_stop(context, sender);
}
ChosenPacket ExpressPassTransport::choose(TransportContext& context, Priority priority) {
  return sender_.choose(context, priority);
}
void ExpressPassTransport::on_sent(TransportContext& context, SendState& sender, Frame& frame) {
  sender_.on_sent(context, sender, frame);
}
void ExpressPassTransport::on_data(TransportContext& context, ReceiveState& receiver, const Frame& data) {
  receiver_.on_data(context, receiver, data);
}
void ExpressPassTransport::on_acknowledgement(TransportContext& context, SendState& sender, const Frame& frame) {
  sender_.on_acknowledgement(context, sender, frame.sequence);
}

bool ExpressPassTransport::on_feedback(TransportContext& context, const Frame& frame) {
  if (!is_mine(frame)) return false;
  switch (static_cast<Kind>(frame.tag)) {
    case Kind::credit:
      sender_.on_credit(context, context.sender(frame.queue_pair), frame);
      return true;
    case Kind::nack:
      if (SendState* sender = context.sender(frame.queue_pair); sender != nullptr) {
        sender_.on_nack(context, *sender, frame.sequence);
      }
      return true;
    case Kind::request:
      if (ReceiveState* receiver = context.receiver(frame.queue_pair); receiver != nullptr) {
        receiver_.on_request(context, *receiver, frame);
      }
      return true;
    case Kind::stop:
      if (ReceiveState* receiver = context.receiver(frame.queue_pair); receiver != nullptr) {
        receiver_.on_stop(context, *receiver);
      }
      return true;
  }
  return false;
}

void ExpressPassTransport::on_sender_timer(TransportContext& context, SendState& sender) {
  sender_.on_timer(context, sender);
}
void ExpressPassTransport::on_receiver_timer(TransportContext& context, ReceiveState& receiver) {
  receiver_.on_timer(context, receiver);
}
void ExpressPassTransport::on_timer(TransportContext& context, TimerId) {
  receiver_.shape(context);
}
void ExpressPassTransport::on_gates(TransportContext& context) {
  sender_.on_gates(context);
}

// [XPASS-S-1] [XPASS-S-4] [XPASS-S-2] [XPASS-R-3] [XPASS-Q-1] A request and a stop; a credit per packet and an
// acknowledgement.
ControlCost ExpressPassTransport::control_cost(const Framing& framing, std::int64_t payload) const {
  const double data =
      static_cast<double>(framing.data(static_cast<std::uint32_t>(payload))) + kHeaderBytes + framing.wire_overhead;
  return {.by_sender = 2.0 * kControlWire,
          .per_message = static_cast<double>(framing.acknowledge()) + framing.wire_overhead,
          .per_packet = kControlWire,
          .per_packet_share = kControlWire / (kControlWire + data)};
}

std::span<const StatisticSpec> ExpressPassTransport::statistics() const {
  return kTransportStatistics;
}

Statistic ExpressPassTransport::statistic(std::size_t which, std::size_t /*group*/) const {
  const std::uint64_t counts[] = {receiver_.counts().credits, receiver_.counts().dropped, sender_.counts().credits,
                                  sender_.counts().wasted,    sender_.counts().requests,  sender_.counts().stops,
                                  receiver_.counts().nacks};
  return Statistic::of_counter(counts[which]);
}

}  // namespace weir::expresspass
