// SPDX-License-Identifier: Apache-2.0
// Runs the switches of a process between devices of DPDK, and between each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/real_run.h"
#include "apps/switch_samples.h"
#ifdef WEIR_DPDK
#include "apps/core_threads.h"
#include "apps/real_record.h"
#include "dpdk/dpdk_ports.h"
#include "poll/poll_network.h"
#include "ports/loop_trial.h"
#include "ports/packet_ring.h"
#endif

namespace weir::apps {

#ifdef WEIR_DPDK
namespace {

/// What is at the ports of one switch.
struct Place {
  std::vector<PacketPort*> ports;
  std::vector<MacAddress> macs;
  std::vector<std::optional<std::size_t>> devices;  ///< of DpdkPorts; none: another switch of the process
  PacketPool* packets = nullptr;
};

DpdkOptions options_of(const std::vector<RealSwitch>& switches) {
  DpdkOptions options;
  for (std::size_t i = 0; i < switches.size(); ++i) {
    for (const RealPort& port : switches[i].ports) {
      if (port.device.empty()) continue;
      options.devices.push_back(port.device);
      options.pool_of_device.push_back(i);
    }
  }
  const RealSwitch& any = switches.front();
  options.longest_frames.assign(options.devices.size(), longest_frame(any.settings));
  options.pools = switches.size();
  options.packets = any.packets;
  options.control_packets = kControlPackets;
  options.packet_bytes = any.packet_bytes;
  return options;
}

/// A port without a device has a local address of its own.
MacAddress mac_of(SwitchId node, std::size_t port) {
  constexpr unsigned kByte = 8;
  return {{0x02, 0x00, 0x0b, static_cast<std::uint8_t>(node.value >> kByte), static_cast<std::uint8_t>(node.value),
           static_cast<std::uint8_t>(port)}};
}

/// The devices of a process, and the cables between its switches.
class Places {
 public:
  explicit Places(const std::vector<RealSwitch>& switches) : devices_(options_of(switches)), places_(switches.size()) {
    const Topology& topology = switches.front().settings.network.topology;
    std::size_t device = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
      Place& place = places_[i];
      place.packets = &devices_.packets(i);
      for (std::size_t port = 0; port < switches[i].ports.size(); ++port) {
        if (!switches[i].ports[port].device.empty()) {
          place.ports.push_back(&devices_.port(device));
          place.macs.push_back(devices_.mac(device));
          place.devices.emplace_back(device++);
          continue;
        }
        place.ports.push_back(&cable_at(topology, topology.node_of(switches[i].id), port));
        place.macs.push_back(mac_of(switches[i].id, port));
        place.devices.emplace_back();
      }
    }
  }
  ~Places() {
    for (const Cable& cable : cables_) cable.packets->clear(devices_.packets());
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  [[nodiscard]] Place& at(std::size_t number) { return places_[number]; }
  [[nodiscard]] DpdkPorts& devices() { return devices_; }

 private:
  struct Cable {
    LinkId link;
    std::unique_ptr<PacketCable> packets;
  };
  /// The end of a link's cable. The first end that asks gets the first.
  PacketPort& cable_at(const Topology& topology, NodeId node, std::size_t port) {
    const LinkId link = topology.ports(node)[port].link;
    for (const Cable& cable : cables_) {
      if (cable.link == link) return cable.packets->end(1);
    }
    cables_.push_back({link, std::make_unique<PacketCable>()});
    return cables_.back().packets->end(0);
  }

  DpdkPorts devices_;
  std::vector<Cable> cables_;
  std::vector<Place> places_;
};

/// What trials have found before the start.
struct Trial {
  Duration gap;             ///< the longest between two polls of a switch
  Duration pause_response;  ///< what such gaps add to it
};

/// The longest gap of a switch like the configured one, which its thread polls alone.
Duration gap_of(const RealSwitch& real, Place& place) {
  RealNodes nodes(real);
  PacketSwitch node(nodes.node(), nodes.fabric().frames(), *place.packets, nodes.neighbours(),
                    std::vector<PortAddresses>(place.ports.size()));
  for (std::size_t i = 0; i < place.ports.size(); ++i) node.set_rules(PortId(i), nodes.rules()[i]);
  const std::array<bool, kPriorities> lossless = real.settings.switches_of(real.id).lossless;
  const auto first = std::find(lossless.begin(), lossless.end(), true);
  const auto priority = static_cast<Priority>(first == lossless.end() ? 0 : first - lossless.begin());
  const TscClock clock;
  return longest_gap(node, place.ports, *place.packets,
                     shortest_frames(real.settings.network.topology.hosts(), priority), real.calibration,
                     [&clock] { return clock.now(); });
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

/// Everything between the ports of one switch and the switch.
class SwitchRun {
 public:
  SwitchRun(const RealSwitch& real, const Trial& trial, Place& place)
      : place_(place),
        trial_(trial),
        real_(with_response(real, trial)),
        nodes_(nodes_of(real_, trial_)),
        node_(nodes_.node(), nodes_.fabric().frames(), *place.packets, nodes_.neighbours(), addresses()),
        loop_(node_, *place.packets, ports(), real.settings.network.framing.wire_overhead, [this] { reroute(); }) {
    for (std::size_t i = 0; i < place.ports.size(); ++i) node_.set_rules(PortId(i), nodes_.rules()[i]);
  }

  /// `samples`: the file for them; empty: none. `recorded`: record() will be called.
  void begin(const std::string& samples, bool recorded) {
    started_ = steady_seconds();
    samples_path_ = samples;
    if (recorded) recorder_.emplace(nodes_.node(), nodes_.peers());
    if (!samples.empty()) samples_.emplace(samples, nodes_.node());
  }
  void poll(Time now) {
    loop_.poll(now);
    if (samples_) samples_->take(now);
    if (recorder_) recorder_->take(now);
  }

  [[nodiscard]] const RealNodes& nodes() const { return nodes_; }
  SwitchReport report(Time now, DpdkPorts& devices) {
    SwitchReport out;
    out.name = nodes_.name();
    out.started = started_;
    out.seconds = now.seconds();
    for (std::size_t i = 0; i < place_.ports.size(); ++i) {
      DeviceCounters device;
      if (place_.devices[i]) device = devices.counters(*place_.devices[i]);
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
    if (samples_ && !samples_->finish()) out.not_written = samples_path_;
    return out;
  }
  [[nodiscard]] RunRecord record(const SwitchReport& report, const RealRunName& name) {
    RunRecord out = record_of(report, nodes_.fabric().topology(), nodes_.node(), name);
    recorder_->finish(out.simulated, out);
    return out;
  }

 private:
  std::vector<PortAddresses> addresses() {
    std::vector<PortAddresses> out;
    for (std::size_t i = 0; i < place_.macs.size(); ++i) out.push_back({place_.macs[i], real_.ports[i].next_hop});
    return out;
  }
  std::vector<LoopPort> ports() {
    std::vector<LoopPort> out = nodes_.links();
    for (std::size_t i = 0; i < out.size(); ++i) out[i].device = place_.ports[i];
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

  Place& place_;
  Trial trial_;
  RealSwitch real_;
  RealNodes nodes_;
  PacketSwitch node_;
  PortLoop loop_;
  double started_ = 0;
  std::string samples_path_;
  std::optional<SwitchSamples> samples_;
  std::optional<SwitchRecorder> recorder_;
};

/// The file of samples of one of several switches: "out.csv" becomes "out-tor0.csv".
std::string samples_of(const std::string& path, const std::string& name, std::size_t switches) {
  if (path.empty() || switches == 1) return path;
  const std::filesystem::path whole(path);
  return (whole.parent_path() / fmt::format("{}-{}{}", whole.stem().string(), name, whole.extension().string()))
      .string();
}

/// All switches of a process: each has a thread and a core of its own if there are enough cores. Otherwise there are as
/// many threads as cores, and a thread polls its switches in turn.
class ProcessRun {
 public:
  explicit ProcessRun(const std::vector<RealSwitch>& switches)
      : switches_(switches), cores_(allowed_cores()), places_(switches), trial_(trial()) {
    for (std::size_t i = 0; i < switches.size(); ++i) {
      runs_.push_back(std::make_unique<SwitchRun>(switches[i], trial_, places_.at(i)));
    }
  }

  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] SwitchRun& at(std::size_t number) { return *runs_[number]; }
  /// Runs until interrupted or for the command's duration.
  std::vector<SwitchReport> run(const SwitchCommand& command) {
    constexpr double kPicoseconds = 1e12;
    const Time end = command.duration ? Time::picoseconds(static_cast<std::int64_t>(*command.duration * kPicoseconds))
                                      : Time::never();
    for (const auto& run : runs_) {
      run->begin(samples_of(command.samples, run->nodes().name(), size()), !command.out.empty());
    }
    const TscClock clock;
    in_threads([&](std::size_t thread) {
      Time now = clock.now();
      while (!interrupted() && !stopped_.load(std::memory_order_relaxed) && now < end) {
        for (std::size_t i = thread; i < size(); i += threads()) {
          runs_[i]->poll(now);
          now = clock.now();
        }
      }
    });
    const Time now = clock.now();
    std::vector<SwitchReport> out;
    for (const auto& run : runs_) out.push_back(run->report(now, places_.devices()));
    return out;
  }

 private:
  [[nodiscard]] std::size_t threads() const { return std::min(switches_.size(), cores_.size()); }
  void in_threads(const std::function<void(std::size_t)>& work) {
    run_on_cores(
        threads(), cores_,
        [&](std::size_t thread) {
          const DpdkThread known;
          work(thread);
        },
        [this] { stopped_ = true; });
  }
  /// All threads measure at the same time. A thread that polls several switches may be as late as all of them together,
  /// and neighbours are assumed to be as late as the latest.
  Trial trial() {
    const RealSwitch& any = switches_.front();
    if (any.calibration == Duration()) return {};
    std::vector<Duration> gaps(threads());
    in_threads([&](std::size_t thread) {
      for (std::size_t i = thread; i < switches_.size(); i += threads()) {
        gaps[thread] += gap_of(switches_[i], places_.at(i));
      }
    });
    const Duration gap = *std::max_element(gaps.begin(), gaps.end());
    return {gap, pause_response({.period = gap, .transmit_depth = ModelledWire::kAhead}, any.settings)};
  }

  const std::vector<RealSwitch>& switches_;
  std::vector<int> cores_;  // before DPDK starts, which takes one of them for this thread
  std::atomic<bool> stopped_ = false;
  Places places_;
  Trial trial_;
  std::vector<std::unique_ptr<SwitchRun>> runs_;
};

}  // namespace

int run_real_switches(const std::vector<RealSwitch>& switches, const SwitchCommand& command) {
  catch_interrupts();
  try {
    std::optional<RealResults> results;
    if (!command.out.empty()) results.emplace(command.out);
    ProcessRun run(switches);
    for (std::size_t i = 0; i < run.size(); ++i) {
      print_diagnostic(fmt::format("switch {} forwards between {} ports; stop it with Ctrl-C", run.at(i).nodes().name(),
                                   run.at(i).nodes().ports()));
    }
    const std::vector<SwitchReport> reports = run.run(command);
    bool good = true;
    if (command.json) {
      good = print(reports.size() == 1 ? json_of(reports.front()) : json_of(reports));
    } else {
      for (const SwitchReport& report : reports) good = print(text_of(report)) && good;
    }
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const SwitchReport& report = reports[i];
      if (results) results->add(run.at(i).record(report, run_name(switches[i].settings, command.config)));
      if (!report.failure.empty()) {
        print_diagnostic(fmt::format("broken invariant of {}: {}", report.name, report.failure));
      }
      if (!report.not_written.empty()) {
        print_diagnostic(fmt::format("weir switch: cannot write all samples to {}", report.not_written));
      }
      good = good && report.failure.empty() && report.not_written.empty();
    }
    return good ? kDone : kFailed;
  } catch (const std::runtime_error& error) {
    print_diagnostic(fmt::format("weir switch: {}", error.what()));
    return kFailed;
  }
}
#else
int run_real_switches(const std::vector<RealSwitch>& /*switches*/, const SwitchCommand& /*command*/) {
  print_diagnostic("weir switch: this build has no DPDK; install libdpdk-dev (22.11 or later) and build Weir again");
  return kFailed;
}
#endif

}  // namespace weir::apps
