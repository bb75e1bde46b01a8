// SPDX-License-Identifier: Apache-2.0
// Common parts of tests of whole networks: settings by name, observers, and conditions for a network at rest.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/settings.h"
#include "poll/poll_network.h"
#include "sim/simulation.h"
#include "switch/observer.h"
#include "traffic/flow_list.h"

namespace weir::whole {

using namespace literals;

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

/// A registered scheme with these parameters, the others at their defaults. Throws std::invalid_argument for an unknown
/// name or value.
inline PolicyChoice choose(std::string_view name, const Values& values = {}) {
  const Scheme* scheme = find_scheme(name);
  if (scheme == nullptr) throw std::invalid_argument(std::string(name));
  PolicyChoice choice{scheme, Parameters(scheme->parameters)};
  for (const auto& [key, value] : values) {
    if (!choice.parameters.set(key, value)) throw std::invalid_argument(std::string(key));
  }
  return choice;
}

inline Time at(Duration after_start) {
  return Time() + after_start;
}

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

/// A PFC network of this topology: priority 3 lossless with computed headroom, 12 MB of buffer, ECMP, line rate,
/// go-back-N. It runs for `length`, whatever completes.
inline Settings lossless_network(Topology topology, Duration length) {
  Settings settings;
  settings.network.topology = std::move(topology);
  settings.switches.lossless[3] = true;
  settings.switches.forwarding = choose("ecmp");
  settings.switches.buffer_policy = choose("dynamic_threshold");
  settings.switches.flow_control = {choose("pfc")};
  settings.hosts.congestion_control = choose("line_rate");
  settings.hosts.loss_recovery = choose("go_back_n");
  settings.run.stop = at(length);
  settings.run.drain = false;
  settings.run.frame_capacity = std::size_t{1} << 18;
  settings.measurement.sample_interval = 100_us;
  return settings;
}

/// `hosts` hosts on one switch with equal links.
inline Topology star(std::size_t hosts, const LinkSpec& link) {
  Topology topology;
  const NodeId middle = topology.add_switch("s0", 1, 0, 0);
  for (std::size_t i = 0; i < hosts; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, 0), middle, link);
  }
  return topology;
}

/// Host 0, a switch after each link except the last, host 1.
inline Topology chain(const std::vector<LinkSpec>& links) {
  Topology topology;
  NodeId from = topology.add_host("h0", 0, 0);
  for (std::size_t i = 0; i + 1 < links.size(); ++i) {
    const NodeId next = topology.add_switch("s" + std::to_string(i), 1, 0, static_cast<int>(i));
    topology.connect(from, next, links[i]);
    from = next;
  }
  topology.connect(from, topology.add_host("h1", 0, static_cast<int>(links.size())), links.back());
  return topology;
}

/// Observes switches instead of Measurement and counts losses of a lossless priority for lack of buffer.
class LosslessDrops final : public SwitchObserver {
 public:
  explicit LosslessDrops(Fabric& fabric) : fabric_(fabric) { watch(this); }
  ~LosslessDrops() override { watch(nullptr); }

  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason) override {
    if (reason == DropReason::buffer_full && context.buffer().lossless[frame.ingress_priority]) ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  void watch(SwitchObserver* observer) {
    for (std::size_t i = 0; i < fabric_.switches(); ++i) fabric_.switch_by(SwitchId(i)).observe(observer);
  }
  Fabric& fabric_;
  std::uint64_t count_ = 0;
};

/// Runs it in windows of one instant, as with a tap, instead of one link delay: in global time order.
inline RunRecord run_by_instants(const Settings& settings) {
  class NoLinks final : public WireTap {
    void on_wire(std::size_t, Time, const FramePool&, const Frame&) override {}
  };
  Simulation simulation(settings);
  NoLinks nothing;
  simulation.tap({}, nothing);
  return simulation.run();
}

/// Runs the timers of all nodes until `until`: a driver stops when flows are over, not when pauses are.
inline void advance_all(Fabric& fabric, Time until) {
  const auto advance = [until](auto& node) {
    while (node.next_deadline() <= until) node.advance(until);
  };
  for (std::size_t i = 0; i < fabric.switches(); ++i) advance(fabric.switch_by(SwitchId(i)));
  for (std::size_t i = 0; i < fabric.hosts(); ++i) advance(fabric.nic(HostId(i)));
}

/// The state that a network with no open flow has not released; empty if it is at rest.
inline std::string left_behind(Fabric& fabric) {
  const auto text = [](const char* what, std::size_t node, std::size_t port, int priority) {
    return std::string(what) + " at node " + std::to_string(node) + " port " + std::to_string(port) + " priority " +
           std::to_string(priority) + "; ";
  };
  std::string found;
  if (fabric.frames().in_use() != 0) found += std::to_string(fabric.frames().in_use()) + " frames are in use; ";
  for (std::size_t node = 0; node < fabric.nodes(); ++node) {
    if (const Nic* nic = fabric.nic_at(NodeId(node)); nic != nullptr) {
      for (Priority priority = 0; priority < kPriorities; ++priority) {
        if (!nic->priority_gate_open(priority)) found += text("a gate is closed", node, 0, priority);
      }
      continue;
    }
    const Switch& at = *fabric.switch_at(NodeId(node));
    if (at.buffer().used != 0) found += text("the buffer is not empty", node, 0, 0);
    for (std::size_t port = 0; port < at.ports(); ++port) {
      if (at.port(PortId(port)).uncharged_bytes != 0) found += text("an egress holds bytes", node, port, 0);
      for (Priority priority = 0; priority < kPriorities; ++priority) {
        const IngressState& ingress = at.ingress(PortId(port), priority);
        if (ingress.paused) found += text("a pause is in force", node, port, priority);
        if (ingress.used != 0 || ingress.headroom != 0) found += text("an ingress holds bytes", node, port, priority);
        if (!at.priority_gate_open(PortId(port), priority)) found += text("a gate is closed", node, port, priority);
      }
    }
    for (std::size_t queue = 0; queue < at.queues(); ++queue) {
      if (at.queue(QueueId(queue)).closed_by != 0) found += text("a queue is closed", node, queue, 0);
    }
  }
  return found;
}

}  // namespace weir::whole
