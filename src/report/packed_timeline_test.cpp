// SPDX-License-Identifier: Apache-2.0
#include "report/packed_timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "results/test_records.h"

namespace weir::packed_timeline_test {
namespace {

using namespace literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

Time at(Duration after_start) {
  return Time() + after_start;
}

/// Three links of 100 Gbit/s, each of which carries 125,000 B in 10 us at full rate. The second is always idle.
RunRecord record_with_timeline() {
  RunRecord record;
  record.simulated = at(40_us);
  record.links = {link_of("h0", 0, "s", 1, 0, 0), link_of("h1", 0, "s", 1, 0, 0), link_of("s", 1, "h0", 0, 0, 0)};
  record.timeline.interval = 10_us;
  record.timeline.intervals = 4;
  record.timeline.carried = {125'000, 62'500, 1, 0, /**/ 0, 0, 0, 0, /**/ 0, 0, 0, 500'000};
  record.timeline.queued = {0, 0, 0, 0, /**/ 0, 0, 0, 0, /**/ 1, 64, 1 << 20, 1'000};
  record.timeline.pauses = {{0, at(5_us), at(25_us)}, {2, at(12_us), at(12_us) + 1_ps}, {0, at(39_us), at(40_us)}};
  return record;
}

TEST(PackedTimeline, KeepsTheLinksThatHaveAnything) {
  const PackedTimeline packed = pack_timeline(record_with_timeline(), 4);
  EXPECT_EQ(packed.interval, 10_us);
  EXPECT_EQ(packed.intervals, 4u);
  EXPECT_THAT(packed.load.links, ElementsAre(0, 2));
  EXPECT_THAT(packed.queued.links, ElementsAre(2));
  EXPECT_THAT(packed.paused.links, ElementsAre(0, 2));
  EXPECT_EQ(packed.size(), 20u);
}

TEST(PackedTimeline, TellsLoadsAndPausesIn255ths) {
  const PackedTimeline packed = pack_timeline(record_with_timeline(), 4);
  EXPECT_THAT(packed.load.values, ElementsAre(255, 128, 1, 0, /**/ 0, 0, 0, 255))
      << "a byte shows; more than all is all";
  EXPECT_THAT(packed.paused.values, ElementsAre(128, 255, 128, 26, /**/ 0, 1, 0, 0)) << "a picosecond shows";
}

TEST(PackedTimeline, TellsQueuesWithinTwoPercent) {
  const PackedTimeline packed = pack_timeline(record_with_timeline(), 4);
  EXPECT_DOUBLE_EQ(packed.queue_step, 14.0 / 254);
  const auto bytes = [&](std::size_t i) {
    return PackedTimeline::kLeastQueue * std::exp2((packed.queued.values[i] - 1) * packed.queue_step);
  };
  EXPECT_EQ(bytes(0), 64) << "the least there is";
  EXPECT_EQ(bytes(1), 64);
  EXPECT_NEAR(bytes(2), 1 << 20, 1);
  EXPECT_NEAR(bytes(3), 1'000, 20);
}

TEST(PackedTimeline, JoinsIntervals) {
  const PackedTimeline packed = pack_timeline(record_with_timeline(), 3);
  EXPECT_EQ(packed.interval, 20_us);
  EXPECT_EQ(packed.intervals, 2u);
  EXPECT_THAT(packed.load.values, ElementsAre(191, 1, /**/ 0, 255));
  EXPECT_THAT(packed.paused.values, ElementsAre(191, 77, /**/ 1, 0));
}

TEST(PackedTimeline, MeasuresAShorterLastIntervalByItsLength) {
  RunRecord record = record_with_timeline();
  record.simulated = at(35_us);
  record.timeline.carried[11] = 31'250;
  EXPECT_EQ(pack_timeline(record, 4).load.values[7], 128) << "31,250 B in 5 us";
}

TEST(PackedTimeline, OfARunWithoutOneIsEmpty) {
  RunRecord record = record_with_timeline();
  record.timeline = {};
  EXPECT_EQ(pack_timeline(record, 4).intervals, 0u);
  EXPECT_THAT(pack_timeline(record, 4).load.values, IsEmpty());
}

TEST(PackedTimeline, PausesOverlapTheirIntervals) {
  const RunRecord record = record_with_timeline();
  EXPECT_THAT(paused_time(record.timeline, 3), ElementsAre(5'000'000, 10'000'000, 5'000'000, 1'000'000,  //
                                                           0, 0, 0, 0,                                   //
                                                           0, 1, 0, 0));
}

TEST(PackedTimeline, APauseOfNoTimeHoldsNobody) {
  RunRecord record = record_with_timeline();
  record.timeline.pauses = {{1, at(10_us), at(10_us)}, {1, at(40_us), at(40_us)}};
  EXPECT_THAT(paused_time(record.timeline, 3), Each(0));
}

}  // namespace
}  // namespace weir::packed_timeline_test
