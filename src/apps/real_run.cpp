// SPDX-License-Identifier: Apache-2.0
#include "apps/real_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <utility>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/switch_samples.h"
#include "fabric/hop_protocols.h"
#ifdef WEIR_DPDK
#include "apps/real_record.h"
#include "dpdk/dpdk_ports.h"
#include "poll/poll_network.h"
#include "ports/loop_trial.h"
#endif

namespace weir::apps {
namespace {

/// Frames for all packets, and for those that the switch makes.
constexpr std::size_t kControlPackets = 8'192;

Settings settings_of(const RealSwitch& real) {
  Settings settings = real.settings;
  settings.run.frame_capacity = real.packets + kControlPackets;
  const Topology& topology = settings.network.topology;
  for (std::size_t port = 0; port < real.ports.size(); ++port) {
    const Node& peer = topology.node(topology.ports(topology.node_of(real.id))[port].peer);
    if (!real.ports[port].speaks_schemes) settings.network.plain_hosts.push_back(peer.host);
  }
  return settings;
}

}  // namespace

RealNodes::RealNodes(const RealSwitch& real)
    : id_(real.id), fabric_(std::make_unique<Fabric>(settings_of(real))), neighbours_(fabric_->topology().hosts()) {
  const Topology& topology = fabric_->topology();
  const NodeId node = topology.node_of(id_);
  name_ = topology.node(node).name;
  const HostControlProtocols to_hosts = host_control_of(real.settings);
  for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
    const Link& link = topology.link_at(node, PortId(port));
    links_.push_back({nullptr, link.rate, link.delay});
    const Node& peer = topology.node(topology.ports(node)[port].peer);
    peers_.push_back(peer.name);
    rules_.push_back({peer.is_host() ? to_hosts.from_hosts : to_hosts.all, real.ports[port].pausable,
                      real.ports[port].speaks_schemes});
  }
  for (const auto& [host, mac] : real.neighbours) neighbours_.set_mac(host, mac);
}

#ifdef WEIR_DPDK
namespace {

/// What a trial has found before the start.
struct Trial {
  Duration gap;             ///< the longest between two polls
  Duration pause_response;  ///< what such gaps add to it
};

/// Measures the loop with a switch like the configured one.
Trial trial_of(const RealSwitch& real, DpdkPorts& devices) {
  if (real.calibration == Duration()) return {};
  RealNodes nodes(real);
  PacketSwitch node(nodes.node(), nodes.fabric().frames(), devices.packets(), nodes.neighbours(),
                    std::vector<PortAddresses>(devices.ports()));
  std::vector<PacketPort*> ports;
  for (std::size_t i = 0; i < devices.ports(); ++i) {
    node.set_rules(PortId(i), nodes.rules()[i]);
    ports.push_back(&devices.port(i));
  }
  const std::array<bool, kPriorities> lossless = real.settings.switches_of(real.id).lossless;
  const auto first = std::find(lossless.begin(), lossless.end(), true);
  const auto priority = static_cast<Priority>(first == lossless.end() ? 0 : first - lossless.begin());
  const TscClock clock;
  const Duration gap =
      longest_gap(node, ports, devices.packets(), shortest_frames(real.settings.network.topology.hosts(), priority),
                  real.calibration, [&clock] { return clock.now(); });
  // The neighbours are assumed to be as late.
  return {gap, pause_response({.period = gap, .transmit_depth = ModelledWire::kAhead}, real.settings)};
}

RealSwitch with_response(RealSwitch real, const Trial& trial) {
  real.settings.switches.pause_response += trial.pause_response;
  return real;
}

/// Throws std::runtime_error if the buffer cannot hold the headroom that the trial asks for.
RealNodes nodes_of(const RealSwitch& real, const Trial& trial) {
  try {
    return RealNodes(real);
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(fmt::format(
        "{}; the longest gap between two polls was {:.1f} us in {:.0f} ms before the start, which adds {:.1f} "
        "us to switch.pause_response. Give the switch a core of its own, or change switch.buffer; "
        "real.calibration = \"0 s\" measures nothing",
        error.what(), trial.gap.microseconds(), real.calibration.microseconds() / 1'000,
        trial.pause_response.microseconds()));
  }
}

/// Everything between the devices and the switch.
class RealRun {
 public:
  explicit RealRun(const RealSwitch& real)
      : devices_(options_of(real)),
        trial_(trial_of(real, devices_)),
        real_(with_response(real, trial_)),
        nodes_(nodes_of(real_, trial_)),
        node_(nodes_.node(), nodes_.fabric().frames(), devices_.packets(), nodes_.neighbours(), addresses()),
        loop_(node_, devices_.packets(), ports(), real.settings.network.framing.wire_overhead, [this] { reroute(); }) {
    for (std::size_t i = 0; i < devices_.ports(); ++i) node_.set_rules(PortId(i), nodes_.rules()[i]);
  }

