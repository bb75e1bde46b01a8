// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/bfc_nic.h"

#include <array>

#include "schemes/bfc/message.h"

namespace weir::bfc {
namespace {

/// In the order of the cases in statistic().
constexpr auto kNicStatistics = std::to_array<StatisticSpec>({
    {.name = "bfc.pauses_obeyed", .unit = ""},
    {.name = "bfc.queues_given", .unit = ""},
    {.name = "bfc.collisions", .unit = ""},
});

}  // namespace

void BfcNic::attach(NicContext& context) {
  fields_ = FrameFields::of(context.headers());
  if (!settings_.nic_backpressure) return;  // [BFC-V-6]
  const Bytes frame(context.framing().data(static_cast<std::uint32_t>(context.maximum_payload())) +
                    context.framing().wire_overhead);
  const Duration round_trip = settings_.hop_round_trip > Duration()
                                  ? settings_.hop_round_trip
                                  : 2 * context.delay() + 2 * time_to_send(frame, context.rate());
  sticky_ = Duration::picoseconds(
      static_cast<std::int64_t>(settings_.sticky * static_cast<double>(round_trip.picoseconds())));
  for (std::size_t i = 0; i < settings_.queues_of_nic(); ++i) queues_.push_back({.gate = context.new_gate()});
  for_flows_ = settings_.nic_queues - (settings_.incast_label ? 1 : 0);
  free_ = FreeQueues(settings_.classes, for_flows_);
  choice_ = QueueChoice(settings_, for_flows_, settings_.classes, 1);
}

// ---- choice of the queue ----

void BfcNic::note(std::size_t queue) {
  const std::size_t of_class = queue / settings_.nic_queues;
  const std::size_t at = queue % settings_.nic_queues;
  if (at >= for_flows_) return;  // the queue for incasts
  const Queue& state = queues_[queue];
  if (state.users == 0 && !state.paused) {
    free_.set(of_class, at);
  } else {
    free_.clear(of_class, at);
  }
}

std::size_t BfcNic::choose(NicContext& context, const SendState& sender) {
  const std::size_t of_class = settings_.class_of(sender.priority);
  const std::size_t first = of_class * settings_.nic_queues;
  if (settings_.incast_label && sender.incast) return first + for_flows_;               // [BFC-V-5]
  const std::size_t found = choice_.next(free_, of_class, of_class, context.random());  // [BFC-N-1]
  ++given_;
  if (found != FreeQueues::kNone) return first + found;
  ++shared_;
  return first + static_cast<std::size_t>(context.random().below(for_flows_));
}

GateId BfcNic::gate_of(NicContext& context, SendState& sender) {
  if (!settings_.nic_backpressure || !settings_.manages(sender.priority)) return GateId::none();
  const std::size_t place = place_of(sender.number);
  if (place >= busy_.size()) busy_.resize(place + 1);
  const std::size_t queue = choose(context, sender);
  busy_[place] = true;
  ++queues_[queue].users;
  note(queue);
  return queues_[queue].gate;
}

/// An idle queue pair has data again: returns the queue from which it sends.
std::size_t BfcNic::begin(NicContext& context, SendState& sender, std::size_t queue) {
  // [BFC-N-3] It has kept its queue. If another queue pair uses that queue by now and this one was idle for long, it
  // takes an empty queue.
  std::size_t into = queue;
  if (queues_[queue].users > 0 && context.now() - sender.last_sent > sticky_) {
    const std::size_t other = choose(context, sender);
    if (queues_[other].users == 0) into = other;
  }
  if (into != queue) context.move_to_gate(sender, *this, queues_[into].gate);
  busy_[place_of(sender.number)] = true;
  ++queues_[into].users;
  note(into);
  return into;
}

void BfcNic::end(const SendState& sender, std::size_t queue) {
  busy_[place_of(sender.number)] = false;
  --queues_[queue].users;
  note(queue);
}

void BfcNic::on_close(NicContext&, const SendState& sender, GateId gate) {
  if (gate.exists() && busy_[place_of(sender.number)]) end(sender, number_of(gate));
}

// ---- frames ----

void BfcNic::on_sent(NicContext& context, SendState& sender, GateId gate, Frame& frame) {
  if (!settings_.manages(sender.priority)) return;
  const bool incast = settings_.incast_label && sender.incast;
  if (settings_.shortest_remaining()) fields_.remaining.write(frame, remaining_of(sender));  // [BFC-V-3]
  if (!gate.exists()) {
    fields_.upstream_queue.write(frame, incast ? kIncastBit : 0);  // [BFC-V-6]
    return;
  }
  std::size_t queue = number_of(gate);
  if (!busy_[place_of(sender.number)]) queue = begin(context, sender, queue);
  fields_.upstream_queue.write(frame, tag_of(queue, incast));  // [BFC-W-1] [BFC-V-5]
  if (sender.next == sender.end) end(sender, queue);
}

// ---- control frames from the switch ----

void BfcNic::set_gate(NicContext& context, std::size_t queue, bool open) {
  if (queues_[queue].paused != open) return;
  queues_[queue].paused = !open;
  obeyed_ += open ? 0 : 1;
  note(queue);
  context.set_gate(queues_[queue].gate, open);
}

bool BfcNic::on_control(NicContext& context, const Frame& frame) {
  const auto said = read_message(context.frames(), frame, queues_.size());
  if (!said) return frame.kind == FrameKind::hop_control && frame.protocol == kProtocol;  // [BFC-W-3]
  switch (said->say) {
    case Say::pause:
    case Say::resume:
      set_gate(context, said->queue, said->say == Say::resume);  // [BFC-N-2]
      break;
    case Say::bitmap:
      for (std::size_t queue = 0; queue < said->queues; ++queue) set_gate(context, queue, !said->paused(queue));
      break;
    case Say::pause_flow:
    case Say::resume_flow:
      break;
  }
  return true;
}

void BfcNic::held_by(const NicContext&, GateId gate, std::vector<HeldBy>& out) const {
  if (queues_.empty() || gate.index() < queues_.front().gate.index()) return;  // a gate of another flow control
  const std::size_t queue = number_of(gate);
  if (queue < queues_.size() && queues_[queue].paused) out.push_back({PortId(0), queue, QueueId::none()});
}

std::span<const StatisticSpec> BfcNic::statistics() const {
  return kNicStatistics;
}

Statistic BfcNic::statistic(std::size_t which, std::size_t) const {
  return Statistic::of_counter(which == 0 ? obeyed_ : which == 1 ? given_ : shared_);
}

void BfcNic::on_link(NicContext&, bool) {
  for (std::size_t queue = 0; queue < queues_.size(); ++queue) {  // [BFC-L-1] the core has opened the gates
    queues_[queue].paused = false;
    note(queue);
  }
}

}  // namespace weir::bfc
