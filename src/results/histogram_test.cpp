// SPDX-License-Identifier: Apache-2.0
#include "results/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "results/rank.h"

namespace weir::histogram_test {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr double kError = 1.0 / 64;

Histogram histogram_of(const std::vector<std::int64_t>& values) {
  Histogram histogram;
  for (const std::int64_t value : values) histogram.add(value);
  return histogram;
}

/// Values of every magnitude with equal probability.
rc::Gen<std::vector<std::int64_t>> many_values() {
  const auto value = rc::gen::map(rc::gen::pair(rc::gen::arbitrary<std::uint64_t>(), rc::gen::inRange(1, 64)),
                                  [](const std::pair<std::uint64_t, int>& bits_and_shift) {
                                    return static_cast<std::int64_t>(bits_and_shift.first >> bits_and_shift.second);
                                  });
  return rc::gen::container<std::vector<std::int64_t>>(rc::gen::noShrink(value));
}

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;
  EXPECT_EQ(histogram.count(), 0U);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.maximum(), 0);
  EXPECT_EQ(histogram.quantile(0.0), 0);
  EXPECT_EQ(histogram.quantile(1.0), 0);
}

TEST(Histogram, HoldsZeroAsAValue) {
  Histogram histogram;
  histogram.add(0, 99);
  histogram.add(1000);
  EXPECT_EQ(histogram.count(), 100U);
  EXPECT_EQ(histogram.quantile(0.5), 0);
  EXPECT_EQ(histogram.quantile(0.99), 0);
  EXPECT_EQ(histogram.quantile(1.0), 1000);
  EXPECT_DOUBLE_EQ(histogram.mean(), 10.0);
}

TEST(Histogram, IsExactBelow128) {
  Histogram histogram;
  for (int value = 0; value < 128; ++value) histogram.add(value);
  for (int rank = 1; rank <= 128; ++rank) EXPECT_EQ(histogram.quantile(rank / 128.0), rank - 1);
}

TEST(Histogram, GivesTheBucketsUpperBoundButNotAboveTheMaximum) {
  Histogram histogram;
  histogram.add(128);  // in the same bucket as 129, the first bucket of two values
  histogram.add(200);
  EXPECT_EQ(histogram.quantile(0.5), 129);
  EXPECT_EQ(histogram.quantile(1.0), 200);
}

TEST(Histogram, BucketsMeetAtEveryPowerOfTwo) {
  for (int power = 7; power < 63; ++power) {
    const std::int64_t value = std::int64_t{1} << power;
    Histogram histogram = histogram_of({value - 1, value, kLargest});
    EXPECT_EQ(histogram.quantile(0.1), value - 1) << power;  // the last value of its bucket
    EXPECT_EQ(histogram.quantile(0.5), value + (value >> 6) - 1) << power;
  }
}

TEST(Histogram, HoldsTheLargestValuesAndTheirSum) {
  Histogram histogram;
  histogram.add(kLargest, 1'000'000'000);
  EXPECT_EQ(histogram.quantile(0.5), kLargest);
  EXPECT_EQ(histogram.maximum(), kLargest);
  EXPECT_DOUBLE_EQ(histogram.mean(), static_cast<double>(kLargest));
}

TEST(Histogram, ACountOfZeroAddsNothing) {
  Histogram histogram;
  histogram.add(5, 0);
  EXPECT_EQ(histogram, Histogram());
}

RC_GTEST_PROP(Histogram, QuantilesAreWithinABucketAboveTheExactOnes, ()) {
  const auto values = *rc::gen::nonEmpty(many_values());
  const Histogram histogram = histogram_of(values);
  std::vector<std::int64_t> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (const double p : {0.0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1.0}) {
    const std::int64_t exact = sorted[nearest_rank(p, sorted.size()) - 1];
    const std::int64_t told = histogram.quantile(p);
    RC_ASSERT(told >= exact);
    RC_ASSERT(static_cast<double>(told - exact) <= static_cast<double>(exact) * kError);
  }
  RC_ASSERT(histogram.maximum() == sorted.back());
}

RC_GTEST_PROP(Histogram, MergingIsAddingAll, ()) {
  const auto first = *many_values();
  const auto second = *many_values();
  Histogram merged = histogram_of(first);
  merged.merge(histogram_of(second));
  std::vector<std::int64_t> all = first;
  all.insert(all.end(), second.begin(), second.end());
  RC_ASSERT(merged == histogram_of(all));
}

RC_GTEST_PROP(Histogram, AddingACountIsAddingOftenAndOrderDoesNotMatter, ()) {
  auto values = *many_values();
  const auto times = *rc::gen::inRange(1, 5);
  Histogram counted;
  for (const std::int64_t value : values) counted.add(value, static_cast<std::uint64_t>(times));
  std::reverse(values.begin(), values.end());
  Histogram repeated;
  for (int i = 0; i < times; ++i) repeated.merge(histogram_of(values));
  RC_ASSERT(counted == repeated);
}

}  // namespace
}  // namespace weir::histogram_test
