// SPDX-License-Identifier: Apache-2.0
// What counts as paused, and what as innocently paused.
#include <gtest/gtest.h>

#include "whole_network.h"

namespace weir::whole::innocent_pause_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};

const PauseHold& hold_of(const RunRecord& record, FlowClass flow_class) {
  return record.pause_hold[static_cast<std::size_t>(flow_class)];
}

/// Hosts on one switch that pauses early and resumes late.
Settings one_switch(std::size_t hosts) {
  Settings settings = lossless_network(star(hosts, kLink), 2_ms);
  settings.switches.flow_control = {choose("pfc", {{"binary", true}})};
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 19'000_B}});
  settings.measurement.innocent_pause = true;
  settings.measurement.sample_interval = 1_us;
  return settings;
}

/// The one egress port of all flows is the only possible root, also while the RESUME that its emptying caused is in
/// flight.
TEST(InnocentPause, IsNoneWhereAllGoesOneWay) {
  Settings settings = one_switch(4);
  offer(settings, {flow(0, 3, 1_MB), flow(1, 3, 1_MB), flow(2, 3, 1_MB)});
  const PauseHold hold = hold_of(Simulation(settings).run(), FlowClass::background);
  EXPECT_GT(hold.packets, 10u);
  EXPECT_GT(hold.held, 10_us);
  EXPECT_EQ(hold.innocent, Duration());
}

/// Nodes run one after the other for a link delay each; roots are those at the instant of each pause.
TEST(InnocentPause, IsThatOfTheOrderOfTime) {
  Topology topology;
  std::vector<NodeId> tors;
  for (int tor = 0; tor < 3; ++tor) {
    tors.push_back(topology.add_switch("tor" + std::to_string(tor), 1, 0, tor));
    for (int i = 0; i < 4; ++i) {
      const std::string name = "h" + std::to_string(4 * tor + i);
      topology.connect(topology.add_host(name, 0, tor), tors.back(), kLink);
    }
  }
  for (int spine = 0; spine < 2; ++spine) {
    const NodeId above = topology.add_switch("spine" + std::to_string(spine), 2);
    for (const NodeId tor : tors) topology.connect(tor, above, kLink);
  }
  Settings settings = lossless_network(std::move(topology), 2_ms);
  settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 20'000_B}, {"resume_offset", 10'000_B}});
  settings.measurement.innocent_pause = true;
  settings.measurement.sample_interval = 1_us;
  std::vector<FlowSpec> flows;
  for (std::size_t i = 0; i < 60; ++i) {
    flows.push_back(flow(i % 12, (i % 3 == 0 ? 0 : (7 * i + 5) % 12), 200_KB, at(static_cast<int>(i) * 1_us)));
    if (flows.back().source == flows.back().destination) flows.pop_back();
  }
  offer(settings, flows);
  const RunRecord by_windows = Simulation(settings).run();
  const RunRecord by_instants = run_by_instants(settings);
  EXPECT_EQ(by_windows.digest, by_instants.digest);
  const PauseHold& a = hold_of(by_windows, FlowClass::background);
  const PauseHold& b = hold_of(by_instants, FlowClass::background);
  EXPECT_GT(a.innocent, 1_ms);
  EXPECT_GT(a.held, a.innocent);
  EXPECT_EQ(a.held, b.held);
  EXPECT_EQ(a.innocent, b.innocent);
  EXPECT_EQ(a.packets, b.packets);
}

/// Frames of another priority at an ingress are no root of a pause of this one.
TEST(InnocentPause, LooksOnlyAtFramesOfThePausedPriority) {
  Settings settings = one_switch(5);
  settings.switches.buffer = 4_MB;
  std::vector<FlowSpec> flows{flow(0, 2, kLongRunning), flow(1, 2, kLongRunning)};  // the pause and its root, h2
  for (const std::size_t source : {0u, 1u, 4u}) {                                   // a queue of the other at h3
    flows.push_back(flow(source, 3, kLongRunning));
    flows.back().priority = 1;
  }
  flows.push_back(flow(0, 3, kLongRunning));  // paused although it goes to h3
  flows.back().incast = true;                 // to distinguish it
  flows.back().rate_limit = 1_Gbps;
  offer(settings, flows);
  const PauseHold hold = hold_of(Simulation(settings).run(), FlowClass::incast);
  EXPECT_GT(hold.held, 100_us);
  EXPECT_GT(hold.innocent.microseconds(), 0.9 * hold.held.microseconds());
}

