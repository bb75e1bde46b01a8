// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/homa_transport.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "schemes/homa/message.h"
#include "schemes/usual_warnings.h"

namespace weir::homa {
namespace {

/// In the order of the cases in statistic().
constexpr auto kStatistics = std::to_array<StatisticSpec>({
    {.name = "homa.grants", .unit = "frames"},
    {.name = "homa.resends", .unit = "frames"},
    {.name = "homa.busies", .unit = "frames"},
    {.name = "homa.probes", .unit = "frames"},
});

std::int64_t round_trip_packets(const Settings& settings, std::int64_t payload) {
  const std::int64_t packets = (settings.round_trip_bytes.count() + payload - 1) / payload;
  return std::clamp<std::int64_t>(packets, 1, PacketBitmap::kSpan);
}

}  // namespace

// [HOMA-SND-1] A round trip in packets, at least one, and no more than a receiver's bitmap holds.
void HomaTransport::attach(TransportContext& context) {
  const auto round_trip = static_cast<std::uint32_t>(round_trip_packets(settings_, context.maximum_payload()));
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

// ---- before a run ----

// [HOMA-SND-1] [HOMA-RCV-3] [HOMA-END-2] A grant for each packet that is not unscheduled, and the end of the message.
ControlCost HomaTransport::control_cost(const Framing& framing, std::int64_t payload) const {
  const double frame = control_frame_wire(framing);
  return {.per_message = frame, .per_late_packet = frame, .early_packets = round_trip_packets(settings_, payload)};
}

// [HOMA-PRIO-1] [HOMA-PRIO-2]
std::vector<std::string> HomaTransport::notes(const PartPlace&) const {
  std::string line = "priorities in effect, 7 is the highest: unscheduled packets have ";
  for (std::size_t i = 0; i < settings_.cutoffs.size(); ++i) {
    const Bytes cutoff = settings_.cutoffs[i];
    line += std::to_string(settings_.unscheduled_priority(cutoff)) + " in messages of up to " +
            std::to_string(cutoff.count()) + " B, ";
  }
  const int last = Settings::kHighest - static_cast<int>(settings_.cutoffs.size());
  line += std::to_string(last) + (settings_.cutoffs.empty() ? " in messages of every size" : " in larger ones");
  const int lowest = settings_.lowest();
  line += "; granted packets have ";
  line += lowest == last - 1 ? std::to_string(lowest) : std::to_string(last - 1) + " to " + std::to_string(lowest);
  return {line};
}

// [HOMA-NET-5] [HOMA-NET-6]
std::vector<std::string> HomaTransport::warnings(const PartPlace& place) const {
  std::vector<std::string> out;
  warn_of_many_packets("round_trip_bytes", settings_.round_trip_bytes, place.payload, PacketBitmap::kSpan, out);
  warn_of_single_paths(place.forwardings, "short messages wait behind long ones on the same path", "\"spray\"", out);
  return out;
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
