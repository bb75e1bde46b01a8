// SPDX-License-Identifier: Apache-2.0
// A node repeats what it did under either driver, call by call and frame by frame, when its recorded boundary is
// replayed in bursts on a node built like it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "shape_lab.h"

namespace weir::shape::replay_test {
namespace {

using namespace literals;
using testing::HasSubstr;
using testing::IsEmpty;

/// Two racks of four hosts and two spines at 100 Gbit/s; three hosts of each rack send to host 0, and host 4 to host 3.
Settings crossing() {
  LeafSpineSettings network;
  network.tors = 2;
  network.hosts_per_tor = 4;
  network.spines = 2;
  network.host_link = {100_Gbps, 1_us};
  network.fabric_link = {100_Gbps, 1_us};
  Settings settings = bare(built(build_leaf_spine(network)));
  std::vector<FlowSpec> flows;
  for (const std::size_t host : {1, 2, 3, 5, 6, 7}) flows.push_back(flow(host, 0, 150_KB));
  flows.push_back(flow(4, 3, 400_KB, at(5_us)));
  offer(settings, flows);
  return settings;
}

/// A lossless network with marks, notifications, pauses, and a window that follows the rate.
Settings lossless() {
  Settings settings = crossing();
  settings.switches.buffer = 3_MB;
  settings.switches.flow_control = {choose("pfc")};
  settings.switches.congestion_point = {choose("red")};
  settings.hosts.congestion_control = choose("dcqcn");
  settings.hosts.window.kind = WindowSettings::Kind::variable;
  settings.hosts.acknowledge_every = 4;
  return settings;
}

/// A lossy network in which each frame takes a random path, frames are damaged and timers retransmit.
Settings lossy() {
  Settings settings = crossing();
  settings.switches.lossless.fill(false);
  settings.switches.forwarding = choose("spray");
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.buffer_policy.parameters.set("egress_limit", Bytes(150'000));
  settings.hosts.loss_recovery.parameters.set("timeout", 200_us);
  settings.hosts.window.kind = WindowSettings::Kind::fixed;
  Topology topology;
  const Topology& perfect = settings.network.topology;
  for (const Node& node : perfect.nodes()) {
    if (node.is_host()) {
      topology.add_host(node.name, node.pod, node.rack);
    } else {
      topology.add_switch(node.name, node.tier, node.pod, node.rack);
    }
  }
  for (const Link& link : perfect.links()) topology.connect(link.a, link.b, {link.rate, link.delay, 1e-3});
  settings.network.topology = std::move(topology);
  return settings;
}

/// One in which links fail and recover, one of them a host's.
Settings failing() {
  Settings settings = lossless();
  const Topology& topology = settings.network.topology;
  const NodeId tor = topology.node_of(SwitchId(1));
  const LinkId uplink = topology.ports(tor).back().link;
  const LinkId downlink = topology.ports(topology.node_of(HostId(6))).front().link;
  settings.network.failures = {{uplink, at(20_us), at(300_us)}, {downlink, at(40_us), at(90_us)}};
  settings.network.failure_detection = 30_us;
  settings.hosts.loss_recovery.parameters.set("timeout", 200_us);
  return settings;
}

class ReplayOf : public BothDrivers {
 protected:
  static void expect_the_same(Settings (*make_settings)(), Driver driver) {
    const Settings settings = make_settings();
    Lab lab(settings, driver);
    for (std::size_t i = 0; i < settings.network.topology.switches(); ++i) lab.record(SwitchId(i));
    for (std::size_t i = 0; i < settings.network.topology.hosts(); ++i) lab.record(HostId(i));
    const Outcome outcome = lab.run();
    EXPECT_EQ(outcome.failure, "");
    EXPECT_EQ(outcome.flows.size(), 7u);
    EXPECT_THAT(lab.replay_differences(), IsEmpty());
  }
};
WEIR_BOTH_DRIVERS(ReplayOf);

TEST_P(ReplayOf, ALosslessNetwork) {
  expect_the_same(lossless, GetParam());
}

TEST_P(ReplayOf, ALossyNetwork) {
  expect_the_same(lossy, GetParam());
}

TEST_P(ReplayOf, ANetworkWhoseLinksFail) {
  expect_the_same(failing, GetParam());
}

/// The trace of switch 0 under a driver.
BoundaryTrace<Switch> trace_of(const Settings& settings, Driver driver) {
  BoundaryTrace<Switch> trace;
  Lab lab(settings, driver);
  lab.fabric().switch_by(SwitchId(0)).record(&trace);
  EXPECT_EQ(lab.run().failure, "");
  return trace;
}

/// The configuration from which a driver builds its nodes.
Settings built_from(const Settings& settings, Driver driver) {
  return driver == Driver::poll_loop ? for_poll_loop(settings, PollOptions()) : settings;
}

Replay replay_on_switch_0(const BoundaryTrace<Switch>& trace, const Settings& settings, Driver driver) {
  Fabric fabric(built_from(settings, driver));
  return replay(trace, fabric.switch_by(SwitchId(0)), fabric.frames());
}

TEST_P(ReplayOf, ATraceRunsToItsEnd) {
  const BoundaryTrace<Switch> trace = trace_of(lossless(), GetParam());
  const Replay result = replay_on_switch_0(trace, lossless(), GetParam());
  EXPECT_EQ(result.difference, "");
  EXPECT_EQ(result.calls, trace.calls.size());
  EXPECT_GT(result.bursts, 100u);
  EXPECT_GT(result.largest_burst, GetParam() == Driver::poll_loop ? 2u : 0u);
}

TEST_P(ReplayOf, AnotherFrameIsNoticed) {
  using Kind = BoundaryTrace<Switch>::Kind;
  const Settings settings = lossless();
  BoundaryTrace<Switch> trace = trace_of(settings, GetParam());
  const auto call = std::find_if(trace.calls.begin(), trace.calls.end(), [](const auto& one) {
    return one.kind == Kind::receive && one.frame.header.kind == FrameKind::data;
  });
  ASSERT_NE(call, trace.calls.end());
  ++call->frame.header.sequence;
  EXPECT_THAT(replay_on_switch_0(trace, settings, GetParam()).difference, HasSubstr("another frame"));
}

TEST_P(ReplayOf, AMissingFrameIsNoticed) {
  using Kind = BoundaryTrace<Switch>::Kind;
  const Settings settings = lossless();
  BoundaryTrace<Switch> trace = trace_of(settings, GetParam());
  const auto call = std::find_if(trace.calls.begin(), trace.calls.end(), [](const auto& one) {
    return one.kind == Kind::receive && one.frame.header.kind == FrameKind::data;
  });
  ASSERT_NE(call, trace.calls.end());
  trace.calls.erase(call);
  EXPECT_NE(replay_on_switch_0(trace, settings, GetParam()).difference, "");
}

TEST_P(ReplayOf, AnotherSeedIsNoticed) {
  Settings settings = lossy();
  const BoundaryTrace<Switch> trace = trace_of(settings, GetParam());
  settings.run.seed = 2;
  EXPECT_NE(replay_on_switch_0(trace, settings, GetParam()).difference, "");
}

TEST_P(ReplayOf, AnotherThresholdIsNoticed) {
  Settings settings = lossy();
  const BoundaryTrace<Switch> trace = trace_of(settings, GetParam());
  settings.switches.buffer_policy.parameters.set("egress_limit", Bytes(140'000));
  EXPECT_NE(replay_on_switch_0(trace, settings, GetParam()).difference, "");
}

TEST_P(ReplayOf, ANicWithAnotherPayloadIsNoticed) {
  Settings settings = lossless();
  BoundaryTrace<Nic> trace;
  {
    Lab lab(settings, GetParam());
    lab.fabric().nic(HostId(4)).record(&trace);
    EXPECT_EQ(lab.run().failure, "");
  }
  {
    Fabric fabric(built_from(settings, GetParam()));
    EXPECT_EQ(replay(trace, fabric.nic(HostId(4)), fabric.frames()).difference, "");
  }
  settings.hosts.payload = 999;
  Fabric fabric(built_from(settings, GetParam()));
  EXPECT_NE(replay(trace, fabric.nic(HostId(4)), fabric.frames()).difference, "");
}

}  // namespace
}  // namespace weir::shape::replay_test
