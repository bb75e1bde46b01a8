// SPDX-License-Identifier: Apache-2.0
#include "sim/measurement.h"

#include <fmt/format.h>

#include <algorithm>

#include "results/summary.h"
#include "sim/policy_statistics.h"

namespace weir {
namespace {

static_assert(kDropReasons == 8, "results/summary.h names the reasons in this order");

constexpr std::array<const char*, kFlowClasses> kClassNames{"incast", "victim", "background"};

}  // namespace

Measurement::Measurement(Fabric& fabric, const Settings& settings)
    : fabric_(fabric),
      settings_(settings),
      throughput_(settings.measurement.throughput),
      queueing_(settings.measurement.queueing && !settings.measurement.hops),
      pauses_(fabric.channels().size()),
      held_at_pauses_(fabric.channels().size()),
      held_(fabric.channels().size()),
      lossless_drops_(fabric, settings),
      watchdogs_(fabric, settings),
      throughput_series_(kFlowClasses, {SeriesRecorder::Joint::mean, settings.measurement.sample_interval}),
      kind_series_(kinds_before_.size(), {SeriesRecorder::Joint::mean, settings.measurement.sample_interval}),
      occupancy_series_(SeriesRecorder::Joint::highest, settings.measurement.sample_interval),
      watched_series_(SeriesRecorder::Joint::highest, settings.measurement.sample_interval) {
  // Sufficient for a window, except in storms of pauses.
  constexpr std::size_t kLeastChanges = 1024;
  hold_changes_.reserve(std::max(kLeastChanges, fabric.channels().size()));
  watch_port();
  const Topology& topology = fabric.topology();
  int racks = 0;
  for (std::size_t host = 0; host < fabric.hosts(); ++host) {
    // The hosts of one top-of-rack switch form a rack, whatever the topology calls it.
    const SwitchId edge = topology.edge_of(HostId(host));
    rack_of_host_.push_back(static_cast<int>(edge.value));
    racks = std::max(racks, static_cast<int>(edge.value) + 1);
  }
  racks_.resize(static_cast<std::size_t>(racks));
  perfect_links_ =
      settings.network.failures.empty() && std::all_of(topology.links().begin(), topology.links().end(),
                                                       [](const Link& link) { return link.error_rate == 0; });
  // Where a watchdog lets frames go on in spite of pauses, the next switch may lack room for them.
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    if (kind.watchdog && kind.watchdog->action == WatchdogAction::forward) pauses_are_obeyed_ = false;
  }
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    const Node& node = topology.node(topology.node_of(SwitchId(i)));
    SwitchRecord record;
    record.id = SwitchId(i);
    record.name = node.name;
    record.tier = node.tier;
    tier_of_switch_.push_back(static_cast<std::uint8_t>(std::clamp(node.tier, 0, 7)));
    switches_.push_back(std::move(record));
    headroom_computed_.push_back(settings.switches_of(SwitchId(i)).headroom.kind == HeadroomRule::Kind::computed);
  }
  if (settings.measurement.innocent_pause) {
    roots_ = std::make_unique<PauseRoots>(fabric, [this](HostId, HostId destination, QueuePairId receiver) {
      const FlowSpec* flow = connections_->flow_of_receiver(destination, receiver);
      return flow == nullptr ? FlowClass::background : class_of(*flow, flow->start);
    });
  }
  if (settings.measurement.hops) {
    hops_.emplace(fabric, [this](HostId destination, QueuePairId receiver) {
      const FlowSpec* flow = connections_->flow_of_receiver(destination, receiver);
      return flow == nullptr ? FlowClass::background : class_of(*flow, flow->start);
    });
  }
  if (settings.measurement.sender_rates) sender_rates_.emplace(settings.measurement.sample_interval);
  if (settings.measurement.timeline) {
    timeline_.emplace(fabric.channels().size(), settings.measurement.sample_interval);
  }
  if (settings.measurement.congestion_trees) trees_.emplace(fabric);
  if (settings.measurement.held_links) {
    controls_.emplace(fabric);
    ports_.emplace(fabric, *controls_);
  }
  for (std::size_t i = 0; i < fabric.switches(); ++i) {
    start_watch(fabric.switch_by(SwitchId(i)));
    fabric.switch_by(SwitchId(i)).observe(this);
  }
  for (std::size_t i = 0; i < fabric.hosts(); ++i) fabric.nic(HostId(i)).observe(this);
}

