// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/flow_switch.h"

#include <array>

#include "schemes/bfc/flow_table.h"
#include "schemes/bfc/message.h"

namespace weir::bfc {
namespace {

/// In the order of the cases in statistic().
constexpr auto kFlowStatistics = std::to_array<StatisticSpec>({
    {.name = "bfc.pauses_sent", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.pauses_obeyed", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.queues_given", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.collisions", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.queues_in_use", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "bfc.flows", .unit = "", .kind = StatisticSpec::Kind::gauge},
});

}  // namespace

void FlowSwitch::attach(SwitchContext& context) {
  owner_ = context.new_gate_owner();
  fields_ = FrameFields::of(context.headers());
  queues_ = EgressQueues(queue_context(context), settings_);
  thresholds_ = Thresholds(context, settings_);
  held_in_.resize(context.queues());
  pauses_.resize(context.ports());
  obeyed_.resize(context.ports());
  settings_.set_order(queue_context(context));  // [BFC-P-4] [BFC-V-3]
}

QueueId FlowSwitch::classify(QueueContext& context, Frame& frame) {
  if (!settings_.queues_frame(frame.kind) || !settings_.manages(frame.priority)) {
    return context.default_queue(frame.egress, frame.priority);  // [BFC-P-2]
  }
  FrameNotes notes;
  notes.set_entry(flows_.enter(FlowKey::of(frame), frame.egress));  // [BFC-V-8]
  notes.set_in_table(true);
  RegisteredFlow& flow = flows_[notes.entry()];
  if (flow.frames++ == 0) {
    flow.queue = queues_.choose(context, frame.egress, settings_.class_of(frame.priority), 0);
    flow.queue_pair = frame.queue_pair;
    if (flow.held) hold(context, flow);
  }
  const QueueId id = queues_.id(frame.egress, flow.queue);
  const QueueState& queue = context.queue(id);
  if (queue.empty()) queues_.fill(frame.egress, flow.queue);
  const bool over = speaks_bfc(context, frame.ingress) && !settings_.spares(context, frame) &&
                    flow.frames >= settings_.pause_from &&
                    thresholds_.is_over(context, frame, queue);  // [BFC-D-1] [BFC-E-1] [BFC-B-9]
  if (over) notes.set_over(flow.generation);
  frame.own = notes.packed();
  if (over && flow.over++ == 0) {
    flow.told = frame.ingress;
    tell(context, flow, true);  // [BFC-V-8]
  }
  return id;
}

void FlowSwitch::note_left(SwitchContext& context, QueueId id, const Frame& frame) {
  const QueueState& queue = context.queue(id);
  if (queue.empty()) queues_.empty(frame.egress, queues_.number(id, frame.egress), !queue.blocked);
  leave(context, frame);
}

void FlowSwitch::on_withdraw(SwitchContext& context, QueueId id, Frame& frame) {
  if (!queues_.owns(id)) return;
  note_left(context, id, frame);
  frame.own = 0;  // no longer counted
}

void FlowSwitch::on_depart(SwitchContext& context, QueueId id, Frame& frame) {
  if (!queues_.owns(id)) return;
  note_left(context, id, frame);
  fields_.upstream_queue.write(
      frame, fields_.upstream_queue.read(frame) & kIncastBit);  // [BFC-D-3] names no queue of this switch
}

void FlowSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) {
  leave(context, frame);
}

void FlowSwitch::leave(SwitchContext& context, const Frame& frame) {
  const FrameNotes notes(frame.own);
  if (!notes.in_table()) return;
  RegisteredFlow& flow = flows_[notes.entry()];
  if (notes.over() && notes.epoch() == flow.generation && --flow.over == 0) tell(context, flow, false);
  if (--flow.frames == 0 && flow.held) let_go(context, flow);
  forget_if_idle(notes.entry());
}

void FlowSwitch::forget_if_idle(std::uint32_t place) {
  if (flows_[place].frames == 0 && !flows_[place].held) flows_.forget(place);
}

std::uint64_t FlowSwitch::rank(const SwitchContext&, const Frame& frame) const {
  return rank_of(fields_, frame);
}

void FlowSwitch::tell(SwitchContext& context, const RegisteredFlow& flow, bool pause) {
  context.note_hop_pause(flow.told, name_of(flow.key), pause);
  pauses_[flow.told.index()] += pause ? 1 : 0;
  const FrameId frame = make_message(context.frames(), context.framing(), pause, flow.key, flow.queue_pair);
  if (frame.exists()) context.send(flow.told, frame);
}

