// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa_transport.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "schemes/homa/message.h"

namespace weir::homa {
namespace {

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "homa.grants", .unit = "frames"},
    {.name = "homa.resends", .unit = "frames"},
    {.name = "homa.busies", .unit = "frames"},
    {.name = "homa.probes", .unit = "frames"},
});

}  // namespace

// [HOMA-SND-1] A round trip in packets, at least one, and no more than a receiver's bitmap holds.
void HomaTransport::attach(TransportContext& context) {
  const std::int64_t payload = context.maximum_payload();
  const std::int64_t packets = (settings_.round_trip_bytes.count() + payload - 1) / payload;
  const auto round_trip = static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, 1, PacketBitmap::kSpan));
  sender_.attach(context, round_trip);
  receiver_.attach(context, round_trip);
}

// ---- what may be sent ----

// [HOMA-SND-3] One priority at a time is offered, so that the shortest message goes first, whatever its priority at
// switches is.
void HomaTransport::offer_first(TransportContext& context) {
  const SendState* const first = sender_.first(context);
  const auto priority = first == nullptr ? std::nullopt : std::optional(Sender::priority_of(*first));
  if (priority == offered_) return;
  if (offered_) context.offer(*offered_, false);
  if (priority) context.offer(*priority, true);
  offered_ = priority;
}

ChosenPacket HomaTransport::choose(TransportContext& context, Priority priority) {
  SendState* const sender = sender_.first(context);
  if (sender == nullptr || Sender::priority_of(*sender) != priority) {
    if (offered_ == priority) offered_.reset();
    return {};
  }
  return {sender, Sender::choose(*sender)};
}

void HomaTransport::on_sent(TransportContext& context, SendState& sender, Frame& frame) {
  sender_.on_sent(sender, frame);
  offer_first(context);
}

// ---- events ----

void HomaTransport::on_close(TransportContext& context, SendState& sender) {
  sender_.on_close(sender);
  offer_first(context);
}

void HomaTransport::on_post(TransportContext& context, SendState& sender, const MessageView&) {
  sender_.on_post(context, sender);
  offer_first(context);
}

void HomaTransport::on_stop(TransportContext& context, SendState& sender) {
  sender_.on_stop(sender);
  offer_first(context);
}

bool HomaTransport::on_feedback(TransportContext& context, const Frame& frame) {
  if (frame.protocol != kProtocol) return false;
  if (kind_of(frame) == Kind::busy) {
    ReceiveState* const receiver = context.receiver(frame.queue_pair);
    if (receiver != nullptr && receiver->remote == frame.source) receiver_.on_busy(context, *receiver);
    return true;
  }
  SendState* const sender = context.sender(frame.queue_pair);
  if (sender == nullptr || sender->remote != frame.source) return true;
  sender_.on_feedback(context, *sender, frame);
  offer_first(context);
  return true;
}

void HomaTransport::on_sender_timer(TransportContext& context, SendState& sender) {
  sender_.on_timer(context, sender);
  offer_first(context);
}

// ---- measurement ----

std::span<const StatisticSpec> HomaTransport::statistics() const {
  return kStatistics;
}
Statistic HomaTransport::statistic(std::size_t which, std::size_t) const {
  const std::array counts = {receiver_.grants(), receiver_.resends(), sender_.busies(), sender_.probes()};
  return Statistic::of_counter(counts[which]);
}

}  // namespace weir::homa