Measurement::~Measurement() {
  for (std::size_t i = 0; i < fabric_.switches(); ++i) fabric_.switch_by(SwitchId(i)).observe(nullptr);
  for (std::size_t i = 0; i < fabric_.hosts(); ++i) fabric_.nic(HostId(i)).observe(nullptr);
}

// ---- flows ----

FlowClass Measurement::class_of(const FlowSpec& flow, Time since) const {
  if (flow.incast) return FlowClass::incast;
  for (const HostId host : {flow.destination, flow.source}) {
    const Rack& rack = racks_[static_cast<std::size_t>(rack_of(host))];
    // An incast that began during the flow's lifetime and is over ended after the flow began.
    if (rack.incast_flows > 0 || rack.incast_ended > since) return FlowClass::victim;
  }
  return FlowClass::background;
}

void Measurement::on_flow_start(const FlowSpec& flow) {
  if (!flow.incast) return;
  ++racks_[static_cast<std::size_t>(rack_of(flow.destination))].incast_flows;
  classes_differ_ = true;
  if (hops_) hops_->tell_classes_apart();
}

void Measurement::on_flow_end(const FlowSpec& flow, FlowRecord record, Time now) {
  if (flow.incast) {
    Rack& rack = racks_[static_cast<std::size_t>(rack_of(flow.destination))];
    --rack.incast_flows;
    rack.incast_ended = now;
  }
  record.flow_class = class_of(flow, flow.start);
  if (const auto& waits = connections_->waits_of_ended(); waits) split_.add(record, *waits);
  flows_.push_back(record);
}

void Measurement::on_delivery(HostId host, QueuePairId receiver, std::int64_t bytes) {
  FlowClass is = FlowClass::background;
  if (classes_differ_) {
    const FlowSpec* flow = connections_->flow_of_receiver(host, receiver);
    if (flow == nullptr) return;
    is = class_of(*flow, flow->start);
  }
  delivered_[static_cast<std::size_t>(is)] += bytes;
}

// ---- switches ----

void Measurement::start_watch(const Switch& at) {
  Watch& watch = watches_.emplace_back();
  if (roots_) watch.roots = &roots_->frames_of(at.id());
  if (hops_) watch.hops = hops_->ports_of(at.id());
  // A pause watchdog opens gates that stay closed for flow controls.
  watch.always = ports_ && (!ports_->is_plain(at) || at.ends_long_pauses());
  for (std::size_t port = 0; port < at.ports(); ++port) {
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      watch.closed_gates += at.priority_gate_open(PortId(port), priority) ? 0 : 1;
    }
  }
  for (std::size_t queue = 0; queue < at.queues(); ++queue) {
    watch.closed_gates += at.queue(QueueId(queue)).closed_by == 0 ? 0 : 1;
  }
  decide(at.id());
}

/// While all gates of a plain switch are open, frames that enter and leave its queues block no port.
void Measurement::decide(SwitchId at) {
  Watch& watch = watches_[at.index()];
  watch.entries = watch.always || (ports_ && watch.closed_gates != 0) || (roots_ && roots_->follows_queues(at));
  watch.quick = !watch.entries;
}

void Measurement::gate_turned(const SwitchContext& context, bool open) {
  Watch& watch = watches_[context.id().index()];
  const bool before = watch.entries;
  watch.closed_gates += open ? ~0u : 1u;
  decide(context.id());
  if (watch.entries != before) fabric_.switch_by(context.id()).watch_entries();
}

std::uint32_t Measurement::pause_changed(const SwitchContext& context, PortId ingress, bool paused) {
  SwitchRecord& record = switches_[context.id().index()];
  const NodeId node = fabric_.topology().node_of(context.id());
  const std::uint32_t channel = fabric_.channels()[fabric_.channel(node, ingress)].reverse;
  if (paused) {
    ++record.pauses_sent;
    record.occupancy_at_pause.add(context.buffer().used);
    ++pauses_in_force_;
    ++pauses_[channel];
    for (Priority priority = 0; priority < kPriorities; ++priority) {
      held_at_pauses_[channel] += context.ingress(ingress, priority).used;
    }
  } else {
    --pauses_in_force_;
  }
  return channel;
}