/// In a run that ends 100 ns later within a pause, the one packet is paused 100 ns longer.
TEST(InnocentPause, CountsUntilTheEndOfTheRun) {
  int within_a_pause = 0;
  Duration before;
  for (int i = 0; i < 60; ++i) {
    Settings settings = one_switch(4);
    settings.run.stop = at(100_us + i * 100_ns);
    settings.measurement.sample_interval = 1_ms;
    std::vector<FlowSpec> flows{flow(0, 3, kLongRunning), flow(1, 3, kLongRunning), flow(2, 3, kLongRunning)};
    flows.front().incast = true;  // to distinguish it; its frames at the switch are never paused
    offer(settings, flows);
    const Duration held = hold_of(Simulation(settings).run(), FlowClass::incast).held;
    if (i > 0 && held - before == 100_ns) ++within_a_pause;
    before = held;
  }
  EXPECT_GT(within_a_pause, 10);
}

/// Roots change while pauses last: h0 sends alternately to h2 and to h3, and a sample sees where its frames are at that
/// time.
TEST(InnocentPause, SeesRootsChangeAtSamples) {
  const auto innocent = [](Duration interval) {
    Settings settings = one_switch(5);
    settings.measurement.sample_interval = interval;
    std::vector<FlowSpec> flows;
    for (const std::size_t source : {0u, 1u, 4u}) {
      for (const std::size_t destination : {2u, 3u}) flows.push_back(flow(source, destination, kLongRunning));
    }
    offer(settings, flows);
    return hold_of(Simulation(settings).run(), FlowClass::background).innocent;
  };
  EXPECT_NE(innocent(1_us), innocent(10_ms));
}

/// Frames that are lost with a failing link are no longer a reason for pauses: when h2 is back, h3 is the only root.
TEST(InnocentPause, ForgetsWhatWasQueuedForALinkThatFailed) {
  Settings settings = one_switch(4);
  settings.run.stop = at(600_us);
  settings.network.failures = {{LinkId(2), at(30_us), at(60_us)}};
  std::vector<FlowSpec> flows{flow(0, 2, 300_KB), flow(1, 2, 300_KB)};
  flows.push_back(flow(0, 3, kLongRunning, at(100_us)));
  flows.push_back(flow(1, 3, kLongRunning, at(100_us)));
  flows.push_back(flow(0, 2, kLongRunning, at(100_us)));
  flows.back().incast = true;  // to distinguish it
  flows.back().rate_limit = 1_Gbps;
  offer(settings, flows);
  const RunRecord record = Simulation(settings).run();
  ASSERT_GT(record.switches.front().drops[static_cast<std::size_t>(DropReason::link_down)], 5u);
  const PauseHold hold = hold_of(record, FlowClass::incast);
  EXPECT_GT(hold.held, 10_us);
  EXPECT_GT(hold.innocent.microseconds(), 0.8 * hold.held.microseconds());
}

/// A queue pair that opens while its host is paused is paused from then on: the later it opens, the shorter.
TEST(InnocentPause, CountsFromWhenAQueuePairHasSomethingToSend) {
  const auto held_from = [](Duration start) {
    Settings settings = one_switch(4);
    settings.run.stop = at(200_us);
    std::vector<FlowSpec> flows{flow(0, 3, kLongRunning), flow(1, 3, kLongRunning), flow(2, 3, kLongRunning)};
    flows.push_back(flow(0, 3, 1_KB, at(start)));
    flows.back().incast = true;  // to distinguish it
    offer(settings, flows);
    return hold_of(Simulation(settings).run(), FlowClass::incast).held;
  };
  int during_one_pause = 0;
  Duration before;
  for (int i = 0; i < 100; ++i) {
    const Duration held = held_from(100_us + i * 100_ns);
    if (held > Duration() && before > held) {
      ++during_one_pause;
      EXPECT_EQ(before - held, 100_ns);
    } else {
      EXPECT_TRUE(held == Duration() || held > before) << i;
    }
    before = held;
  }
  EXPECT_GT(during_one_pause, 10);
}

}  // namespace
}  // namespace weir::whole::innocent_pause_test
