// SPDX-License-Identifier: Apache-2.0
#include "results/summary.h"

#include <gtest/gtest.h>

#include "results/test_records.h"

namespace weir::summary_test {
namespace {

TEST(Slowdown, IsClippedAtOne) {
  EXPECT_DOUBLE_EQ(slowdown_of(flow_of(FlowClass::victim, 1000, 25)), 2.5);
  EXPECT_DOUBLE_EQ(slowdown_of(flow_of(FlowClass::victim, 1000, 10)), 1.0);
  EXPECT_DOUBLE_EQ(slowdown_of(flow_of(FlowClass::victim, 1000, 8)), 1.0);
}

TEST(Summary, TellsTheClassesApart) {
  const RunSummary summary = summarise(record_of("pfc", 401, 12));
  EXPECT_EQ(summary.of(FlowGroup::incast).flows, 4U);
  EXPECT_EQ(summary.of(FlowGroup::not_incast).flows, 8U);
  EXPECT_EQ(summary.of(FlowGroup::all).flows, 12U);
  const FctSummary& victims = summary.of(FlowGroup::victim);
  EXPECT_EQ(victims.completed, 4U);
  EXPECT_DOUBLE_EQ(victims.fct_us.mean, 402.5);
  EXPECT_DOUBLE_EQ(victims.fct_us.p50, 402);
  EXPECT_DOUBLE_EQ(victims.fct_us.p99, 404);
  EXPECT_DOUBLE_EQ(victims.receiver_fct_us.p99, 403);
  EXPECT_DOUBLE_EQ(victims.slowdown.mean, 40.25);
  EXPECT_DOUBLE_EQ(summary.of(FlowGroup::all).slowdown.maximum, 46);
  const FctSummary& background = summary.of(FlowGroup::background);
  EXPECT_EQ(background.clipped, 1U);  // the one of 8 us
  EXPECT_DOUBLE_EQ(background.slowdown.mean, (1 + 1.2 + 1.6 + 2) / 4);
}

TEST(Summary, NamesOfSeriesMayHaveBlanksAndTheirUnitsHaveNone) {
  Series series;
  series.name = "links.negative acknowledge bit/s";
  EXPECT_EQ(name_and_unit(series), (std::pair<std::string, std::string>("links.negative acknowledge", "bit/s")));
  series.name = "queues";
  EXPECT_EQ(name_and_unit(series), (std::pair<std::string, std::string>("queues", "")));
}

TEST(Summary, CountsWhatDidNotComplete) {
  RunRecord record = record_of("pfc", 401, 12);
  record.flows[1].sender_completion = Duration();  // a victim whose last acknowledgement is missing
  record.flows[4] = flow_of(FlowClass::victim, 2000, 0);
  record.flows[4].stopped = true;
  record.flows[7].ideal_fct = Duration();  // unknown
  const FctSummary victims = summarise(record).of(FlowGroup::victim);
  EXPECT_EQ(victims.flows, 4U);
  EXPECT_EQ(victims.stopped, 1U);
  EXPECT_EQ(victims.due(), 3U);
  EXPECT_EQ(victims.completed, 2U);
  EXPECT_EQ(victims.fct_us.count, 2U);
  EXPECT_EQ(victims.receiver_fct_us.count, 3U);
  EXPECT_EQ(victims.slowdown.count, 1U);
}

TEST(Summary, BinsBySize) {
  const RunSummary summary = summarise(record_of("pfc", 401, 12));
  ASSERT_EQ(summary.sizes.size(), 6U);
  const auto flows = [&](std::size_t bin, FlowGroup group) {
    return summary.sizes[bin].groups[static_cast<std::size_t>(group)].flows;
  };
  EXPECT_EQ(flows(0, FlowGroup::victim), 4U);
  EXPECT_EQ(flows(0, FlowGroup::background), 0U);
  EXPECT_EQ(flows(2, FlowGroup::incast), 4U);
  EXPECT_EQ(flows(5, FlowGroup::not_incast), 4U);
  EXPECT_EQ(flows(1, FlowGroup::all), 0U);
  const RunSummary one = summarise(record_of("pfc", 401, 12), {{Bytes(0), Bytes(2'001), "small"}});
  ASSERT_EQ(one.sizes.size(), 1U);
  EXPECT_EQ(one.sizes[0].groups[static_cast<std::size_t>(FlowGroup::all)].flows, 4U);
}

TEST(Summary, PutsSwitchesIntoTiers) {
  RunRecord record = record_of("pfc", 401, 12);
  record.switches[0].occupancy.add(100);
  record.switches[1].occupancy.add(50, 99);
  record.switches[0].drops[1] = 2;
  record.switches[1].drops[1] = 3;
  record.switches[2].drops[5] = 4;
  record.switches[2].drops[kDroppedOnPurpose] = 1'000;
  const RunSummary summary = summarise(record);
  ASSERT_EQ(summary.tiers.size(), 2U);
  const TierSummary& tor = summary.tiers[0];
  EXPECT_EQ(tor.name, "ToR");
  EXPECT_EQ(tor.switches, 2U);
  EXPECT_EQ(tor.buffer_maximum, 9'200'000);
  EXPECT_EQ(tor.fullest, "tor0");
  EXPECT_EQ(tor.pauses_sent, 12U);
  EXPECT_EQ(tor.occupancy.quantile(0.99), 50);
  EXPECT_EQ(tor.drops[1], 5U);
  EXPECT_EQ(summary.tiers[1].name, "core");
  EXPECT_EQ(summary.tiers[1].pauses_sent, 6U);
  EXPECT_EQ(summary.pauses, 18U);
  EXPECT_EQ(summary.drops[1], 5U);
  EXPECT_EQ(summary.drops[5], 4U);
  EXPECT_EQ(summary.drops[kDroppedOnPurpose], 1'000U);
  EXPECT_EQ(summary.dropped, 9U) << "without those that a scheme drops on purpose";
}

TEST(Summary, CountsPausesByHostsToo) {
  RunRecord record = record_of("pfc", 401, 12);
  const std::uint64_t by_switches = summarise(record).pauses;
  LinkRecord to_host;
  to_host.from_tier = 1;
  to_host.to_tier = 0;
  to_host.pauses = 5;
  record.links.push_back(to_host);
  EXPECT_EQ(summarise(record).pauses, by_switches + 5);
}

TEST(Summary, TellsWhoPausedWhom) {
  const RunSummary summary = summarise(record_of("pfc", 401, 12));
  ASSERT_EQ(summary.tier_pairs.size(), 3U);
  const TierPairSummary& core = summary.tier_pairs[2];
  EXPECT_EQ(core.paused, "core");
  EXPECT_EQ(core.pausing, "ToR");
  EXPECT_EQ(core.links, 2U);
  EXPECT_EQ(core.links_paused, 1U);
  EXPECT_EQ(core.pauses, 12U);
  EXPECT_DOUBLE_EQ(core.paused_share, 0.1);
  EXPECT_DOUBLE_EQ(core.largest_paused_share, 0.2);
  EXPECT_EQ(summary.tier_pairs[0].paused, "host");
  EXPECT_EQ(summary.tier_pairs[0].links_paused, 0U);
  EXPECT_DOUBLE_EQ(summary.paused_share, 0.3 / 4);
}

TEST(Summary, OfARunWithoutTimeHasNoShares) {
  RunRecord record = record_of("pfc", 401, 12);
  record.simulated = Time();
  const RunSummary summary = summarise(record);
  EXPECT_EQ(summary.paused_share, 0);
  EXPECT_EQ(summarise(RunRecord()).of(FlowGroup::all).flows, 0U);
}

TEST(Summary, InnocentPauseIsOfThePacketsHeld) {
  RunRecord record = record_of("pfc", 401, 12);
  constexpr std::int64_t kMicrosecond = 1'000'000;
  record.pause_hold[static_cast<std::size_t>(FlowClass::victim)] = {Duration::picoseconds(300 * kMicrosecond),
                                                                    Duration::picoseconds(240 * kMicrosecond), 100};
  record.pause_hold[static_cast<std::size_t>(FlowClass::background)] = {Duration::picoseconds(100 * kMicrosecond),
                                                                        Duration(), 100};
  const RunSummary summary = summarise(record);
  const PauseHoldSummary& victim = summary.hold_of(FlowGroup::victim);
  EXPECT_DOUBLE_EQ(victim.mean_held_us, 3.0);
  EXPECT_DOUBLE_EQ(victim.mean_innocent_us, 2.4);
  EXPECT_DOUBLE_EQ(victim.innocent_share, 0.8);
  const PauseHoldSummary& both = summary.hold_of(FlowGroup::not_incast);
  EXPECT_EQ(both.packets, 200U);
  EXPECT_DOUBLE_EQ(both.mean_innocent_us, 1.2);
  EXPECT_DOUBLE_EQ(both.innocent_share, 0.6);
  EXPECT_EQ(summary.hold_of(FlowGroup::incast).packets, 0U);
}

TEST(Summary, RetransmittedShareIsOfTheFramesSent) {
  RunRecord record;
  EXPECT_EQ(summarise(record).retransmitted_share(), 0);
  record.data_frames = 200;
  record.retransmitted_frames = 5;
  EXPECT_DOUBLE_EQ(summarise(record).retransmitted_share(), 0.025);
}

TEST(TierName, FollowsTheHeightOfTheNetwork) {
  EXPECT_EQ(tier_name(0, 3), "host");
  EXPECT_EQ(tier_name(1, 1), "ToR");
  EXPECT_EQ(tier_name(2, 2), "core");
  EXPECT_EQ(tier_name(2, 3), "aggregation");
  EXPECT_EQ(tier_name(3, 3), "core");
  EXPECT_EQ(tier_name(2, 4), "tier 2");
}

}  // namespace
}  // namespace weir::summary_test