void Measurement::take_in(const HoldChange& change) {
  const HeldLinks::Change became = change.priority == kPriorities
                                       ? held_.by_name(change.channel, change.held, change.at)
                                       : held_.gate(change.channel, change.priority, !change.held, change.at);
  if (!timeline_) return;
  if (became == HeldLinks::Change::held) timeline_->pause(change.channel, change.at);
  if (became == HeldLinks::Change::released) timeline_->resume(change.channel, change.at);
}

void Measurement::end_window() {
  if (roots_) roots_->end_window();
  if (hold_changes_.empty()) [[likely]]
    return;
  // A stable sort would allocate.
  std::sort(hold_changes_.begin(), hold_changes_.end(),
            [](const HoldChange& a, const HoldChange& b) { return a.at != b.at ? a.at < b.at : a.number < b.number; });
  for (const HoldChange& change : hold_changes_) take_in(change);
  hold_changes_.clear();
}

void Measurement::gate_changed(NodeId node, PortId port, Priority priority, bool open, Time now) {
  const std::uint32_t channel = fabric_.channel(node, port);
  note_hold(now, channel, priority, !open);
  if (roots_) roots_->on_gate(node, port, priority, open, now);
}

std::uint32_t Measurement::pause_changed(const Nic& nic, bool paused) {
  const NodeId node = fabric_.topology().node_of(nic.host());
  const std::uint32_t channel = fabric_.channels()[fabric_.channel(node, PortId(0))].reverse;
  if (paused) {
    ++pauses_in_force_;
    ++pauses_[channel];
    held_at_pauses_[channel] += nic.receive_buffer().used;
  } else {
    --pauses_in_force_;
  }
  return channel;
}

void Measurement::on_pause(const SwitchContext& context, PortId ingress, Priority, bool paused) {
  pause_changed(context, ingress, paused);
}

void Measurement::on_hop_pause(const SwitchContext& context, PortId ingress, std::uint64_t name, bool paused) {
  if (trees_) trees_->on_hop_pause(fabric_.topology().node_of(context.id()), ingress, name, paused, context.now());
  const std::uint32_t channel = pause_changed(context, ingress, paused);
  note_hold(context.now(), channel, kPriorities, paused);
}

void Measurement::on_merge(const SwitchContext& context, std::uint64_t name, std::uint64_t successor) {
  if (trees_) trees_->on_merge(context, name, successor);
}

void Measurement::on_priority_gate(const SwitchContext& context, PortId port, Priority priority, bool open) {
  gate_changed(fabric_.topology().node_of(context.id()), port, priority, open, context.now());
  if (ports_) ports_->on_priority_gate(context, port, priority);
  gate_turned(context, open);
}

void Measurement::on_queue_gate(const SwitchContext& context, QueueId queue, bool open) {
  if (roots_) roots_->on_queue_gate(context, queue);
  if (ports_) ports_->on_queue_gate(context, queue);
  gate_turned(context, open);
}

void Measurement::on_pause(Nic& nic, Priority, bool paused) {
  pause_changed(nic, paused);
}

void Measurement::on_hop_pause(Nic& nic, std::uint64_t name, bool paused) {
  if (trees_) trees_->on_hop_pause(fabric_.topology().node_of(nic.host()), PortId(0), name, paused, nic.now());
  note_hold(nic.now(), pause_changed(nic, paused), kPriorities, paused);
}

void Measurement::on_gate(Nic& nic, GateId gate, bool open) {
  if (roots_) roots_->on_nic_gate(nic, gate, open);
}

void Measurement::on_sender_gate(Nic& nic, const SendState& sender, bool open) {
  if (roots_) roots_->on_sender_gate(nic, sender, open);
}

void Measurement::on_priority_gate(Nic& nic, Priority priority, bool open) {
  gate_changed(fabric_.topology().node_of(nic.host()), PortId(0), priority, open, nic.now());
  if (ports_) ports_->look(nic, nic.now(), false);
}

