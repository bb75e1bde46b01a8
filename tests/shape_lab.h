// SPDX-License-Identifier: Apache-2.0
// Runs a small network of test-local schemes under both drivers, and replays its recorded nodes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/settings.h"
#include "net/builders.h"
#include "policy/boundary_trace.h"
#include "poll/poll_network.h"
#include "poll/replay.h"
#include "sim/simulation.h"
#include "traffic/flow_list.h"

namespace weir {
inline void PrintTo(Duration duration, std::ostream* out) {
  *out << duration.microseconds() << " us";
}
}  // namespace weir

namespace weir::shape {

// ---- schemes of a test ----

/// The objects of a fake that a scheme has created and that still exist, in the order of their nodes.
template <class Fake>
struct Made {
  static std::vector<Fake*>& all() {
    static std::vector<Fake*> made;
    return made;
  }
  static Fake& at(std::size_t node) { return *all().at(node); }
};

/// A fake, which must not be final, that is registered in the list of its kind.
template <class Fake>
class Listed final : public Fake {
 public:
  template <class... Arguments>
  explicit Listed(const Arguments&... arguments) : Fake(arguments...) {
    Made<Fake>::all().push_back(this);
  }
  ~Listed() override { std::erase(Made<Fake>::all(), this); }
};

/// A factory for Scheme. Fakes that accept Parameters receive them.
template <class Role, class Fake>
std::unique_ptr<Role> make(const Parameters& parameters) {
  if constexpr (std::is_constructible_v<Fake, const Parameters&>) {
    return std::make_unique<Listed<Fake>>(parameters);
  } else {
    return std::make_unique<Listed<Fake>>();
  }
}

/// A scheme with its default parameters.
inline PolicyChoice choose(const Scheme& scheme) {
  return {&scheme, Parameters(scheme.parameters)};
}
/// A scheme of the registry.
inline PolicyChoice choose(std::string_view name) {
  const Scheme* scheme = find_scheme(name);
  if (scheme == nullptr) throw std::invalid_argument(std::string(name));
  return choose(*scheme);
}

// ---- settings ----

inline Time at(Duration after_start) {
  return Time() + after_start;
}

/// A flow of the lossless priority 3.
inline FlowSpec flow(std::size_t source, std::size_t destination, Bytes size, Time start = Time()) {
  FlowSpec spec;
  spec.source = HostId(source);
  spec.destination = HostId(destination);
  spec.size = size;
  spec.start = start;
  return spec;
}

inline void offer(Settings& settings, std::vector<FlowSpec> flows) {
  settings.traffic = [flows = std::move(flows)](std::uint64_t) {
    std::vector<std::unique_ptr<TrafficSource>> sources;
    sources.push_back(std::make_unique<FlowListSource>(flows));
    return sources;
  };
}

/// Priority 3 lossless, 12 MB of buffer, ECMP, a dynamic threshold, go-back-N, no congestion control, no flow control.
/// Gives up after 50 ms.
inline Settings bare(Topology topology) {
  Settings settings;
  settings.network.topology = std::move(topology);
  settings.switches.lossless[3] = true;
  settings.switches.forwarding = choose("ecmp");
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.hosts.congestion_control = choose("line_rate");
  settings.hosts.loss_recovery = choose("go_back_n");
  settings.run.stop = Time::picoseconds(50'000'000'000);
  settings.run.drain_limit = Duration();
  settings.run.frame_capacity = std::size_t{1} << 17;
  return settings;
}

inline Topology built(BuiltTopology topology) {
  if (!topology.errors.empty()) throw std::invalid_argument(topology.errors.front());
  return std::move(topology.topology);
}

/// This transport in place of congestion control and loss recovery, with its switches if it has any. All priorities are
/// lossy.
inline void use_transport(Settings& settings, const Scheme& scheme) {
  settings.switches.lossless = {};
  settings.switches.flow_control.clear();
  if (scheme.flow_control != nullptr) settings.switches.flow_control.push_back(choose(scheme));
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("egress_limit", Bytes(10'000'000));
  settings.hosts.transport = choose(scheme);
  settings.hosts.congestion_control = {};
  settings.hosts.loss_recovery = {};
}

// ---- runs ----

enum class Driver : std::uint8_t { event_loop, poll_loop };

/// The results of any run, whatever its driver.
struct Outcome {
  std::vector<FlowRecord> flows;  ///< completed ones, by number
  std::uint64_t started = 0;
  std::string failure;
  std::uint64_t drops = 0;           ///< of any kind
  std::uint64_t lossless_drops = 0;  ///< for lack of buffer
  std::uint64_t retransmitted = 0;   ///< frames
  std::uint64_t out_of_order = 0;    ///< frames

  /// The sender completion of a flow; Duration::max() if it did not complete.
  [[nodiscard]] Duration completion(std::size_t number) const {
    const auto found =
        std::find_if(flows.begin(), flows.end(), [&](const FlowRecord& record) { return record.id == FlowId(number); });
    return found == flows.end() ? Duration::max() : found->sender_completion;
  }
};

/// A network under one of the drivers.
class Lab {
 public:
  Lab(Settings settings, Driver driver) : settings_(std::move(settings)) {
    if (driver == Driver::event_loop) {
      simulation_ = std::make_unique<Simulation>(settings_);
    } else {
      PollOptions options;
      options.limit = settings_.run.stop;
      poll_ = std::make_unique<PollNetwork>(settings_, options);
      settings_ = for_poll_loop(std::move(settings_), options);
    }
  }

  Fabric& fabric() { return simulation_ ? simulation_->fabric() : poll_->fabric(); }

  /// Records the calls to a switch or NIC; call before run().
  void record(SwitchId id) { fabric().switch_by(id).record(&switch_traces_[id]); }
  void record(HostId host) { fabric().nic(host).record(&nic_traces_[host]); }

  Outcome run() {
    Outcome outcome;
    if (simulation_) {
      RunRecord record = simulation_->run();
      outcome.started = record.flows.size();
      for (FlowRecord& flow : record.flows) {
        if (flow.completed()) outcome.flows.push_back(flow);
      }
      outcome.failure = record.failure;
    } else {
      PollReport report = poll_->run();
      outcome.started = report.flows_started;
      outcome.flows = std::move(report.flows);
      outcome.failure = report.failure;
    }
    std::sort(outcome.flows.begin(), outcome.flows.end(),
              [](const FlowRecord& a, const FlowRecord& b) { return a.id < b.id; });
    for (std::size_t i = 0; i < fabric().switches(); ++i) {
      const Switch& node = fabric().switch_by(SwitchId(i));
      for (int reason = 0; reason < kDropReasons; ++reason) {
        outcome.drops += node.drops(static_cast<DropReason>(reason));
      }
      outcome.lossless_drops += node.drops(DropReason::buffer_full);
    }
    for (std::size_t i = 0; i < fabric().hosts(); ++i) {
      outcome.retransmitted += fabric().nic(HostId(i)).retransmitted();
      outcome.out_of_order += fabric().nic(HostId(i)).out_of_order();
    }
    return outcome;
  }

  /// Builds equal nodes again and replays the recording to them. One line for each that behaved differently.
  std::vector<std::string> replay_differences() const {
    std::vector<std::string> differences;
    Fabric fresh(settings_);
    const auto note = [&](const std::string& name, const Replay& result, std::size_t recorded) {
      if (!result.difference.empty()) differences.push_back(name + ": " + result.difference);
      if (recorded < 100) differences.push_back(name + ": only " + std::to_string(recorded) + " calls were recorded");
    };
    for (const auto& [id, trace] : switch_traces_) {
      const Replay result = replay(trace, fresh.switch_by(id), fresh.frames());
      note("switch " + std::to_string(id.value), result, trace.calls.size());
    }
    for (const auto& [host, trace] : nic_traces_) {
      const Replay result = replay(trace, fresh.nic(host), fresh.frames());
      note("host " + std::to_string(host.value), result, trace.calls.size());
    }
    return differences;
  }

  /// Priorities of egress ports and queues of switches that a gate still blocks.
  std::size_t closed_gates() {
    std::size_t closed = 0;
    for (std::size_t i = 0; i < fabric().switches(); ++i) {
      const Switch& node = fabric().switch_by(SwitchId(i));
      for (std::size_t queue = 0; queue < node.queues(); ++queue) {
        closed += node.queue(QueueId(queue)).closed_by != 0 ? 1 : 0;
      }
      for (std::size_t port = 0; port < node.ports(); ++port) {
        for (Priority priority = 0; priority < kPriorities; ++priority) {
          closed += node.priority_gate_open(PortId(port), priority) ? 0 : 1;
        }
      }
    }
    return closed;
  }

 private:
  Settings settings_;
  std::unique_ptr<Simulation> simulation_;
  std::unique_ptr<PollNetwork> poll_;
  std::map<SwitchId, BoundaryTrace<Switch>> switch_traces_;
  std::map<HostId, BoundaryTrace<Nic>> nic_traces_;
};

/// Every flow completed, nothing was lost, sent twice or out of order, and no invariant was violated.
inline void expect_clean(const Outcome& outcome, std::size_t flows) {
  EXPECT_EQ(outcome.failure, "");
  EXPECT_EQ(outcome.started, flows);
  EXPECT_EQ(outcome.flows.size(), flows);
  EXPECT_EQ(outcome.drops, 0u);
  EXPECT_EQ(outcome.retransmitted, 0u);
  EXPECT_EQ(outcome.out_of_order, 0u);
}

// ---- tests under both drivers ----

class BothDrivers : public testing::TestWithParam<Driver> {};

inline std::string name_of(const testing::TestParamInfo<Driver>& info) {
  return info.param == Driver::event_loop ? "EventLoop" : "PollLoop";
}

/// Once per file, with a fixture of its own derived from BothDrivers.
#define WEIR_BOTH_DRIVERS(fixture) \
  INSTANTIATE_TEST_SUITE_P(Drivers, fixture, testing::Values(Driver::event_loop, Driver::poll_loop), name_of)

}  // namespace weir::shape
