// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/ndp_transport.h"

#include <algorithm>
#include <array>

#include "schemes/ndp/message.h"
#include "schemes/ndp/ndp.h"
#include "schemes/usual_warnings.h"

namespace weir::ndp {
namespace {

/// In the order of the cases in statistic().
constexpr auto kTransportStatistics = std::to_array<StatisticSpec>({
    {.name = "ndp.nacks", .unit = "frames"},
    {.name = "ndp.bounces", .unit = "frames"},
    {.name = "ndp.timeouts", .unit = "frames"},
    {.name = "ndp.missing_pulls", .unit = "frames"},
});

}  // namespace

// [NDP-SND-1] The initial window in packets, at least one.
void NdpTransport::attach(TransportContext& context) {
  const std::int64_t payload = context.maximum_payload();
  const std::int64_t packets = (settings_.initial_window.count() + payload - 1) / payload;
  sender_ = Sender(settings_, static_cast<std::uint32_t>(std::clamp<std::int64_t>(packets, 1, PacketBitmap::kSpan)));
  receiver_.attach(context, context.new_timer(*this));
}

// ---- the senders that may send, in turn ----

void NdpTransport::add_if_ready(TransportContext& context, SendState& sender) {
  if (!Sender::may_send(sender)) return;
  TurnList<SendState, Sending>& ready = ready_[sender.priority];
  if (ready.empty()) context.offer(sender.priority, true);
  ready.add(sender);
}

void NdpTransport::remove(TransportContext& context, SendState& sender) {
  TurnList<SendState, Sending>& ready = ready_[sender.priority];
  if (ready.empty()) return;
  ready.remove(sender);
  if (ready.empty()) context.offer(sender.priority, false);
}

// [NDP-SND-6] One packet each. A blocked sender waits until a gate opens.
ChosenPacket NdpTransport::choose(TransportContext& context, Priority priority) {
  TurnList<SendState, Sending>& ready = ready_[priority];
  while (!ready.empty()) {
    SendState& sender = *ready.first();
    ready.remove(sender);
    if (context.is_held(sender)) {
      any_held_ = true;
    } else if (Sender::may_send(sender)) {
      return {&sender, Sender::choose(sender)};
    }
  }
  return {};
}

void NdpTransport::on_sent(TransportContext& context, SendState& sender, Frame& frame) {
  sender_.on_sent(context, sender, frame);
  TurnList<SendState, Sending>& ready = ready_[sender.priority];
  if (Sender::may_send(sender)) {
    ready.add(sender);
  } else if (ready.empty()) {
    context.offer(sender.priority, false);
  }
}

void NdpTransport::on_gates(TransportContext& context) {
  if (!any_held_) return;
  any_held_ = false;
  struct Visit {
    NdpTransport& self;
    TransportContext& context;
  } visit{*this, context};
  context.for_each_sender(
      [](void* to, SendState& sender) {
        const Visit& it = *static_cast<Visit*>(to);
        it.self.add_if_ready(it.context, sender);
      },
      &visit);
}

// ---- events ----

void NdpTransport::on_post(TransportContext& context, SendState& sender, const MessageView&) {
  sender_.keep_time(context, sender);
  add_if_ready(context, sender);
}

void NdpTransport::on_stop(TransportContext& context, SendState& sender) {
  if (!Sender::may_send(sender)) remove(context, sender);
}

void NdpTransport::on_close(TransportContext& context, SendState& sender) {
  remove(context, sender);
}

void NdpTransport::on_returned(TransportContext& context, SendState& sender, const Frame& data) {
  ++returned_;
  sender_.on_returned(sender, data.sequence);
  add_if_ready(context, sender);
}

bool NdpTransport::on_feedback(TransportContext& context, const Frame& frame) {
  if (frame.protocol != kProtocol) return false;
  SendState* const sender = context.sender(frame.queue_pair);
  if (sender == nullptr || sender->remote != frame.source) return true;
  switch (static_cast<Message>(frame.tag)) {
    case Message::ack:
      sender_.on_ack(context, *sender, frame.tag_value);
      break;
    case Message::nack:
      ++trimmed_;
      sender_.on_nack(*sender, frame.tag_value);
      break;
    case Message::pull:
      Sender::on_pull(*sender, frame.tag_value);
      break;
  }
  add_if_ready(context, *sender);
  return true;
}

void NdpTransport::on_sender_timer(TransportContext& context, SendState& sender) {
  const Sender::Silence silence = sender_.on_timer(context, sender);
  timeouts_ += silence.packets;
  missing_pulls_ += silence.of_pulls ? 1 : 0;
  add_if_ready(context, sender);
}

// ---- before a run ----

// [NDP-RCV-1] [NDP-RCV-3] [NDP-RCV-4] An acknowledgement per packet, and a pull for each after the initial window: the
// pulls that are left when a transfer completes are not sent.
ControlCost NdpTransport::control_cost(const Framing& framing, std::int64_t payload) const {
  const double frame = control_frame_wire(framing);
  return {.per_packet = frame,
          .per_late_packet = frame,
          .early_packets = (settings_.initial_window.count() + payload - 1) / payload};
}

// [NDP-PATH-1] [NDP-PATH-2]
std::vector<std::string> NdpTransport::notes(const PartPlace& place) const {
  std::vector<std::string> out;
  for (const Scheme* forwarding : place.forwardings) {
    if (forwarding == &scheme || !forwarding->traits.spreads_packets) continue;
    out.push_back("\"" + std::string(forwarding->name) +
                  "\" chooses the path of each packet, so that the paths through which senders cycle have no effect; "
                  "switch.forwarding = \"ndp\" follows them");
  }
  return out;
}

std::vector<std::string> NdpTransport::warnings(const PartPlace& place) const {
  std::vector<std::string> out;
  warn_of_many_packets("initial_window", settings_.initial_window, place.payload, PacketBitmap::kSpan, out);
  warn_of_single_paths(place.forwardings, "some paths are overloaded and trim them", "\"ndp\" or \"spray\"", out);
  return out;
}

// ---- measurement ----

std::span<const StatisticSpec> NdpTransport::statistics() const {
  return kTransportStatistics;
}
Statistic NdpTransport::statistic(std::size_t which, std::size_t) const {
  switch (which) {
    case 0:
      return Statistic::of_counter(trimmed_);
    case 1:
      return Statistic::of_counter(returned_);
    case 2:
      return Statistic::of_counter(timeouts_);
    default:
      return Statistic::of_counter(missing_pulls_);
  }
}

}  // namespace weir::ndp