void Measurement::on_drop(const SwitchContext& context, const Frame& frame, DropReason reason) {
  const bool on_purpose = frame.expendable() && reason == DropReason::policy;
  ++switches_[context.id().index()].drops[on_purpose ? kDroppedOnPurpose : static_cast<std::size_t>(reason)];
  if (frame.charged_bytes != 0) {
    const bool taken_out = was_taken_out(context, frame);
    if (roots_ && frame.ingress.exists() && !taken_out) roots_->on_leave(context.id(), frame, context.now());
    if (roots_) roots_->on_gone(context, frame);
    if (ports_) ports_->on_gone(context, frame);
    if (hops_) hops_->on_drop(context, frame);
  }
  if (!on_purpose) lossless_drops_.on_drop(context, frame, reason);
  watchdogs_.on_drop(context, frame, reason);
  const bool lossless = context.buffer().lossless[frame.ingress_priority];
  if (reason != DropReason::buffer_full || !lossless || !failure_.empty()) return;
  // Headroom computed for the link holds everything that a neighbour can still send after a PAUSE that it obeys.
  if (headroom_computed_[context.id().index()] && perfect_links_ && pauses_are_obeyed_ && frame.ingress.exists() &&
      context.ingress(frame.ingress, frame.ingress_priority).paused) {
    failure_ = "switch " + switches_[context.id().index()].name + " dropped a frame of lossless priority " +
               std::to_string(frame.ingress_priority) + " from port " + std::to_string(frame.ingress.value) +
               " although it had paused it and its headroom is computed";
  }
}

void Measurement::on_storm(const SwitchContext& context, PortId port, Priority priority, QueueId queue, bool begins) {
  watchdogs_.on_storm(context, port, priority, queue, begins);
}

bool Measurement::was_taken_out(const SwitchContext& context, const Frame& frame) {
  return !taken_out_.empty() && std::erase(taken_out_, context.frames().id_of(frame)) != 0;
}

// From now on its egress may change, when it enters a queue or is dropped.
void Measurement::on_trim(const SwitchContext& context, QueueId queue, const Frame& frame, std::int64_t) {
  if (!queue.exists() || !watches_frames()) return;  // it has just arrived and is not counted yet
  if (roots_) {
    if (frame.ingress.exists()) roots_->on_leave(context.id(), frame, context.now());
    roots_->on_queue_left(context, queue, frame);
  }
  if (ports_) ports_->on_taken_out(context, queue, frame);
  if (hops_) hops_->on_trim(context, frame);
  taken_out_.push_back(context.frames().id_of(frame));
}

// Of the calls for every frame, these are for nearly all of them. They call other functions last, so that they need not
// save registers.

void Measurement::on_admit(const SwitchContext& context, const Frame& frame) {
  const Watch& watch = watches_[context.id().index()];
  const FrameId id = context.frames().id_of(frame);
  if (!is_quick(watch, id, frame)) [[unlikely]]
    return admit(context, frame);
  if (watch.roots != nullptr) watch.roots->change(frame, context.now(), 1);
  if (hops_) hops_->quick_admit(watch.hops, id, frame);
}

void Measurement::on_depart(const SwitchContext& context, QueueId, const Frame& frame) {
  const Watch& watch = watches_[context.id().index()];
  const FrameId id = context.frames().id_of(frame);
  if (!is_quick(watch, id, frame)) [[unlikely]]
    return depart(context, frame);
  if (watch.roots != nullptr) watch.roots->change(frame, context.now(), -1);
  if (hops_) return hops_->quick_depart(id, frame, context.now());
  if (queueing_ && frame.kind == FrameKind::data) {
    queueing_by_tier_[tier_of_switch_[context.id().index()]].add((context.now() - frame.arrival).picoseconds());
  }
}

// For pause roots and blocked ports, the frame never entered the switch.
void Measurement::on_pass(const SwitchContext& context, QueueId, const Frame& frame) {
  const FrameId id = context.frames().id_of(frame);
  if (!hops_ || !hops_->is_quick(id)) [[unlikely]]
    return pass(context, frame);
  hops_->quick_pass(watches_[context.id().index()].hops, id, frame);
}

void Measurement::admit(const SwitchContext& context, const Frame& frame) {
  if (roots_ && frame.ingress.exists()) roots_->on_admit(context.id(), frame, context.now());
  if (hops_) hops_->on_admit(context, frame);
  if (ports_) ports_->on_admit(context, frame);
}

void Measurement::on_enter(const SwitchContext& context, QueueId queue, const Frame& frame) {
  const bool plain = frame.ingress.exists() && taken_out_.empty() && !(roots_ && roots_->follows_queues(context.id()));
  if (!plain || (ports_ && !ports_->is_plain(context))) return enter(context, queue, frame);
  if (ports_) ports_->look(context, frame.egress);
}

