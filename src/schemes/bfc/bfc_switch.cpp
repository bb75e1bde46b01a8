// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/bfc_switch.h"

#include <algorithm>
#include <array>

namespace weir::bfc {
namespace {

/// In the order of the cases in statistic().
constexpr auto kSwitchStatistics = std::to_array<StatisticSpec>({
    {.name = "bfc.pauses_sent", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.resumes_sent", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.pauses_obeyed", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.queues_given", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.collisions", .unit = "", .scope = StatisticSpec::Scope::port},
    {.name = "bfc.queues_in_use", .unit = "", .kind = StatisticSpec::Kind::gauge, .scope = StatisticSpec::Scope::port},
    {.name = "bfc.flow_entries", .unit = ""},
});

}  // namespace

void BfcSwitch::attach(SwitchContext& context) {
  owner_ = context.new_gate_owner();
  fields_ = FrameFields::of(context.headers());
  const Duration round_trip = round_trip_of(context, settings_);
  sticky_ = Duration::picoseconds(
      static_cast<std::int64_t>(settings_.sticky * static_cast<double>(round_trip.picoseconds())));  // [BFC-Q-5]
  if (settings_.gate_fifo > Bytes()) fifo_ = GateFifo(queue_context(context), settings_);
  queues_ = EgressQueues(queue_context(context), settings_);
  const std::size_t groups = context.ports() * settings_.classes;
  const std::size_t rows = settings_.entries_of_port() / settings_.classes / settings_.pipelines;
  flows_ = FlowTable(settings_.pipelines, groups, std::max<std::size_t>(1, rows));  // [BFC-Q-2]
  for (std::size_t port = 0; port < context.ports(); ++port) {
    pipeline_of_.push_back(static_cast<std::uint8_t>(port * settings_.pipelines / context.ports()));
  }
  thresholds_ = Thresholds(context, settings_);
  backpressure_ = Backpressure(context, *this, settings_);
  obeyed_.resize(context.ports());
  const bool chooses = settings_.assignment == Assignment::dynamic;
  if (chooses && settings_.empty_refresh > Duration()) look_ = context.new_timer(*this);
  settings_.set_order(queue_context(context));  // [BFC-P-4] [BFC-V-3]
}

// ---- the path of a frame ----

QueueId BfcSwitch::classify(QueueContext& context, Frame& frame) {
  if (!settings_.queues_frame(frame.kind) || !settings_.manages(frame.priority)) {
    return context.default_queue(frame.egress, frame.priority);  // [BFC-P-2]
  }
  FrameNotes notes;
  const bool counts = samples(context);  // [BFC-V-7]
  notes.set_in_table(counts && settings_.keeps_table);
  const std::uint16_t number = queue_of(context, frame, notes);
  const QueueId id = queues_.id(frame.egress, number);
  const QueueState& queue = context.queue(id);
  if (queue.empty()) {
    queues_.fill(frame.egress, number);
    look_again(context);
  }
  if (counts && is_over(context, frame, queue) && may_pause(notes)) {
    if (const auto upstream = upstream_of(context, frame); upstream) {
      notes.set_over(backpressure_.counters().epoch(frame.ingress));
      backpressure_.add(context, frame.ingress, *upstream);
    }
  }
  frame.own = notes.packed();
  return id;
}

/// The neighbour's queue from which a frame arrived, if it can be paused.
std::optional<std::size_t> BfcSwitch::upstream_of(const SwitchContext& context, const Frame& frame) const {
  // [BFC-D-1] The number in such a neighbour's frames was written further upstream.
  if (!speaks_bfc(context, frame.ingress)) return std::nullopt;
  if (settings_.spares(context, frame)) return std::nullopt;  // [BFC-E-1]
  return noted_queue(frame);
}

std::uint16_t BfcSwitch::queue_of(SwitchContext& context, const Frame& frame, FrameNotes& notes) {
  const std::size_t of_class = settings_.class_of(frame.priority);
  if (settings_.incast_label && is_of_incast(frame)) {
    notes.set_in_table(false);
    return queues_.of_incast(of_class);  // [BFC-V-5]
  }
  if (settings_.assignment == Assignment::single && !notes.in_table()) return queues_.single(of_class);  // [BFC-V-1]
  const std::uint32_t hash = hash_of(FlowKey::of(frame));
  if (settings_.assignment == Assignment::dynamic) return assign(context, frame, notes, hash);
  if (notes.in_table()) ++enter(frame, notes, hash).frames;                         // [BFC-B-9]
  if (settings_.assignment == Assignment::single) return queues_.single(of_class);  // [BFC-V-1]
  return queues_.by_hash(of_class, hash);                                           // [BFC-V-2]
}

/// The entry of the frame's flow; notes it on the frame.
FlowEntry& BfcSwitch::enter(const Frame& frame, FrameNotes& notes, std::uint32_t hash) {
  const std::size_t group = queues_.group_of(frame.egress, settings_.class_of(frame.priority));
  const std::uint32_t entry = flows_.find(pipeline_of(frame), group, hash);
  notes.set_entry(entry);
  return flows_[entry];
}

std::uint16_t BfcSwitch::assign(SwitchContext& context, const Frame& frame, FrameNotes& notes, std::uint32_t hash) {
  const std::size_t pipeline = pipeline_of(frame);
  const std::size_t of_class = settings_.class_of(frame.priority);
  FlowEntry& flow = enter(frame, notes, hash);
  if (flow.frames == 0 && context.now() - flow.touched > sticky_) {  // [BFC-Q-5]
    flow.queue = queues_.choose(context, frame.egress, of_class, pipeline);
  }
  flow.frames += notes.in_table() ? 1 : 0;
  flow.touched = context.now();
  return flow.queue;
}

bool BfcSwitch::is_over(const SwitchContext& context, const Frame& frame, const QueueState& queue) const {
  if (!fifo_.exists()) return thresholds_.is_over(context, frame, queue);
  const std::size_t ready = fifo_.ready(frame.egress);
  return thresholds_.is_over(frame, queue, ready + (queue.empty() && queue.closed_by == 0 ? 1 : 0));
}

/// [BFC-B-9] Whether the frame's flow has enough frames here. Not required of frames that no entry counts.
bool BfcSwitch::may_pause(const FrameNotes& notes) {
  return settings_.pause_from == 1 || !notes.in_table() || flows_[notes.entry()].frames >= settings_.pause_from;
}

/// It has left its queue.
void BfcSwitch::note_left(SwitchContext& context, QueueId id, const Frame& frame) {
  const QueueState& queue = context.queue(id);
  if (queue.empty()) queues_.empty(frame.egress, queues_.number(id, frame.egress), queue.closed_by == 0);  // [BFC-Q-3]
  leave(context, frame);
}

/// A frame leaves its queue, for the wire or for the FIFO behind the gate.
void BfcSwitch::pass_gate(SwitchContext& context, QueueId id, Frame& frame) {
  note_left(context, id, frame);
  fields_.upstream_queue.write(frame, tag_of(queues_.number(id, frame.egress), is_of_incast(frame)));  // [BFC-W-1]
}

void BfcSwitch::on_depart(SwitchContext& context, QueueId id, Frame& frame) {
  if (fifo_.exists()) {
    context.more(*this);  // there is room
  } else if (queues_.owns(id)) {
    pass_gate(context, id, frame);
  }
}

void BfcSwitch::on_enter(SwitchContext& context, QueueId id, Frame& frame) {
  if (!queues_.owns(id) || context.queue(id).closed_by != 0) return;
  fifo_.set_ready(frame.egress, queues_.number(id, frame.egress), true);
  context.more(*this);
}

QueueId BfcSwitch::on_leave(QueueContext& context, QueueId id, Frame& frame) {
  pass_gate(context, id, frame);
  frame.own = 0;  // no longer counted
  if (context.queue(id).empty()) fifo_.set_ready(frame.egress, queues_.number(id, frame.egress), false);
  return fifo_.id(frame.egress, settings_.class_of(frame.priority));
}

void BfcSwitch::on_more(SwitchContext& context) {
  if (fifo_.exists()) fifo_.fill(queue_context(context), queues_);
}

void BfcSwitch::on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) {
  leave(context, frame);  // [BFC-B-4]
}

