// SPDX-License-Identifier: Apache-2.0
// When runs end, how flows are classified, and the effects of links that fail and recover.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "net/builders.h"
#include "traffic/all_to_all.h"
#include "traffic/closed_loop.h"
#include "whole_network.h"

namespace weir::whole::course_of_a_run_test {
namespace {

using testing::ElementsAre;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

Topology two_racks(int spines = 1) {
  LeafSpineSettings leaf_spine;
  leaf_spine.tors = 2;
  leaf_spine.hosts_per_tor = 4;
  leaf_spine.spines = spines;
  leaf_spine.host_link = kLink;
  leaf_spine.fabric_link = {BitRate(400'000'000'000), 1_us, 0};
  return build_leaf_spine(leaf_spine).topology;
}

TEST(CourseOfARun, GoesOnWhileAClosedLoopHasMessagesLeft) {
  Settings settings = lossless_network(star(2, kLink), 1_s);
  settings.run.stop = Time::never();
  settings.run.drain = true;
  settings.traffic = [](std::uint64_t seed) {
    ClosedLoopSettings loop;
    loop.pairs = {{HostId(0), HostId(1)}};
    loop.size = FlowSize::fixed(100_B);
    loop.messages_per_pair = 500;
    std::vector<std::unique_ptr<TrafficSource>> sources;
    sources.push_back(std::make_unique<ClosedLoopSource>(loop, seed));
    return sources;
  };
  const RunRecord record = Simulation(settings).run();
  EXPECT_EQ(record.failure, "");
  ASSERT_EQ(record.flows.size(), 500u);
  for (const FlowRecord& each : record.flows) EXPECT_TRUE(each.completed());
}

TEST(CourseOfARun, GoesOnWhileAnAllToAllHasStepsLeft) {
  Settings settings = lossless_network(star(4, kLink), 1_s);
  settings.run.stop = Time::never();
  settings.run.drain = true;
  settings.traffic = [](std::uint64_t seed) {
    AllToAllSettings steps;
    steps.senders = HostSet::range(0, 4);
    steps.receivers = steps.senders.hosts();
    steps.bytes_per_sender = 30_KB;
    steps.pace = AllToAllSettings::Pace::after_completion;
    steps.step_interval = 5_us;
    steps.step_limit = 10;
    std::vector<std::unique_ptr<TrafficSource>> sources;
    sources.push_back(std::make_unique<AllToAllSource>(steps, seed));
    return sources;
  };
  EXPECT_EQ(Simulation(settings).run().flows.size(), 120u);
}

/// The drain limit counts from the last start; the time before a message that is still to come is not drain time.
TEST(CourseOfARun, WaitsForAMessageThatThinksLongerThanARunDrains) {
  Settings settings = lossless_network(star(2, kLink), 1_s);
  settings.run.stop = Time::never();
  settings.run.drain = true;
  settings.run.drain_limit = 1_ms;
  settings.traffic = [](std::uint64_t seed) {
    ClosedLoopSettings loop;
    loop.pairs = {{HostId(0), HostId(1)}};
    loop.size = FlowSize::fixed(100_B);
    loop.messages_per_pair = 5;
    loop.mean_think_picoseconds = 3e9;
    std::vector<std::unique_ptr<TrafficSource>> sources;
    sources.push_back(std::make_unique<ClosedLoopSource>(loop, seed));
    return sources;
  };
  EXPECT_EQ(Simulation(settings).run().flows.size(), 5u);
}

TEST(CourseOfARun, CountsAsVictimsThoseWhoShareARackWithAnIncastWhileItLasts) {
  Settings settings = lossless_network(two_racks(), 1_s);
  settings.run.stop = Time::never();
  settings.run.drain = true;
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 4; ++source) {
    flows.push_back(flow(source, 4, 1_MB, at(100_us)));  // to rack 1, until after 400 us
    flows.back().incast = true;
  }
  flows.push_back(flow(5, 6, 10_KB));              // completes before it
  flows.push_back(flow(0, 5, 50_KB, at(120_us)));  // during it
  flows.push_back(flow(6, 7, 10_KB, at(130_us)));  // during it
  flows.push_back(flow(1, 2, 10_KB, at(130_us)));  // in the other rack
  flows.push_back(flow(5, 1, 10_KB, at(130_us)));  // from its rack to the other
  flows.push_back(flow(5, 6, 40_MB, at(300_us)));  // begins during it, ends much later
  flows.push_back(flow(6, 7, 10_KB, at(10_ms)));   // after it
  offer(settings, flows);
  std::vector<FlowClass> classes;
  for (const FlowRecord& each : Simulation(settings).run().flows) {
    if (each.destination != HostId(4)) classes.push_back(each.flow_class);
  }
  EXPECT_THAT(classes, ElementsAre(FlowClass::background, FlowClass::victim, FlowClass::victim, FlowClass::background,
                                   FlowClass::victim, FlowClass::victim, FlowClass::background));
}

LinkId link_between(const Topology& topology, const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i < topology.links().size(); ++i) {
    const Link& link = topology.link(LinkId(i));
    const std::string& first = topology.node(link.a).name;
    const std::string& second = topology.node(link.b).name;
    if ((first == a && second == b) || (first == b && second == a)) return LinkId(i);
  }
  throw std::invalid_argument(a + " - " + b);
}

std::uint64_t lost(const RunRecord& record) {
  std::uint64_t frames = 0;
  for (const LinkRecord& link : record.links) frames += link.lost;
  return frames;
}

TEST(CourseOfARun, KeepsALinkDownUntilTheLastOfItsFailuresIsOver) {
  const auto completion = [](std::vector<std::pair<Duration, Duration>> failures) {
    Settings settings = lossless_network(chain({kLink, kLink}), 1_s);
    settings.run.stop = Time::never();
    settings.run.drain = true;
    for (const auto& [down, up] : failures) settings.network.failures.push_back({LinkId(0), at(down), at(up)});
    offer(settings, {flow(0, 1, 1_MB)});
    const RunRecord record = Simulation(settings).run();
    EXPECT_EQ(record.failure, "");
    EXPECT_GT(lost(record), 0u);  // frames on the wire at 40 us
    return record.flows.front().sender_completion;
  };
  EXPECT_EQ(completion({{40_us, 60_us}, {50_us, 90_us}}), completion({{40_us, 90_us}}));
}

TEST(CourseOfARun, ReroutesAroundAFailureOnlyWhenThatOneIsDetected) {
  const auto dropped = [](const std::vector<std::pair<std::string, Duration>>& failures) {
    Settings settings = lossless_network(two_racks(3), 400_us);
    settings.network.failure_detection = 100_us;
    const Topology& topology = settings.network.topology;
    for (const auto& [spine, down] : failures) {
      settings.network.failures.push_back({link_between(topology, "tor0", spine), at(down), Time::never()});
    }
    std::vector<FlowSpec> flows;
    for (std::size_t i = 0; i < 4; ++i) {
      flows.push_back(flow(i, 4 + i, kLongRunning));
      flows.push_back(flow(4 + i, i, kLongRunning));
    }
    offer(settings, flows);
    std::uint64_t frames = 0;
    for (const SwitchRecord& each : Simulation(settings).run().switches) {
      frames += each.drops[static_cast<std::size_t>(DropReason::link_down)];
    }
    return frames;
  };
  // The second link fails just before the first failure is detected, and its own failure stays undetected for 100 us.
  const std::uint64_t of_first = dropped({{"spine0", 100_us}});
  EXPECT_GT(of_first, 0u);
  EXPECT_GT(dropped({{"spine0", 100_us}, {"spine1", 199_us}}), of_first + 500);
}

}  // namespace
}  // namespace weir::whole::course_of_a_run_test