/// The frame was made in the switch, or may have been trimmed, or its queue may be blocked by more than the gate of its
/// priority.
[[gnu::noinline]] void Measurement::enter(const SwitchContext& context, QueueId queue, const Frame& frame) {
  const bool taken_out = was_taken_out(context, frame);
  if (roots_) {
    if (taken_out && frame.ingress.exists()) roots_->on_admit(context.id(), frame, context.now());
    roots_->on_enter(context, queue, frame);
  }
  if (hops_ && (taken_out || !frame.ingress.exists())) hops_->on_enter(context, frame);
  if (ports_) ports_->on_enter(context, queue, frame);
}

void Measurement::on_leave(const SwitchContext& context, QueueId queue, const Frame& frame) {
  if (roots_) roots_->on_queue_left(context, queue, frame);
  if (ports_) ports_->on_queue_left(context, queue);
}

void Measurement::depart(const SwitchContext& context, const Frame& frame) {
  if (roots_) {
    if (frame.ingress.exists()) roots_->on_leave(context.id(), frame, context.now());
    roots_->on_gone(context, frame);
  }
  if (ports_) ports_->on_gone(context, frame);
  if (hops_) hops_->on_depart(context, frame);
  if (queueing_ && frame.kind == FrameKind::data) {
    queueing_by_tier_[tier_of_switch_[context.id().index()]].add((context.now() - frame.arrival).picoseconds());
  }
}

void Measurement::pass(const SwitchContext& context, const Frame& frame) {
  if (hops_) hops_->on_pass(context, frame);
  if (queueing_ && frame.kind == FrameKind::data) ++passed_by_tier_[tier_of_switch_[context.id().index()]];
}

// ---- samples ----

void Measurement::sample(Time now, const std::array<std::int64_t, 9>& bytes_by_kind) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const Switch& node = fabric_.switch_by(SwitchId(i));
    total += node.buffer().used;
    if (settings_.measurement.occupancy) switches_[i].occupancy.add(node.buffer().used);
    if (settings_.measurement.active) {
      flows_at_ports_.count(node, active_flows_);
      for (std::size_t port = 0; port < node.ports(); ++port) {
        active_queues_.add(node.port(PortId(port)).active_queues);
      }
    }
  }
  if (throughput_) {
    const double seconds = settings_.measurement.sample_interval.seconds();
    for (std::size_t i = 0; i < kFlowClasses; ++i) {
      throughput_series_[i].add(static_cast<double>(delivered_[i]) * 8 / seconds);
      delivered_[i] = 0;
    }
    for (std::size_t kind = 0; kind < bytes_by_kind.size(); ++kind) {
      kind_series_[kind].add(static_cast<double>(bytes_by_kind[kind] - kinds_before_[kind]) * 8 / seconds);
    }
    kinds_before_ = bytes_by_kind;
    occupancy_series_.add(static_cast<double>(total));
  }
  if (const auto& watched = settings_.measurement.watched_port; watched) {
    const Switch& at = fabric_.switch_by(watched->first);
    watched_series_.add(static_cast<double>(at.bytes_for(watched->second)));
    for (WatchedGauge& gauge : watched_gauges_) gauge.series.add(gauge.policy->gauge(gauge.which, watched->second));
  }
  if (sender_rates_) {
    for (std::size_t host = 0; host < fabric_.hosts(); ++host) {
      fabric_.nic(HostId(host)).watch_senders([this](const SendState& sender) { sender_rates_->add(sender); });
    }
    sender_rates_->end_sample();
  }
  if (roots_) roots_->sample(now);
  if (timeline_) {
    look_at_links();
    timeline_->end_sample();
    sampled_ = now;
  }
}

void Measurement::watch_port() {
  const auto& watched = settings_.measurement.watched_port;
  if (!watched) return;
  for (const SwitchPolicy* policy : fabric_.switch_by(watched->first).policies()) {
    const std::span<const GaugeSpec> gauges = policy->gauges();
    for (std::size_t which = 0; which < gauges.size(); ++which) {
      std::string name(gauges[which].name);
      if (!gauges[which].unit.empty()) name.append(" ").append(gauges[which].unit);
      watched_gauges_.push_back(
          {policy, which, std::move(name), {SeriesRecorder::Joint::mean, settings_.measurement.sample_interval}});
    }
  }
}