/// It still names the neighbour's queue from which it came.
void BfcSwitch::on_withdraw(SwitchContext& context, QueueId id, Frame& frame) {
  if (fifo_.exists()) context.more(*this);  // there may be room
  if (!queues_.owns(id)) return;
  note_left(context, id, frame);
  frame.own = 0;  // no longer counted
  if (fifo_.exists() && context.queue(id).empty()) {
    fifo_.set_ready(frame.egress, queues_.number(id, frame.egress), false);
  }
}

void BfcSwitch::leave(SwitchContext& context, const Frame& frame) {
  const FrameNotes notes(frame.own);
  if (notes.in_table()) {
    FlowEntry& flow = flows_[notes.entry()];
    --flow.frames;
    flow.touched = context.now();
  }
  if (!notes.over() || notes.epoch() != backpressure_.counters().epoch(frame.ingress)) return;  // [BFC-L-1]
  backpressure_.remove(context, frame.ingress, *noted_queue(frame));
}

std::optional<HopPause> BfcSwitch::keeps_paused(const Frame& frame) const {
  const FrameNotes notes(frame.own);
  if (!notes.over() || notes.epoch() != backpressure_.counters().epoch(frame.ingress)) return std::nullopt;
  const auto upstream = noted_queue(frame);
  if (!upstream) return std::nullopt;
  return HopPause{frame.ingress, *upstream};
}