  SwitchReport run(const SwitchCommand& command) {
    const TscClock clock;
    constexpr double kPicoseconds = 1e12;
    const Time end = command.duration ? Time::picoseconds(static_cast<std::int64_t>(*command.duration * kPicoseconds))
                                      : Time::never();
    if (!command.out.empty()) series_.emplace(nodes_.node(), nodes_.peers());
    std::optional<SwitchSamples> samples;
    if (!command.samples.empty()) samples.emplace(command.samples, nodes_.node());
    Time now = clock.now();
    while (!interrupted() && now < end) {
      loop_.poll(now);
      if (samples) samples->take(now);
      if (series_) series_->take(now);
      now = clock.now();
    }
    SwitchReport out = report(now);
    if (samples && !samples->finish()) out.not_written = command.samples;
    return out;
  }

  [[nodiscard]] const RealNodes& nodes() const { return nodes_; }
  /// After run() with a folder for results.
  [[nodiscard]] RunRecord record(const SwitchReport& report, const RealRunName& name) {
    return record_of(report, nodes_.fabric().topology(), nodes_.node(), series_->series(), name);
  }

 private:
  static DpdkOptions options_of(const RealSwitch& real) {
    DpdkOptions options;
    for (const RealPort& port : real.ports) options.devices.push_back(port.device);
    options.packets = real.packets;
    options.control_packets = kControlPackets;
    options.packet_bytes = real.packet_bytes;
    return options;
  }
  std::vector<PortAddresses> addresses() {
    std::vector<PortAddresses> out;
    for (std::size_t i = 0; i < devices_.ports(); ++i) out.push_back({devices_.mac(i), real_.ports[i].next_hop});
    return out;
  }
  std::vector<LoopPort> ports() {
    std::vector<LoopPort> out = nodes_.links();
    for (std::size_t i = 0; i < out.size(); ++i) out[i].device = &devices_.port(i);
    return out;
  }
  /// Routes avoid the links of this switch that are down.
  void reroute() {
    const Topology& topology = nodes_.fabric().topology();
    const std::vector<PortEnd>& ends = topology.ports(topology.node_of(real_.id));
    std::vector<LinkId> failed;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (!loop_.link(i).up) failed.push_back(ends[i].link);
    }
    nodes_.fabric().reroute(failed);
  }
  SwitchReport report(Time now) {
    SwitchReport out;
    out.name = nodes_.name();
    out.seconds = now.seconds();
    for (std::size_t i = 0; i < devices_.ports(); ++i) {
      const DeviceCounters device = devices_.counters(i);
      out.ports.push_back({nodes_.peers()[i], real_.ports[i].device, node_.counters(PortId(i)), device.missed,
                           device.no_buffer, device.bad, device.not_sent, loop_.link(i)});
    }
    out.loop = loop_.counters();
    const Switch& node = nodes_.node();
    for (int reason = 0; reason < kDropReasons; ++reason) {
      out.drops.push_back(node.drops(static_cast<DropReason>(reason)));
    }
    out.pauses_sent = node.pauses_sent();
    out.measured_gap = trial_.gap;
    out.pause_response = real_.settings.switches.pause_response;
    out.failure = node.broken_invariant();
    return out;
  }

  DpdkPorts devices_;
  Trial trial_;
  RealSwitch real_;
  RealNodes nodes_;
  PacketSwitch node_;
  PortLoop loop_;
  std::optional<SwitchSeries> series_;
};

}  // namespace

int run_real_switch(const RealSwitch& real, const SwitchCommand& command) {
  catch_interrupts();
  try {
    std::optional<RealResults> results;
    if (!command.out.empty()) results.emplace(command.out);
    RealRun run(real);
    print_diagnostic(fmt::format("switch {} forwards between {} ports; stop it with Ctrl-C", run.nodes().name(),
                                 run.nodes().ports()));
    const SwitchReport report = run.run(command);
    const bool printed = print(command.json ? json_of(report) : text_of(report));
    if (results) results->add(run.record(report, run_name(real.settings, command.config)));
    if (!report.failure.empty()) print_diagnostic(fmt::format("broken invariant: {}", report.failure));
    if (!report.not_written.empty())
      print_diagnostic(fmt::format("weir switch: cannot write all samples to {}", report.not_written));
    return printed && report.failure.empty() && report.not_written.empty() ? kDone : kFailed;
  } catch (const std::runtime_error& error) {
    print_diagnostic(fmt::format("weir switch: {}", error.what()));
    return kFailed;
  }
}
#else
int run_real_switch(const RealSwitch& /*real*/, const SwitchCommand& /*command*/) {
  print_diagnostic("weir switch: this build has no DPDK; install libdpdk-dev (22.11 or later) and build Weir again");
  return kFailed;
}
#endif

}  // namespace weir::apps
