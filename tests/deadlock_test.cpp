// SPDX-License-Identifier: Apache-2.0
// A deadlock of pauses is a failure that names the ports and is found soon; congestion of any duration is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/deadlock.h"
#include "whole_network.h"

namespace weir::whole::deadlock_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

/// `size` switches in a ring, with a host at each.
Topology ring(std::size_t size, const LinkSpec& link) {
  Topology topology;
  std::vector<NodeId> hosts;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < size; ++i) hosts.push_back(topology.add_host("h" + std::to_string(i), 0, 0));
  for (std::size_t i = 0; i < size; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i < size; ++i) {
    topology.connect(hosts[i], switches[i], link);
    topology.connect(switches[i], switches[(i + 1) % size], link);
  }
  return topology;
}

/// Each host sends to the second after it, so every link of the ring carries two flows.
Settings around_the_ring(bool binary, const LinkSpec& link = kLink) {
  Settings settings = lossless_network(ring(5, link), 20_ms);
  settings.run.drain = true;
  settings.switches.buffer = 500_KB;
  settings.switches.flow_control = {choose("pfc", {{"binary", binary}})};
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 5; ++i) flows.push_back(flow(i, (i + 2) % 5, 5_MB));
  offer(settings, flows);
  return settings;
}

class Deadlock : public testing::TestWithParam<bool> {};

TEST_P(Deadlock, IsFoundSoonAndNamesTheRing) {
  const RunRecord record = Simulation(around_the_ring(GetParam())).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 ports are blocked forever"));
  EXPECT_TRUE(record.deadlock);
  for (const char* port : {"s0 -> s1", "s1 -> s2", "s2 -> s3", "s3 -> s4", "s4 -> s0"}) {
    EXPECT_THAT(record.failure, HasSubstr(port));
  }
  EXPECT_LT(record.simulated, at(2_ms));
  ASSERT_THAT(record.findings, SizeIs(1));
  const RunFinding& found = record.findings.front();
  EXPECT_EQ(found.kind, FindingKind::deadlock);
  EXPECT_EQ(found.text, "5 ports are blocked forever");
  ASSERT_THAT(found.ports, SizeIs(5));
  for (std::size_t i = 0; i < found.ports.size(); ++i) {
    EXPECT_EQ(found.ports[i].what, "priority 3");
    // Each waits for the one at the other end of its link.
    EXPECT_EQ(record.links[found.ports[i].link].to, record.links[found.ports[(i + 1) % 5].link].from);
  }
}

TEST_P(Deadlock, IsFoundAsSoonHoweverOftenTheRunIsSampled) {
  Settings settings = around_the_ring(GetParam());
  const RunRecord record = Simulation(settings).run();
  for (const Duration interval : {3_us, 70_us, 5_ms, 1000_ms}) {
    settings.measurement.sample_interval = interval;
    const RunRecord coarse = Simulation(settings).run();
    EXPECT_EQ(coarse.digest, record.digest) << interval.picoseconds();
    EXPECT_EQ(coarse.simulated, record.simulated);
    EXPECT_TRUE(coarse.deadlock);
  }
}

/// A run that ends between two checks is checked 10 us before its end and at its end.
TEST_P(Deadlock, IsFoundAtTheEndOfAShortRun) {
  Settings settings = around_the_ring(GetParam());
  settings.run.drain = false;
  for (const Duration stop : {45_us, 49_us}) {
    settings.run.stop = Time() + stop;
    const RunRecord record = Simulation(settings).run();
    EXPECT_TRUE(record.deadlock) << stop.picoseconds();
    EXPECT_LE(record.simulated, settings.run.stop);
  }
  settings.run.stop = at(15_us);
  EXPECT_FALSE(Simulation(settings).run().deadlock);
  // All flows start at once, so without a stop time the end is known then.
  settings.run.stop = Time::never();
  settings.run.drain = true;
  settings.run.drain_limit = 45_us;
  EXPECT_TRUE(Simulation(settings).run().deadlock);
}

TEST_P(Deadlock, IsNoneWhereALongIncastPausesAllTheWay) {
  Settings settings = around_the_ring(GetParam());
  settings.switches.buffer = 2_MB;
  std::vector<FlowSpec> flows;
  for (std::size_t i : {1u, 2u, 3u}) flows.push_back(flow(i, 0, 20_MB));
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty());
  EXPECT_FALSE(record.deadlock);
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
}

