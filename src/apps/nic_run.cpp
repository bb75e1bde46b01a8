// SPDX-License-Identifier: Apache-2.0
#include "apps/nic_run.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#ifdef WEIR_DPDK
#include "apps/real_record.h"
#include "dpdk/dpdk_ports.h"
#endif

namespace weir::apps {
namespace {

/// Buffers for the frames that the NICs make: data, acknowledgements, notifications.
constexpr std::size_t kOwnPacketsPerNic = 4'096;

Settings settings_of(const RealNics& real) {
  Settings settings = real.settings;
  settings.run.frame_capacity = real.packets + kOwnPacketsPerNic;
  return settings;
}

/// Each NIC has its own frames, so that its table of packets sees the release of each of them. The nodes that are not
/// here share the first partition.
std::vector<std::uint32_t> partitions_of(const RealNics& real) {
  const Topology& topology = real.settings.network.topology;
  std::vector<std::uint32_t> out(topology.nodes().size(), 0);
  for (std::size_t i = 0; i < real.nics.size(); ++i) {
    out[topology.node_of(real.nics[i].host).index()] = static_cast<std::uint32_t>(i + 1);
  }
  return out;
}

FlowRecord classed(FlowRecord record, const FlowSpec& spec) {
  record.flow_class = spec.incast ? FlowClass::incast : FlowClass::background;
  return record;
}

}  // namespace

NicNodes::NicNodes(const RealNics& real, PacketPool& packets, const std::vector<NicDevices>& devices)
    : traffic_after_(real.traffic_after),
      stop_(real.settings.run.stop),
      fabric_(std::make_unique<Fabric>(settings_of(real), partitions_of(real))),
      neighbours_(fabric_->topology().hosts()) {
  const Topology& topology = fabric_->topology();
  for (const auto& [host, mac] : real.neighbours) neighbours_.set_mac(host, mac);
  for (std::size_t i = 0; i < real.nics.size(); ++i) {
    const RealNic& from = real.nics[i];
    const NodeId node = topology.node_of(from.host);
    const Link& link = topology.link_at(node, PortId(0));
    ForeignTraffic foreign;
    foreign.has_host = devices[i].host != nullptr;
    foreign.queue_bytes = from.queue.count();
    foreign.flows = from.flows;
    names_.push_back(topology.node(node).name);
    nics_.push_back(std::make_unique<PacketNic>(fabric_->nic(from.host),
                                                fabric_->frames_of_partition(fabric_->partition_of(node)), packets,
                                                neighbours_, devices[i].mac, foreign));
    loops_.push_back(std::make_unique<NicLoop>(*nics_.back(), packets,
                                               NicPorts{devices[i].fabric, devices[i].host, link.rate, link.delay},
                                               real.settings.network.framing.wire_overhead, [this](Nic& nic) {
                                                 if (connections_ == nullptr) return nic.clear_completions();
                                                 connections_->settle(nic);
                                               }));
  }
  if (!real.has_traffic) return;
  traffic_ = MergedTraffic(real.settings.traffic(real.settings.run.seed));
  connections_ = std::make_unique<Connections>(
      *fabric_, real.settings, traffic_,
      [this](const FlowSpec& spec, const FlowRecord& record, Time) { messages_.push_back(classed(record, spec)); });
}

std::vector<FlowRecord> NicNodes::unfinished() const {
  std::vector<FlowRecord> out;
  if (connections_ == nullptr) return out;
  connections_->for_each_open(
      [&out](const FlowSpec& spec, const FlowRecord& record) { out.push_back(classed(record, spec)); });
  return out;
}

Time NicNodes::start_of_next() const {
  const Time next = traffic_.next_start();
  return next >= stop_ ? Time::never() : saturating_add(next, traffic_after_);
}

void NicNodes::poll(Time now) {
  if (connections_ != nullptr) {
    while (saturating_add(connections_->next_stop(), traffic_after_) <= now) connections_->stop_next(now);
    while (start_of_next() <= now) connections_->start_next(now);
  }
  for (const auto& loop : loops_) loop->poll(now);
  if (connections_ != nullptr) connections_->end_flows();
}

std::string NicNodes::name_of(HostId host) const {
  const Topology& topology = fabric_->topology();
  return topology.node(topology.node_of(host)).name;
}

NicsReport report_of(NicNodes& nodes, Time now) {
  NicsReport out;
  out.seconds = now.seconds();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PacketNic& node = nodes.nic(i);
    const Nic& nic = node.nic();
    NicReport of_nic;
    of_nic.host = nodes.name(i);
    of_nic.id = nic.host();
    of_nic.fabric = node.fabric_counters();
    of_nic.of_host = node.host_counters();
    of_nic.loop = nodes.loop(i).counters();
    of_nic.link = nodes.loop(i).link();
    of_nic.datagrams_dropped = nic.datagrams_dropped();
    of_nic.data_sent = nic.data_sent();
    of_nic.retransmitted = nic.retransmitted();
    of_nic.strays = nic.strays();
    of_nic.flows_out = node.flows_out();
    of_nic.flows_in = node.flows_in();
    out.nics.push_back(of_nic);
  }
  for (const FlowRecord& record : nodes.messages()) {
    out.messages.push_back({nodes.name_of(record.source), nodes.name_of(record.destination), record});
  }
  out.unfinished = nodes.unfinished();
  out.open_messages = nodes.open_messages();
  return out;
}

