// SPDX-License-Identifier: Apache-2.0
#include "report/network_series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "results/test_records.h"

namespace weir::network_series_test {
namespace {

using namespace literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pointwise;
using testing::SizeIs;

Time at(Duration after_start) {
  return Time() + after_start;
}

/// Two ToRs with one host each under a core, for 15 us in two intervals.
RunRecord record_with_timeline() {
  RunRecord record;
  record.simulated = at(15_us);
  record.links = {link_of("h0", 0, "t0", 1, 0, 0), link_of("t0", 1, "h0", 0, 0, 0), link_of("t0", 1, "c", 2, 0, 0),
                  link_of("t1", 1, "h1", 0, 0, 0), link_of("t1", 1, "c", 2, 0, 0),  link_of("c", 2, "t0", 1, 0, 0)};
  record.timeline.interval = 10_us;
  record.timeline.intervals = 2;
  record.timeline.carried = {9, 9, 1'000, 50, 9, 9, 250, 0, 9, 9, 9, 9};
  record.timeline.queued = {0, 0, 10, 20, 30, 0, 35, 5, 0, 0, 7, 8};
  record.timeline.pauses = {{0, at(0_us), at(5_us)}, {2, at(5_us), at(15_us)}, {4, at(8_us), at(12_us)}};
  return record;
}

TEST(NetworkSeries, DeliveredIsWhatCameToHosts) {
  EXPECT_THAT(delivered_rate(record_with_timeline()), Pointwise(DoubleNear(1), {1'250 * 8 / 10e-6, 50 * 8 / 5e-6}))
      << "the last interval is 5 us long";
}

TEST(NetworkSeries, QueuesAreOfSwitchesByTier) {
  const auto tiers = queues_by_tier(record_with_timeline());
  ASSERT_THAT(tiers, SizeIs(2));
  EXPECT_EQ(tiers[0].tier, 1);
  EXPECT_THAT(tiers[0].total, ElementsAre(75, 25));
  EXPECT_THAT(tiers[0].fullest, ElementsAre(40, 20)) << "t0 both times";
  EXPECT_EQ(tiers[1].tier, 2);
  EXPECT_THAT(tiers[1].total, ElementsAre(7, 8));
}

TEST(NetworkSeries, PausesAreMeanNumbersOfLinksHeld) {
  const auto pairs = pauses_by_tiers(record_with_timeline());
  ASSERT_THAT(pairs, SizeIs(2));
  EXPECT_EQ(pairs[0].paused_tier, 0);
  EXPECT_EQ(pairs[0].pausing_tier, 1);
  EXPECT_THAT(pairs[0].held, ElementsAre(0.5, 0));
  EXPECT_EQ(pairs[1].paused_tier, 1);
  EXPECT_EQ(pairs[1].pausing_tier, 2);
  EXPECT_THAT(pairs[1].held, ElementsAre(0.7, 1.4)) << "5 us and 2 us of 10, 5 us and 2 us of 5";
}

TEST(NetworkSeries, WithoutATimelineThereAreNone) {
  RunRecord record = record_with_timeline();
  record.timeline = {};
  EXPECT_THAT(delivered_rate(record), IsEmpty());
  EXPECT_THAT(pauses_by_tiers(record), IsEmpty());
  for (const TierQueues& tier : queues_by_tier(record)) EXPECT_THAT(tier.total, IsEmpty());
}

TEST(NetworkSeries, AreThinnedToMeansOrMaxima) {
  const Series series{"x", 10_us, {1, 3, 5, 7, 9}};
  EXPECT_THAT(thinned(series, 5, false).values, ElementsAre(1, 3, 5, 7, 9));
  EXPECT_EQ(thinned(series, 5, false).interval, 10_us);
  EXPECT_THAT(thinned(series, 3, false).values, ElementsAre(2, 6, 9));
  EXPECT_THAT(thinned(series, 3, true).values, ElementsAre(3, 7, 9));
  EXPECT_EQ(thinned(series, 3, true).interval, 20_us);
  EXPECT_THAT(thinned({"empty", 10_us, {}}, 3, true).values, IsEmpty());
}

}  // namespace
}  // namespace weir::network_series_test
