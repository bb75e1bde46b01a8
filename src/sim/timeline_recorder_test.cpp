// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "units/time.h"

namespace weir::timeline_recorder_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

Time at(Duration after_start) {
  return Time() + after_start;
}

/// A sample of one link.
void sample(TimelineRecorder& recorder, std::int64_t arrived, std::int64_t queued) {
  recorder.look(0, arrived, queued);
  recorder.end_sample();
}

TEST(TimelineRecorder, KeepsWhatCameSinceTheSampleBeforeAndWhatWaits) {
  TimelineRecorder recorder(2, 10_us);
  recorder.look(0, 1'000, 64);
  recorder.look(1, 0, 0);
  recorder.end_sample();
  recorder.look(0, 1'500, 0);
  recorder.look(1, 300, 128);
  recorder.end_sample();
  const Timeline timeline = recorder.finish(at(20_us));
  EXPECT_TRUE(timeline.recorded());
  EXPECT_EQ(timeline.interval, 10_us);
  EXPECT_EQ(timeline.intervals, 2u);
  EXPECT_THAT(timeline.carried, ElementsAre(1'000, 500, 0, 300));
  EXPECT_THAT(timeline.queued, ElementsAre(64, 0, 0, 128));
}

TEST(TimelineRecorder, JoinsNeighboursWhenFull) {
  TimelineRecorder recorder(1, 1_us, 4);
  for (int i = 1; i <= 4; ++i) sample(recorder, 100 * i, i);
  sample(recorder, 1'400, 9);
  const Timeline timeline = recorder.finish(at(5_us));
  EXPECT_EQ(timeline.interval, 2_us);
  EXPECT_THAT(timeline.carried, ElementsAre(200, 200, 1'000)) << "the last interval is half full";
  EXPECT_THAT(timeline.queued, ElementsAre(2, 4, 9));
}

/// The interval that combining frees held 3 bytes before.
TEST(TimelineRecorder, BeginsIntervalsAfterJoiningWithNothing) {
  TimelineRecorder recorder(1, 1_us, 4);
  for (int i = 1; i <= 4; ++i) sample(recorder, 100 * i, i);
  sample(recorder, 400, 0);
  const Timeline timeline = recorder.finish(at(5_us));
  EXPECT_THAT(timeline.carried, ElementsAre(200, 200, 0));
  EXPECT_THAT(timeline.queued, ElementsAre(2, 4, 0));
}

TEST(TimelineRecorder, KeepsFullIntervalsThatNothingFollows) {
  TimelineRecorder recorder(1, 1_us, 4);
  for (int i = 1; i <= 4; ++i) sample(recorder, 100 * i, i);
  const Timeline timeline = recorder.finish(at(4_us));
  EXPECT_EQ(timeline.interval, 1_us);
  EXPECT_THAT(timeline.queued, ElementsAre(1, 2, 3, 4));
}

TEST(TimelineRecorder, LosesNothingHoweverOftenItJoins) {
  constexpr int kSamples = 1'000;
  TimelineRecorder recorder(1, 1_us, 8);
  for (int i = 1; i <= kSamples; ++i) sample(recorder, 10 * i, i == 700 ? 5'000 : 1);
  const Timeline timeline = recorder.finish(at(1'000_us));
  EXPECT_EQ(timeline.interval, 128_us);
  ASSERT_EQ(timeline.intervals, 8u);
  EXPECT_THAT(timeline.carried, ElementsAre(1'280, 1'280, 1'280, 1'280, 1'280, 1'280, 1'280, 1'040));
  EXPECT_THAT(timeline.queued, ElementsAre(1, 1, 1, 1, 1, 5'000, 1, 1)) << "sample 700 is in interval 5";
}

TEST(TimelineRecorder, TakesWhatCameAfterTheLastSampleAsAShorterInterval) {
  TimelineRecorder recorder(1, 10_us);
  sample(recorder, 1'000, 1);
  recorder.look(0, 1'200, 2);
  const Timeline timeline = recorder.finish(at(13_us));
  EXPECT_THAT(timeline.carried, ElementsAre(1'000, 200));
  EXPECT_THAT(timeline.queued, ElementsAre(1, 2));
}

TEST(TimelineRecorder, ClipsWhatDoesNotFit) {
  constexpr std::int64_t kMore = std::int64_t{1} << 40;
  TimelineRecorder recorder(1, 1_us, 2);
  sample(recorder, kMore, kMore);
  sample(recorder, 2 * kMore, 0);
  sample(recorder, 2 * kMore + 7, 0);
  const Timeline timeline = recorder.finish(at(3_us));
  EXPECT_THAT(timeline.carried, ElementsAre(0xFFFFFFFFu, 7));
  EXPECT_THAT(timeline.queued, ElementsAre(0xFFFFFFFFu, 0));
}

TEST(TimelineRecorder, KeepsPausesInOrderOfTheirBegin) {
  TimelineRecorder recorder(3, 10_us);
  recorder.pause(2, at(1_us));
  recorder.pause(0, at(2_us));
  recorder.resume(0, at(3_us));
  recorder.resume(2, at(5_us));
  recorder.pause(0, at(6_us));
  const Timeline timeline = recorder.finish(at(9_us));
  ASSERT_EQ(timeline.pauses.size(), 3u);
  const auto is = [](const PauseSpan& span, std::uint32_t link, Time begin, Time end) {
    return span.link == link && span.begin == begin && span.end == end;
  };
  EXPECT_TRUE(is(timeline.pauses[0], 2, at(1_us), at(5_us)));
  EXPECT_TRUE(is(timeline.pauses[1], 0, at(2_us), at(3_us)));
  EXPECT_TRUE(is(timeline.pauses[2], 0, at(6_us), at(9_us))) << "in force at the end";
  EXPECT_EQ(timeline.pauses_left_out, 0u);
}

TEST(TimelineRecorder, CountsThePausesItDoesNotKeep) {
  TimelineRecorder recorder(1, 10_us, 2, 2);
  for (int i = 0; i < 5; ++i) {
    recorder.pause(0, at(2_us * i));
    recorder.resume(0, at(2_us * i + 1_us));
  }
  const Timeline timeline = recorder.finish(at(20_us));
  ASSERT_EQ(timeline.pauses.size(), 2u);
  EXPECT_EQ(timeline.pauses[1].end, at(3_us));
  EXPECT_EQ(timeline.pauses_left_out, 3u);
}

TEST(TimelineRecorder, HasNothingWithoutASample) {
  TimelineRecorder recorder(4, 10_us);
  const Timeline timeline = recorder.finish(Time());
  EXPECT_FALSE(timeline.recorded());
  EXPECT_THAT(timeline.carried, IsEmpty());
}

}  // namespace
}  // namespace weir::timeline_recorder_test
