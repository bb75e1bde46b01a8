// SPDX-License-Identifier: Apache-2.0
// Pauses of queues in networks that damage frames, and whose links fail and recover: losses are repaired, and in the
// end no queue is paused.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "whole_network.h"

namespace weir::whole::lost_pauses_test {
namespace {

/// Two switches with four hosts each, and one link between them.
Topology two_switches(double error_rate) {
  const LinkSpec link{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), error_rate};
  Topology topology;
  const NodeId left = topology.add_switch("left", 1, 0, 0);
  const NodeId right = topology.add_switch("right", 1, 0, 1);
  for (int i = 0; i < 8; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, i / 4), i < 4 ? left : right, link);
  }
  topology.connect(left, right, link);
  return topology;
}

/// Seven hosts send to the eighth, and one of them to its neighbour; no PFC below.
Settings incast(const Values& values, double error_rate) {
  Settings settings = lossless_network(two_switches(error_rate), 20_ms);
  settings.switches.lossless[3] = false;
  settings.switches.buffer_policy = choose("static_threshold");
  settings.switches.flow_control = {choose("bfc", values)};
  settings.hosts.loss_recovery = choose("go_back_n", {{"timeout", 200_us}, {"nack_interval", 20_us}});
  std::vector<FlowSpec> flows;
  for (std::size_t source = 0; source < 7; ++source) flows.push_back(flow(source, 7, 500_KB));
  flows.push_back(flow(0, 1, 500_KB, at(50_us)));
  offer(settings, flows);
  return settings;
}

std::uint64_t pauses(Fabric& fabric) {
  return fabric.switch_by(SwitchId(0)).pauses_sent() + fabric.switch_by(SwitchId(1)).pauses_sent();
}

void expect_all_well(const Settings& settings) {
  Simulation simulation(settings);
  const RunRecord record = simulation.run();
  EXPECT_EQ(record.failure, "");
  EXPECT_EQ(record.flows.size(), 8u);
  for (const FlowRecord& flow : record.flows) EXPECT_TRUE(flow.completed()) << "flow " << flow.id.value;
  EXPECT_GT(pauses(simulation.fabric()), 20u);
  EXPECT_EQ(left_behind(simulation.fabric()), "");
}

TEST(LostPauses, HealWhateverIsLost) {
  for (const double error_rate : {0.0, 1e-3, 2e-2}) {
    SCOPED_TRACE(error_rate);
    expect_all_well(incast({}, error_rate));
    expect_all_well(incast({{"queues", std::int64_t{2}}}, error_rate));
    expect_all_well(incast({{"flow_table_entries", std::int64_t{1}}, {"queues", std::int64_t{8}}}, error_rate));
    expect_all_well(incast({{"sampling", 0.5}}, error_rate));
    expect_all_well(
        incast({{"gate_fifo", 10'000_B}, {"empty_refresh", 5_us}, {"pipelines", std::int64_t{2}}}, error_rate));
  }
}

TEST(LostPauses, EndWithTheLink) {
  for (const char* pause : {"queue", "flow"}) {
    SCOPED_TRACE(pause);
    Settings settings = incast({{"pause", std::string(pause)}}, 0);
    constexpr LinkId kBetween(8);
    constexpr LinkId kToSource(5);
    settings.network.failures = {
        {kBetween, at(60_us), at(61_us)}, {kBetween, at(100_us), at(180_us)}, {kToSource, at(120_us), at(150_us)}};
    settings.network.failure_detection = 20_us;
    expect_all_well(settings);
  }
}

TEST(LostPauses, KeepAnIncastOutOfABystandersWay) {
  const RunRecord record = Simulation(incast({}, 0)).run();
  const FlowRecord& bystander = record.flows.back();
  // One of the seven flows of the incast shares the NIC with it: the neighbour gets six sevenths of the link, within
  // one of the bursts in which the other sends. When resumed, that one sends for at most a hop's round trip until it is
  // over the threshold [BFC-B-2], and for another until the pause arrives.
  const double expected = bystander.ideal_fct.seconds() * 7 / 6;
  constexpr double kHop = 2 * (1e-6 + 1'086 * 8 / 100e9);
  EXPECT_NEAR(bystander.sender_completion.seconds(), expected, 2 * kHop);
}

}  // namespace
}  // namespace weir::whole::lost_pauses_test
