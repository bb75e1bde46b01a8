// SPDX-License-Identifier: Apache-2.0
// A deadlock of pauses by queue is a failure that names the queues; tiers with exempt turns have none, and congestion
// is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/exempt_turns.h"
#include "whole_network.h"

namespace weir::whole::hop_deadlock_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

Settings with_bfc(Topology topology, const Values& values, Duration length) {
  Settings settings = lossless_network(std::move(topology), length);
  settings.run.drain = true;
  settings.switches.lossless = {};
  settings.switches.flow_control = {choose("bfc", values)};
  return settings;
}

/// Five switches of one tier in a ring, with a host at each: no elision breaks that cycle.
Topology ring() {
  Topology topology;
  std::vector<NodeId> hosts;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < 5; ++i) hosts.push_back(topology.add_host("h" + std::to_string(i), 0, 0));
  for (std::size_t i = 0; i < 5; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i < 5; ++i) {
    topology.connect(hosts[i], switches[i], kLink);
    topology.connect(switches[i], switches[(i + 1) % 5], kLink);
  }
  return topology;
}

/// Every host of the ring sends to the one two positions further on.
Settings ring_of_flows(const Values& values) {
  Settings settings = with_bfc(ring(), values, 20_ms);
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 5; ++i) flows.push_back(flow(i, (i + 2) % 5, 5_MB));
  offer(settings, flows);
  return settings;
}

TEST(HopDeadlock, IsFoundSoonAndNamesTheRing) {
  const RunRecord record = Simulation(ring_of_flows({{"queues", std::int64_t{1}}})).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 queues are blocked forever"));
  EXPECT_TRUE(record.deadlock);
  for (const char* queue : {"s0 -> s1 (queue 0)", "s1 -> s2 (queue 0)", "s4 -> s0 (queue 0)"}) {
    EXPECT_THAT(record.failure, HasSubstr(queue));
  }
  EXPECT_LT(record.simulated, at(3_ms));
}

TEST(HopDeadlock, OfPausedFlowsNamesThem) {
  const RunRecord record =
      Simulation(ring_of_flows({{"queues", std::int64_t{1}}, {"pause", std::string("flow")}})).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 queues are blocked forever"));
  EXPECT_THAT(record.failure, HasSubstr("s0 -> s1 (flow of host "));
  EXPECT_TRUE(record.deadlock);
  EXPECT_LT(record.simulated, at(3_ms));
}

/// A queue that several paused flows keep closed counts as one queue.
TEST(HopDeadlock, CountsAQueueOfSeveralPausedFlowsOnce) {
  Settings settings = ring_of_flows({{"queues", std::int64_t{1}}, {"pause", std::string("flow")}});
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 10; ++i) flows.push_back(flow(i % 5, (i + 2) % 5, 5_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 queues are blocked forever"));
}

/// Two switches of the ring run BFC above PFC, and the others PFC alone: neither kind of pause alone forms a cycle.
TEST(HopDeadlock, OfPausesOfBothKindsIsFound) {
  Settings settings = ring_of_flows({{"queues", std::int64_t{1}}, {"elide", std::string("none")}});
  settings.switches.buffer = 1_MB;
  settings.switches.buffer_policy = choose("dynamic_threshold", {{"alpha", 0.125}});
  settings.switches.lossless[3] = true;
  settings.switches.flow_control = {choose("pfc")};
  SwitchGroup group;
  group.name = "bfc";
  group.switches = {SwitchId(1), SwitchId(2)};
  group.flow_control = {choose("bfc", {{"queues", std::int64_t{1}}, {"elide", std::string("none")}}), choose("pfc")};
  settings.switch_groups = {group};
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: "));
  EXPECT_THAT(record.failure, HasSubstr("(priority 3)"));
  EXPECT_THAT(record.failure, HasSubstr("(queue 0)"));
  EXPECT_TRUE(record.deadlock);
}

/// One switch lies on both cycles of the ring, so its entries suffice; switches that do not request entries get none.
TEST(HopDeadlock, IsElidedByOneSwitchOfTheRing) {
  Settings settings = ring_of_flows({{"queues", std::int64_t{1}}, {"elide", std::string("none")}});
  SwitchGroup group;
  group.name = "elides";
  group.switches = {SwitchId(2)};
  group.flow_control = {choose("bfc", {{"queues", std::int64_t{1}}, {"elide", std::string("cycles")}})};
  settings.switch_groups = {group};
  const std::vector<Turn> entries = cycle_breaking_turns(settings);
  EXPECT_FALSE(entries.empty());
  for (const Turn& entry : entries) EXPECT_EQ(entry.node, SwitchId(2));
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty()) << "[BFC-E-2]";
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
}