std::optional<HopPause> FlowSwitch::keeps_paused(const Frame& frame) const {
  const FrameNotes notes(frame.own);
  if (!notes.in_table() || !notes.over()) return std::nullopt;
  const RegisteredFlow& flow = flows_[notes.entry()];
  if (notes.epoch() != flow.generation) return std::nullopt;
  return HopPause{flow.told, name_of(flow.key)};
}

void FlowSwitch::pauses_of(const SwitchContext&, QueueId queue, std::vector<std::uint64_t>& names) const {
  if (!queues_.owns(queue)) return;
  flows_.for_each_place([&](std::uint32_t place) {
    const RegisteredFlow& flow = flows_[place];
    if (flow.held && flow.frames > 0 && queues_.id(flow.egress, flow.queue) == queue) {
      names.push_back(name_of(flow.key));
    }
  });
}

std::string FlowSwitch::pause_text(std::uint64_t name) const {
  constexpr std::uint64_t kHost = (std::uint64_t{1} << kHostBits) - 1;
  return "flow of host " + std::to_string(name >> (kEntropyBits + kHostBits)) + " to host " +
         std::to_string(name >> kEntropyBits & kHost) + ", entropy " +
         std::to_string(name & ((std::uint64_t{1} << kEntropyBits) - 1));
}

/// [BFC-V-8] A queue is closed while a flow with frames in it is paused.
void FlowSwitch::hold(SwitchContext& context, const RegisteredFlow& flow) {
  const QueueId queue = queues_.id(flow.egress, flow.queue);
  if (held_in_[queue.index()]++ == 0) context.set_gate(queue, owner_, false);
}

void FlowSwitch::let_go(SwitchContext& context, const RegisteredFlow& flow) {
  const QueueId queue = queues_.id(flow.egress, flow.queue);
  if (--held_in_[queue.index()] == 0) context.set_gate(queue, owner_, true);
}

bool FlowSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  const auto said = read_message(context.frames(), frame, queues_.of_port());
  if (!said) return frame.kind == FrameKind::hop_control && frame.protocol == kProtocol;
  if (said->say != Say::pause_flow && said->say != Say::resume_flow) return true;
  if (!speaks_bfc(context, port)) return true;  // [BFC-D-2]
  const bool pause = said->say == Say::pause_flow;
  std::uint32_t place = flows_.find(said->flow, port);
  if (place == FlowRegister::kNone) {
    if (!pause || flows_.size() >= FlowRegister::kMostFlows) return true;
    place = flows_.enter(said->flow, port);
  }
  RegisteredFlow& flow = flows_[place];
  if (flow.held == pause) return true;
  flow.held = pause;
  obeyed_[port.index()] += pause ? 1 : 0;
  if (flow.frames > 0) {
    if (pause) {
      hold(context, flow);
    } else {
      let_go(context, flow);
    }
  }
  forget_if_idle(place);
  return true;
}

std::optional<ControlVerdict> FlowSwitch::judge(const SwitchContext& context, PortId port, const Frame& frame) const {
  return judge_message(context, port, frame, queues_.of_port(), true);
}

std::span<const StatisticSpec> FlowSwitch::statistics() const {
  return kFlowStatistics;
}

Statistic FlowSwitch::statistic(std::size_t which, PortId port, std::size_t) const {
  switch (which) {
    case 0:
      return Statistic::of_counter(pauses_[port.index()]);
    case 1:
      return Statistic::of_counter(obeyed_[port.index()]);
    case 2:
      return Statistic::of_counter(queues_.given(port));
    case 3:
      return Statistic::of_counter(queues_.given_twice(port));
    case 4:
      return queues_.in_use(port);
    default:
      return {static_cast<double>(flows_.size()), static_cast<double>(flows_.most())};
  }
}

void FlowSwitch::on_link(SwitchContext& context, PortId port, bool) {
  // [BFC-L-1] The core has dropped the port's queued frames and opened its gates.
  queues_.forget(port);
  flows_.for_each_place([&](std::uint32_t place) {
    RegisteredFlow& flow = flows_[place];
    if (flow.over > 0 && flow.told == port) {
      context.note_hop_pause(port, name_of(flow.key), false);
      flow.over = 0;
      flow.generation = (flow.generation + 1) & 0xff'ffffu;
    }
    if (flow.held && flow.egress == port) {
      flow.held = false;
      forget_if_idle(place);
    }
  });
}

}  // namespace weir::bfc
