// SPDX-License-Identifier: Apache-2.0
#include "sim/series_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace weir::series_recorder_test {
namespace {

using testing::ElementsAre;
using Joint = SeriesRecorder::Joint;

constexpr Duration kInterval = Duration::picoseconds(1000);

SeriesRecorder after(Joint joint, std::size_t samples, std::size_t kept) {
  SeriesRecorder recorder(joint, kInterval, kept);
  for (std::size_t i = 1; i <= samples; ++i) recorder.add(static_cast<double>(i));
  return recorder;
}

TEST(SeriesRecorder, KeepsSamplesAsTheyAreWhileTheyAreFew) {
  const Series series = after(Joint::mean, 4, 4).series("queue bytes");
  EXPECT_EQ(series.name, "queue bytes");
  EXPECT_EQ(series.interval, kInterval);
  EXPECT_THAT(series.values, ElementsAre(1, 2, 3, 4));
}

TEST(SeriesRecorder, JoinsNeighboursWhenTheyAreMany) {
  const Series means = after(Joint::mean, 8, 4).series("");
  EXPECT_EQ(means.interval, 2 * kInterval);
  EXPECT_THAT(means.values, ElementsAre(1.5, 3.5, 5.5, 7.5));
  EXPECT_THAT(after(Joint::highest, 8, 4).series("").values, ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(after(Joint::highest, 10, 4).series("").values, ElementsAre(4, 8, 10));
}

TEST(SeriesRecorder, GivesAPartOfAnIntervalTheMeanOfItsSamples) {
  const Series series = after(Joint::mean, 11, 4).series("");
  EXPECT_EQ(series.interval, 4 * kInterval);
  EXPECT_THAT(series.values, ElementsAre(2.5, 6.5, 10));
}

TEST(SeriesRecorder, IsBoundedHoweverLongTheRun) {
  const std::size_t samples = 1'000'000;
  const Series series = after(Joint::mean, samples, 512).series("");
  EXPECT_LE(series.values.size(), 512u);
  EXPECT_GE(series.values.size(), 256u);
  EXPECT_EQ(series.interval, 2048 * kInterval);
  EXPECT_EQ(series.values.front(), 1024.5);
}

}  // namespace
}  // namespace weir::series_recorder_test