void Measurement::look_at_links() {
  for (std::size_t i = 0; i < fabric_.channels().size(); ++i) {
    const ChannelSpec& channel = fabric_.channels()[i];
    const Switch* from = fabric_.switch_at(channel.from);
    const Switch* to = fabric_.switch_at(channel.to);
    const std::int64_t arrived =
        to != nullptr ? to->port(channel.to_port).bytes_received : fabric_.nic_at(channel.to)->bytes_received();
    // Data that waits in a NIC has not left its application's memory.
    timeline_->look(i, arrived, from != nullptr ? from->bytes_for(channel.from_port) : 0);
  }
}

void Measurement::finish(Time now, RunRecord& record) {
  end_window();
  if (timeline_) {
    if (now > sampled_) look_at_links();
    record.timeline = timeline_->finish(now);
  }
  std::sort(flows_.begin(), flows_.end(), [](const FlowRecord& a, const FlowRecord& b) { return a.id < b.id; });
  record.flows = std::move(flows_);
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const Switch& at = fabric_.switch_by(SwitchId(i));
    switches_[i].buffer_maximum = at.buffer().maximum;
    switches_[i].trimmed = at.frames_trimmed();
    switches_[i].returned = at.frames_returned();
  }
  record.switches = std::move(switches_);
  for (RunFinding& drops : lossless_drops_.findings()) record.findings.push_back(std::move(drops));
  if (std::optional<RunFinding> storms = watchdogs_.finding(now)) record.findings.push_back(std::move(*storms));
  if (roots_) {
    roots_->end(now);
    record.pause_hold = roots_->hold();
  }
  record.statistics.slowdown_split = split_.rows();
  for (std::size_t tier = 0; tier < queueing_by_tier_.size(); ++tier) {
    queueing_by_tier_[tier].add(0, passed_by_tier_[tier]);
  }
  if (hops_) {
    if (settings_.measurement.queueing) hops_->add_delays_of_data(queueing_by_tier_);
    record.statistics.hops = hops_->finish(now);
  }
  if (settings_.measurement.policies) {
    record.statistics.policies = policy_statistics(fabric_);
    if (record.statistics.policies.empty()) {
      record.findings.push_back({.kind = FindingKind::note,
                                 .text = "measure.policies is true, but no scheme of this run keeps statistics",
                                 .failed = "",
                                 .ports = {}});
    }
  }
  if (trees_) {
    trees_->finish(now, record.statistics);
    if (!trees_->has_roots()) {
      record.findings.push_back(
          {.kind = FindingKind::note,
           .text = "measure.congestion_trees is true, but no flow control of this run pauses by congestion root",
           .failed = "",
           .ports = {}});
    }
    if (const std::string text = trees_->left_out_text(); !text.empty()) {
      record.findings.push_back({.kind = FindingKind::warning, .text = text, .failed = "", .ports = {}});
    }
  }
  record.queueing_by_tier = queueing_by_tier_;
  record.active_flows = active_flows_;
  record.active_queues = active_queues_;
  if (throughput_) {
    for (std::size_t i = 0; i < kFlowClasses; ++i) {
      record.series.push_back(throughput_series_[i].series(std::string("throughput.") + kClassNames[i] + " bit/s"));
    }
    for (std::size_t kind = 0; kind < kind_series_.size(); ++kind) {
      if (kinds_before_[kind] == 0) continue;
      record.series.push_back(kind_series_[kind].series("links." + std::string(kFrameKindNames[kind]) + " bit/s"));
    }
    record.series.push_back(occupancy_series_.series("buffer.total bytes"));
  }
  if (sender_rates_) {
    for (Series& series : sender_rates_->series()) record.series.push_back(std::move(series));
  }
  if (settings_.measurement.watched_port) record.series.push_back(watched_series_.series("port.queued bytes"));
  for (const WatchedGauge& gauge : watched_gauges_) record.series.push_back(gauge.series.series(gauge.name));
  const Topology& topology = fabric_.topology();
  for (std::uint32_t channel = 0; channel < pauses_.size(); ++channel) {
    const ChannelSpec& spec = fabric_.channels()[channel];
    LinkRecord link;
    link.from = topology.node(spec.from).name;
    link.to = topology.node(spec.to).name;
    link.from_tier = topology.node(spec.from).tier;
    link.to_tier = topology.node(spec.to).tier;
    link.pauses = pauses_[channel];
    link.held_at_pauses = held_at_pauses_[channel];
    link.paused = held_.total(channel, now);
    if (ports_) link.held = ports_->total(channel, now);
    link.rate = spec.rate;
    record.links.push_back(std::move(link));
  }
}

}  // namespace weir
