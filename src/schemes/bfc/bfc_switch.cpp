#include "schemes/bfc/bfc_switch.h"

#include <algorithm>

namespace weir::bfc {
void BfcSwitch::attach(SwitchContext& context) {
  owner_ = context.new_gate_owner();
  const Duration round_trip = round_trip_of(context, settings_);
  sticky_ = Duration::picoseconds(
      static_cast<std::int64_t>(settings_.sticky * static_cast<double>(round_trip.picoseconds())));  // [BFC-Q-5]
  queues_ = EgressQueues(context, settings_);
  const std::size_t groups = context.ports() * settings_.classes;
  const std::size_t rows = settings_.table_factor * settings_.table_queues / settings_.classes / settings_.pipelines;
  flows_ = FlowTable(settings_.pipelines, groups, std::max<std::size_t>(1, rows));  // [BFC-Q-2]
  for (std::size_t port = 0; port < context.ports(); ++port) {
    pipeline_of_.push_back(static_cast<std::uint8_t>(port * settings_.pipelines / context.ports()));
  }
  thresholds_ = Thresholds(context, settings_);
  backpressure_ = Backpressure(context, *this, settings_);
  if (settings_.empty_refresh > Duration()) look_ = context.new_timer(*this);
  if (settings_.shortest_remaining) settings_.rank_classes(context);  // [BFC-V-3]
  if (settings_.gate_fifo == Bytes()) return;
  for (std::size_t port = 0; port < context.ports(); ++port) {
    late_.push_back({context.new_timer(*this), time_to_send(settings_.gate_fifo, context.port(PortId(port)).rate),
                     DelayedPauses(queues_.of_port())});
  }
}

// ---- a frame's way ----

QueueId BfcSwitch::classify(SwitchContext& context, Frame& frame) {
  if (frame.kind != FrameKind::data || !settings_.manages(frame.priority)) {
    return context.default_queue(frame.egress, frame.priority);  // [BFC-P-2]
  }
  FrameNotes notes;
  const bool counts = samples(context);  // [BFC-V-7]
  notes.in_table = counts && settings_.assignment == Assignment::dynamic;
  const std::uint16_t number = queue_of(context, frame, notes);
  const QueueId id = queues_.id(frame.egress, number);
  const QueueState& queue = context.queue(id);
  if (queue.empty()) queues_.fill(frame.egress, number);
  if (counts && thresholds_.is_over(context, frame, queue)) {
    if (const auto upstream = upstream_of(context, frame); upstream) {
      notes.over = true;
      notes.epoch = backpressure_.counters().epoch(frame.ingress);
      backpressure_.add(context, frame.ingress, *upstream);
    }
  }
  frame.own = notes.packed();
  return id;
}

/// The queue of the neighbour that a frame came from, if it can be paused.
std::optional<std::size_t> BfcSwitch::upstream_of(const SwitchContext& context, const Frame& frame) const {
  // [BFC-D-1] What such a neighbour's frames carry was written further up.
  if (!speaks_bfc(context, frame.ingress)) return std::nullopt;
  return queue_in(frame.tag, backpressure_.counters().queues());  // [BFC-W-1]
}

std::uint16_t BfcSwitch::queue_of(SwitchContext& context, const Frame& frame, FrameNotes& notes) {
  const std::size_t of_class = settings_.class_of(frame.priority);
  if (settings_.incast_label && (frame.tag & kIncastBit) != 0) {
    notes.in_table = false;
    return queues_.of_incast(of_class);  // [BFC-V-5]
  }
  if (settings_.assignment == Assignment::single) return queues_.single(of_class);  // [BFC-V-1]
  const std::uint32_t hash = hash_of(FlowKey::of(frame));
  if (settings_.assignment == Assignment::stochastic) return queues_.by_hash(of_class, hash);  // [BFC-V-2]
  return assign(context, frame, notes, hash);
}

std::uint16_t BfcSwitch::assign(SwitchContext& context, const Frame& frame, FrameNotes& notes, std::uint32_t hash) {
  const std::size_t pipeline = pipeline_of_[frame.ingress.index()];
  const std::size_t of_class = settings_.class_of(frame.priority);
  notes.entry = flows_.find(pipeline, queues_.group_of(frame.egress, of_class), hash);
  FlowEntry& flow = flows_[notes.entry];
  if (flow.frames == 0 && context.now() - flow.touched > sticky_) {  // [BFC-Q-5]
    if (look_.exists() && !looking_) {
      looking_ = true;
      context.arm(look_, context.now() + settings_.empty_refresh);
    }
    flow.queue = queues_.choose(context, frame.egress, of_class, pipeline);
  }
  flow.frames += notes.in_table ? 1 : 0;
  flow.touched = context.now();
  return flow.queue;
}

void BfcSwitch::on_depart(SwitchContext& context, QueueId id, Frame& frame) {
  if (!queues_.owns(id)) return;
  const std::size_t number = queues_.number(id, frame.egress);
  const QueueState& queue = context.queue(id);
  if (queue.empty()) queues_.empty(frame.egress, number, !queue.barred);  // [BFC-Q-3]
  leave(context, frame);
  frame.tag = tag_of(number, (frame.tag & kIncastBit) != 0);  // [BFC-W-1]
}

void BfcSwitch::on_drop(SwitchContext& context, const Frame& frame, DropReason) {
  leave(context, frame);  // [BFC-B-4]
}

void BfcSwitch::leave(SwitchContext& context, const Frame& frame) {
  const FrameNotes notes = FrameNotes::of(frame.own);
  if (notes.in_table) {
    FlowEntry& flow = flows_[notes.entry];
    --flow.frames;
    flow.touched = context.now();
  }
  if (!notes.over || notes.epoch != backpressure_.counters().epoch(frame.ingress)) return;  // [BFC-L-1]
  backpressure_.remove(context, frame.ingress, *queue_in(frame.tag, backpressure_.counters().queues()));
}

std::uint64_t BfcSwitch::rank(const SwitchContext&, const Frame& frame) const {
  return frame.kind == FrameKind::data ? frame.tag_value : 0;  // [BFC-V-3]
}

// ---- what neighbours and timers say ----

void BfcSwitch::set_gate(SwitchContext& context, PortId port, std::size_t number, bool open) {
  const QueueId id = queues_.id(port, number);
  if (((context.queue(id).closed_by >> owner_ & 1) == 0) == open) return;  // most of what a bitmap says is so already
  context.set_gate(id, owner_, open);
  if (context.queue(id).empty()) queues_.empty(port, number, open);
}

/// [BFC-R-3] What lies behind the gate is on its way: a pause is late by as long as that takes, and a resume that comes
/// before then takes it back.
void BfcSwitch::obey(SwitchContext& context, PortId port, std::size_t number, bool pause) {
  if (late_.empty()) return set_gate(context, port, number, !pause);
  Late& late = late_[port.index()];
  if (!pause) {
    late.pauses.remove(number);
    return set_gate(context, port, number, true);
  }
  if (late.pauses.waits(number) || (context.queue(queues_.id(port, number)).closed_by >> owner_ & 1) != 0) return;
  late.pauses.push(number, context.now() + late.delay);
  context.arm(late.timer, late.pauses.due());
}

void BfcSwitch::take_effect(SwitchContext& context, PortId port) {
  Late& late = late_[port.index()];
  while (!late.pauses.empty() && late.pauses.due() <= context.now()) {
    set_gate(context, port, late.pauses.pop(), false);
  }
  if (!late.pauses.empty()) context.arm(late.timer, late.pauses.due());
}

bool BfcSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  const auto said = read_message(context.frames(), frame, queues_.of_port());
  if (!said) return frame.kind == FrameKind::hop_control && frame.protocol == kProtocol;  // [BFC-W-3]
  if (!speaks_bfc(context, port)) return true;                                            // [BFC-D-2]
  switch (said->say) {
    case Say::pause:
    case Say::resume:
      obey(context, port, said->queue, said->say == Say::pause);  // [BFC-R-1]
      break;
    case Say::bitmap:
      for (std::size_t queue = 0; queue < said->queues; ++queue) {
        obey(context, port, queue, said->paused(queue));  // [BFC-R-2]
      }
      break;
    case Say::pause_flow:
    case Say::resume_flow:
      break;
  }
  return true;
}

void BfcSwitch::on_timer(SwitchContext& context, TimerId timer) {
  if (backpressure_.on_timer(context, timer)) return;
  if (timer == look_) return look(context);
  for (std::size_t port = 0; port < late_.size(); ++port) {
    if (late_[port].timer == timer) return take_effect(context, PortId(port));
  }
}

void BfcSwitch::look(SwitchContext& context) {
  queues_.look();  // [BFC-Q-6]
  looking_ = !queues_.all_empty();
  if (looking_) context.arm(look_, context.now() + settings_.empty_refresh);
}

void BfcSwitch::on_link(SwitchContext& context, PortId port, bool) {
  // The core has dropped what was queued for the port and opened its gates.
  backpressure_.on_link(port);
  queues_.forget(port);
  if (late_.empty()) return;
  context.cancel(late_[port.index()].timer);
  late_[port.index()].pauses.clear();
}

}  // namespace weir::bfc
