// SPDX-License-Identifier: Apache-2.0
#include "apps/real_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "sim/version.h"
#include "wire/ethernet.h"

namespace weir::apps {
namespace {

/// Frame bytes of packets without FCS.
std::int64_t frame_bytes(std::uint64_t bytes, std::uint64_t frames) {
  return static_cast<std::int64_t>(bytes + frames * kFcsBytes);
}

RunRecord named(const RealRunName& name, double seconds) {
  constexpr double kPicoseconds = 1e12;
  RunRecord record;
  record.scenario = name.title.empty() ? name.file : name.title;
  record.version = kVersion;
  record.effective_configuration = name.configuration;
  record.simulated = Time::picoseconds(static_cast<std::int64_t>(seconds * kPicoseconds));
  record.wall_seconds = seconds;
  return record;
}

/// One direction of the link behind a port, without counters.
LinkRecord link_of(const Topology& topology, NodeId from, PortId port, bool outwards) {
  const Node& at = topology.node(from);
  const Node& peer = topology.node(topology.ports(from)[port.index()].peer);
  LinkRecord out;
  out.from = outwards ? at.name : peer.name;
  out.to = outwards ? peer.name : at.name;
  out.from_tier = outwards ? at.tier : peer.tier;
  out.to_tier = outwards ? peer.tier : at.tier;
  out.rate = topology.link_at(from, port).rate;
  return out;
}

void add_links(RunRecord& record, const Topology& topology, NodeId node, PortId port, const PortCounters& counters,
               const LinkState& state) {
  LinkRecord out = link_of(topology, node, port, true);
  out.frames = counters.sent_frames;
  out.bytes = frame_bytes(counters.sent_bytes, counters.sent_frames);
  out.lost = state.lost_sent;
  LinkRecord in = link_of(topology, node, port, false);
  in.frames = counters.received_frames;
  in.bytes = frame_bytes(counters.received_bytes, counters.received_frames);
  in.lost = state.lost_received;
  record.packet_hops += out.frames + in.frames;
  record.links.push_back(std::move(out));
  record.links.push_back(std::move(in));
}

/// Marks the flows that were open while an incast into the rack of their source or destination was.
void tell_victims(std::vector<FlowRecord>& flows, const Topology& topology, Time end) {
  const auto end_of = [end](const FlowRecord& flow) {
    return flow.completed() ? flow.start + flow.sender_completion : end;
  };
  std::vector<FlowRecord> incast;
  for (const FlowRecord& flow : flows) {
    if (flow.flow_class == FlowClass::incast) incast.push_back(flow);
  }
  for (FlowRecord& flow : flows) {
    if (flow.flow_class == FlowClass::incast) continue;
    const bool is_victim = std::any_of(incast.begin(), incast.end(), [&](const FlowRecord& of_incast) {
      const SwitchId rack = topology.edge_of(of_incast.destination);
      return (topology.edge_of(flow.source) == rack || topology.edge_of(flow.destination) == rack) &&
             of_incast.start < end_of(flow) && flow.start < end_of(of_incast);
    });
    flow.flow_class = is_victim ? FlowClass::victim : FlowClass::background;
  }
}

Store create(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw StoreError(fmt::format("{}: {}", folder, error.message()));
  const std::filesystem::path path = store_path(folder);
  if (Store::exists(path)) throw StoreError(fmt::format("{}: contains results already", folder));
  return Store::create(path, kVersion);
}

}  // namespace

RealRunName run_name(const Settings& settings, const std::string& config) {
  std::ifstream stream(config);
  std::ostringstream text;
  text << stream.rdbuf();
  return {settings.scenario, std::filesystem::path(config).stem().string(), text.str()};
}

SwitchRecorder::SwitchRecorder(Switch& node, const std::vector<std::string>& peers)
    : node_(node), peers_(peers), timeline_(2 * node.ports(), kInterval), pauses_(node.ports()) {
  for (std::size_t port = 0; port < node.ports(); ++port) {
    queues_.emplace_back(SeriesRecorder::Joint::highest, kInterval);
    for (const SwitchPolicy* policy : node.policies()) {
      for (std::size_t which = 0; which < policy->gauges().size(); ++which) {
        const GaugeSpec& gauge = policy->gauges()[which];
        std::string name = fmt::format("{}.{}", gauge.name, peers[port]);
        if (!gauge.unit.empty()) name.append(" ").append(gauge.unit);
        gauges_.push_back({policy, which, PortId(port), std::move(name), {SeriesRecorder::Joint::mean, kInterval}});
      }
    }
  }
  node_.observe(this);
}

void SwitchRecorder::sample() {
  next_ += kInterval;
  for (std::size_t port = 0; port < queues_.size(); ++port) {
    queues_[port].add(static_cast<double>(node_.port(PortId(port)).queued_bytes));
  }
  for (Gauge& gauge : gauges_) gauge.values.add(gauge.policy->gauge(gauge.which, gauge.port));
  occupancy_.add(node_.buffer().used);
  look();
  timeline_.end_sample();
}

void SwitchRecorder::look() {
  for (std::size_t port = 0; port < pauses_.size(); ++port) {
    const PortState& state = node_.port(PortId(port));
    timeline_.look(2 * port, state.bytes_sent, node_.bytes_for(PortId(port)));
    timeline_.look(2 * port + 1, state.bytes_received, 0);
  }
}

void SwitchRecorder::on_pause(const SwitchContext& context, PortId ingress, Priority /*priority*/, bool paused) {
  change(context.now(), ingress, paused);
}

void SwitchRecorder::on_hop_pause(const SwitchContext& context, PortId ingress, std::uint64_t /*name*/, bool paused) {
  change(context.now(), ingress, paused);
}

void SwitchRecorder::change(Time now, PortId ingress, bool paused) {
  Pauses& pauses = pauses_[ingress.index()];
  const std::size_t link = 2 * ingress.index() + 1;
  if (paused) {
    ++pauses.number;
    if (pauses.in_force++ > 0) return;
    pauses.since = now;
    timeline_.pause(link, now);
  } else if (pauses.in_force > 0 && --pauses.in_force == 0) {
    pauses.length += now - pauses.since;
    timeline_.resume(link, now);
  }
}

void SwitchRecorder::finish(Time now, RunRecord& record) {
  record.series = series();
  record.switches.front().occupancy = occupancy_;
  for (std::size_t port = 0; port < pauses_.size(); ++port) {
    Pauses& pauses = pauses_[port];
    if (pauses.in_force > 0) pauses.length += now - pauses.since;
    LinkRecord& link = record.links[2 * port + 1];
    link.pauses = pauses.number;
    link.paused = pauses.length;
  }
  if (now > next_ + -kInterval) look();  // after the last sample
  record.timeline = timeline_.finish(now);
}

std::vector<Series> SwitchRecorder::series() const {
  std::vector<Series> out;
  for (std::size_t port = 0; port < queues_.size(); ++port) {
    out.push_back(queues_[port].series(fmt::format("queued.{} bytes", peers_[port])));
  }
  for (const Gauge& gauge : gauges_) out.push_back(gauge.values.series(gauge.name));
  return out;
}

RunRecord record_of(const SwitchReport& report, const Topology& topology, const Switch& node, const RealRunName& name) {
  RunRecord record = named(name, report.seconds);
  record.variant = report.name;
  record.failure = report.failure;
  const NodeId at = topology.node_of(node.id());
  SwitchRecord of_switch;
  of_switch.id = node.id();
  of_switch.name = report.name;
  of_switch.tier = topology.node(at).tier;
  of_switch.buffer_maximum = node.buffer().maximum;
  of_switch.pauses_sent = report.pauses_sent;
  of_switch.trimmed = node.frames_trimmed();
  of_switch.returned = node.frames_returned();
  std::copy_n(report.drops.begin(), std::min(report.drops.size(), of_switch.drops.size()), of_switch.drops.begin());
  record.switches.push_back(std::move(of_switch));
  for (std::size_t port = 0; port < report.ports.size(); ++port) {
    add_links(record, topology, at, PortId(port), report.ports[port].counters, report.ports[port].link);
  }
  return record;
}

RunRecord record_of(const NicsReport& report, const Topology& topology, const RealRunName& name) {
  RunRecord record = named(name, report.seconds);
  record.variant = "NICs";
  for (const MessageReport& message : report.messages) record.flows.push_back(message.record);
  record.flows.insert(record.flows.end(), report.unfinished.begin(), report.unfinished.end());
  tell_victims(record.flows, topology, record.simulated);
  std::sort(record.flows.begin(), record.flows.end(),
            [](const FlowRecord& a, const FlowRecord& b) { return a.id < b.id; });
  for (const NicReport& nic : report.nics) {
    record.data_frames += nic.data_sent;
    record.retransmitted_frames += nic.retransmitted;
    record.strays += nic.strays;
    record.datagrams_dropped += nic.datagrams_dropped;
    add_links(record, topology, topology.node_of(nic.id), PortId(0), nic.fabric, nic.link);
  }
  return record;
}

RealResults::RealResults(const std::string& folder) : store_(create(folder)) {}

}  // namespace weir::apps