/// No cycle contains a switch that sends no pauses, so no elision is needed; it has no entries either.
TEST(HopDeadlock, NeedsNoEntriesWhereASwitchPausesNobody) {
  Settings settings = ring_of_flows({{"queues", std::int64_t{1}}, {"elide", std::string("cycles")}});
  EXPECT_FALSE(cycle_breaking_turns(settings).empty());
  SwitchGroup group;
  group.name = "plain";
  group.switches = {SwitchId(0)};
  group.flow_control = std::vector<PolicyChoice>();
  settings.switch_groups = {group};
  EXPECT_TRUE(cycle_breaking_turns(settings).empty());
}

TEST(HopDeadlock, IsNoneWhereALongIncastPausesAllTheWay) {
  Settings settings = with_bfc(ring(), {{"queues", std::int64_t{1}}}, 20_ms);
  std::vector<FlowSpec> flows;
  for (std::size_t i : {1u, 2u, 3u}) flows.push_back(flow(i, 0, 20_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty());
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
}

/// Two tiers in which the two links of a pod have failed, so that frames go down and up again (spfc figure 17 a).
Settings pod(const Values& values) {
  Topology topology;
  std::vector<NodeId> tors;
  std::vector<NodeId> spines;
  for (std::size_t i = 0; i < 4; ++i)
    tors.push_back(topology.add_switch("tor" + std::to_string(i), 1, 0, static_cast<int>(i)));
  for (std::size_t i = 0; i < 2; ++i) spines.push_back(topology.add_switch("spine" + std::to_string(i), 2, 0));
  for (std::size_t i = 0; i < 16; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, static_cast<int>(i / 4)), tors[i / 4], kLink);
  }
  for (std::size_t tor = 0; tor < 4; ++tor) {
    for (std::size_t spine = 0; spine < 2; ++spine) topology.connect(tors[tor], spines[spine], kLink);
  }
  Settings settings = with_bfc(topology, values, 20_ms);
  for (const auto& [tor, spine] : {std::pair(0, 1), std::pair(3, 0)}) {
    const LinkId link =
        topology.links_between(tors[static_cast<std::size_t>(tor)], spines[static_cast<std::size_t>(spine)]).front();
    settings.network.failures.push_back({link, Time(), Time::never()});
  }
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 16; ++i) {
    for (const std::size_t other : {i + 4, i + 8, i + 12}) flows.push_back(flow(i, other % 16, 500_KB));
  }
  offer(settings, flows);
  return settings;
}

TEST(HopDeadlock, IsFoundInAPodThatTakesDetoursWithoutElisions) {
  const RunRecord record = Simulation(pod({{"queues", std::int64_t{1}}, {"elide", std::string("none")}})).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: "));
  EXPECT_THAT(record.failure, HasSubstr("(queue 0) waits for "));
  ASSERT_EQ(record.findings.size(), 1U);
  const RunFinding& found = record.findings.front();
  EXPECT_EQ(found.kind, FindingKind::deadlock);
  for (std::size_t i = 0; i < found.ports.size(); ++i) {
    const FoundPort& next = found.ports[(i + 1) % found.ports.size()];
    EXPECT_EQ(found.ports[i].what, "queue 0");
    EXPECT_EQ(record.links[found.ports[i].link].to, record.links[next.link].from);
  }
}

TEST(HopDeadlock, IsElidedInAPodThatTakesDetours) {
  for (const char* pause : {"queue", "flow"}) {
    const RunRecord record = Simulation(pod({{"queues", std::int64_t{1}}, {"pause", std::string(pause)}})).run();
    EXPECT_THAT(record.failure, IsEmpty()) << "[BFC-E-1]";
    for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed()) << pause;
  }
}

}  // namespace
}  // namespace weir::whole::hop_deadlock_test