#ifdef WEIR_DPDK
namespace {

/// Everything between the devices and the NICs.
class NicRun {
 public:
  explicit NicRun(const RealNics& real)
      : real_(real), devices_(options_of(real)), nodes_(real, devices_.packets(), ports()) {}

  [[nodiscard]] const Topology& topology() const { return nodes_.topology(); }

  NicsReport run(const NicCommand& command) {
    const TscClock clock;
    const double started = steady_seconds();
    constexpr double kPicoseconds = 1e12;
    const Time end = command.duration ? Time::picoseconds(static_cast<std::int64_t>(*command.duration * kPicoseconds))
                                      : Time::never();
    Time now = clock.now();
    while (!interrupted() && now < end) {
      nodes_.poll(now);
      now = clock.now();
    }
    NicsReport out = report_of(nodes_, now);
    out.started = started;
    std::size_t device = 0;
    for (std::size_t i = 0; i < out.nics.size(); ++i) {
      out.nics[i].fabric_device = device_report(real_.nics[i].device, device++);
      if (!real_.nics[i].host_device.empty()) {
        out.nics[i].host_device = device_report(real_.nics[i].host_device, device++);
      }
    }
    return out;
  }

 private:
  static DpdkOptions options_of(const RealNics& real) {
    DpdkOptions options;
    for (const RealNic& nic : real.nics) {
      options.devices.push_back(nic.device);
      options.longest_frames.resize(options.devices.size(), longest_frame(real.settings));
      if (nic.host_device.empty()) continue;
      options.devices.push_back(nic.host_device);
      options.longest_frames.push_back(0);  // the kernel sends what its MTU permits
    }
    options.packets = real.packets;
    options.control_packets = kOwnPacketsPerNic * real.nics.size();
    options.packet_bytes = real.packet_bytes;
    return options;
  }
  /// Devices in the order of options_of().
  std::vector<NicDevices> ports() {
    std::vector<NicDevices> out;
    std::size_t device = 0;
    for (const RealNic& nic : real_.nics) {
      NicDevices of_nic;
      of_nic.mac = devices_.mac(device);
      of_nic.fabric = &devices_.port(device++);
      if (!nic.host_device.empty()) of_nic.host = &devices_.port(device++);
      out.push_back(of_nic);
    }
    return out;
  }
  DeviceReport device_report(const std::string& name, std::size_t number) {
    const DeviceCounters counters = devices_.counters(number);
    return {name, counters.missed, counters.no_buffer, counters.bad, counters.not_sent};
  }

  const RealNics& real_;
  DpdkPorts devices_;
  NicNodes nodes_;
};

}  // namespace

int run_real_nics(const RealNics& real, const NicCommand& command) {
  catch_interrupts();
  try {
    std::optional<RealResults> results;
    if (!command.out.empty()) results.emplace(command.out);
    NicRun run(real);
    print_diagnostic(fmt::format("{} NICs run; stop them with Ctrl-C", real.nics.size()));
    const NicsReport report = run.run(command);
    const bool printed = print(command.json ? json_of(report) : text_of(report));
    if (results) {
      results->add(record_of(report, run.topology(), run_name(real.settings, command.config)));
    }
    return printed ? kDone : kFailed;
  } catch (const std::runtime_error& error) {
    print_diagnostic(fmt::format("weir nic: {}", error.what()));
    return kFailed;
  }
}
#else
int run_real_nics(const RealNics& /*real*/, const NicCommand& /*command*/) {
  print_diagnostic("weir nic: this build has no DPDK; install libdpdk-dev (22.11 or later) and build Weir again");
  return kFailed;
}
#endif

}  // namespace weir::apps