/// The first switch is paused for nine tenths of the time, but what it waits for drains.
TEST_P(Deadlock, IsNoneBeforeASlowLink) {
  Settings settings = lossless_network(chain({kLink, kLink, {10_Gbps, 1_us, 0}}), 50_ms);
  settings.switches.flow_control = {choose("pfc", {{"binary", GetParam()}})};
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 40'000_B}, {"resume_offset", 30'000_B}});
  settings.run.drain = true;
  offer(settings, {flow(0, 1, 20_MB)});
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, IsEmpty());
  EXPECT_TRUE(record.flows.front().completed());
  for (const LinkRecord& link : record.links) {
    if (link.from == "s0" && link.to == "s1") {
      EXPECT_GT(link.paused, 10_ms);
    }
  }
}

/// The same ports continue to send frames of another priority.
TEST_P(Deadlock, IsFoundAmongTrafficOfAnotherPriority) {
  Settings settings = around_the_ring(GetParam());
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 5; ++i) {
    flows.push_back(flow(i, (i + 2) % 5, 5_MB));
    flows.push_back(flow(i, (i + 1) % 5, 100_MB));
    flows.back().priority = 1;
    flows.back().rate_limit = 1_Gbps;
  }
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 ports are blocked forever"));
  EXPECT_LT(record.simulated, at(2_ms));
}

/// Links of 10 us, and gates that obey a RESUME within 1 us: it may be in flight for longer than the interval between
/// the first two checks of a suspect.
Settings around_a_long_ring(bool binary) {
  Settings settings = around_the_ring(binary, {kLink.rate, 10_us, 0});
  settings.switches.buffer = 2_MB;
  settings.switches.pause_response = 1_us;
  settings.measurement.timeline = true;
  return settings;
}

/// When the last gate of a deadlocked ring closed.
Time closed_at(const RunRecord& record) {
  Time last;
  for (const PauseSpan& span : record.timeline.pauses) {
    const LinkRecord& link = record.links[span.link];
    if (link.from.front() == 's' && link.to.front() == 's') last = std::max(last, span.begin);
  }
  return last;
}

/// It is suspected at most 50 us later, and checked again after 10 us and after 20 us more.
TEST_P(Deadlock, IsFoundSoonOnLongLinks) {
  const RunRecord record = Simulation(around_a_long_ring(GetParam())).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 ports are blocked forever"));
  EXPECT_LE(record.simulated, closed_at(record) + 80_us);
}

/// The last two checks of a run are so far apart that no RESUME can be in flight.
TEST_P(Deadlock, IsFoundAtTheEndOfAShortRunOnLongLinks) {
  Settings settings = around_a_long_ring(GetParam());
  const Time closed = closed_at(Simulation(settings).run());
  const Duration on_its_way = 2 * (10_us + Duration::picoseconds(86'880)) + 1_us + Duration::picoseconds(1);
  settings.run.drain = false;
  settings.run.stop = closed + on_its_way + 1_us;
  const RunRecord record = Simulation(settings).run();
  EXPECT_TRUE(record.deadlock);
  EXPECT_EQ(closed_at(record), closed);
}

INSTANTIATE_TEST_SUITE_P(Pauses, Deadlock, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Binary" : "Quanta"; });

/// If a PAUSE may be lost, quanta may expire and let frames pass: only a deadlock without movement for a long time is
/// reported.
TEST(DeadlockOfLinksThatDamageFrames, IsFoundWhenItHasNotMovedForLong) {
  Settings settings = around_the_ring(false, {kLink.rate, kLink.delay, 1e-12});
  settings.run.stop = at(200_ms);
  const RunRecord record = Simulation(settings).run();
  EXPECT_THAT(record.failure, HasSubstr("deadlock: 5 ports are blocked forever"));
  EXPECT_GE(record.simulated, at(DeadlockWatch::kPatience));
  EXPECT_LT(record.simulated, at(2 * DeadlockWatch::kPatience));
}

}  // namespace
}  // namespace weir::whole::deadlock_test