void BfcSwitch::pauses_of(const SwitchContext& context, QueueId queue, std::vector<std::uint64_t>& names) const {
  if (queues_.owns(queue)) names.push_back(queues_.number(queue, context.queue(queue).port));
}

std::uint64_t BfcSwitch::rank(const SwitchContext&, const Frame& frame) const {
  return rank_of(fields_, frame);
}

// ---- control frames and timers ----

void BfcSwitch::set_gate(SwitchContext& context, PortId port, std::size_t number, bool open) {
  const QueueId id = queues_.id(port, number);
  if (((context.queue(id).closed_by >> owner_ & 1) == 0) == open) return;  // most of a bitmap states no change
  context.set_gate(id, owner_, open);
  obeyed_[port.index()] += open ? 0 : 1;
  if (context.queue(id).empty()) {
    queues_.empty(port, number, open);
    if (!open && !settings_.assign_paused) look_again(context);
  } else if (fifo_.exists()) {
    fifo_.set_ready(port, number, open);
    context.more(*this);
  }
}

bool BfcSwitch::on_control(SwitchContext& context, PortId port, const Frame& frame) {
  const auto said = read_message(context.frames(), frame, queues_.of_port());
  if (!said) return frame.kind == FrameKind::hop_control && frame.protocol == kProtocol;  // [BFC-W-3]
  if (!speaks_bfc(context, port)) return true;                                            // [BFC-D-2]
  switch (said->say) {
    case Say::pause:
    case Say::resume:
      set_gate(context, port, said->queue, said->say == Say::resume);  // [BFC-R-1]
      break;
    case Say::bitmap:
      for (std::size_t queue = 0; queue < said->queues; ++queue) {
        set_gate(context, port, queue, !said->paused(queue));  // [BFC-R-2]
      }
      break;
    case Say::pause_flow:
    case Say::resume_flow:
      break;
  }
  return true;
}

std::optional<ControlVerdict> BfcSwitch::judge(const SwitchContext& context, PortId port, const Frame& frame) const {
  return judge_message(context, port, frame, queues_.of_port(), false);
}

void BfcSwitch::on_timer(SwitchContext& context, TimerId timer) {
  if (backpressure_.on_timer(context, timer)) return;
  if (timer == look_) look(context);
}

/// A queue that pipelines may have read as empty can no longer be assigned: they must learn of it in time.
void BfcSwitch::look_again(SwitchContext& context) {
  if (!look_.exists() || looking_) return;
  looking_ = true;
  context.arm(look_, context.now() + settings_.empty_refresh);  // [BFC-Q-6]
}

void BfcSwitch::look(SwitchContext& context) {
  queues_.look();  // [BFC-Q-6]
  looking_ = !queues_.all_empty();
  if (looking_) context.arm(look_, context.now() + settings_.empty_refresh);
}

void BfcSwitch::on_link(SwitchContext& context, PortId port, bool) {
  // The core has dropped the port's queued frames and opened its gates.
  backpressure_.on_link(context, port);
  queues_.forget(port);
  if (fifo_.exists()) fifo_.forget(port);
}

// ---- measurement ----

std::span<const StatisticSpec> BfcSwitch::statistics() const {
  return kSwitchStatistics;
}

Statistic BfcSwitch::statistic(std::size_t which, PortId port, std::size_t) const {
  switch (which) {
    case 0:
      return Statistic::of_counter(backpressure_.pauses(port));
    case 1:
      return Statistic::of_counter(backpressure_.resumes(port));
    case 2:
      return Statistic::of_counter(obeyed_[port.index()]);
    case 3:
      return Statistic::of_counter(queues_.given(port));
    case 4:
      return Statistic::of_counter(queues_.given_twice(port));
    case 5:
      return queues_.in_use(port);
    default:
      return Statistic::of_counter(flows_.used());
  }
}

}  // namespace weir::bfc
