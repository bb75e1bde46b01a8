// SPDX-License-Identifier: Apache-2.0
#include "results/distribution.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "results/rank.h"

namespace weir::distribution_test {
namespace {

TEST(NearestRank, ByHand) {
  EXPECT_EQ(nearest_rank(0.5, 4), 2U);
  EXPECT_EQ(nearest_rank(0.5, 5), 3U);
  EXPECT_EQ(nearest_rank(0.99, 99), 99U);
  EXPECT_EQ(nearest_rank(0.99, 100), 99U);
  EXPECT_EQ(nearest_rank(0.99, 101), 100U);
  EXPECT_EQ(nearest_rank(0.0, 7), 1U);
  EXPECT_EQ(nearest_rank(1.0, 7), 7U);
  EXPECT_EQ(nearest_rank(0.5, 0), 0U);
}

TEST(NearestRank, IsNotMisledByRounding) {
  for (std::uint64_t percent = 1; percent <= 100; ++percent) {
    const double p = static_cast<double>(percent) / 100;
    EXPECT_EQ(nearest_rank(p, 100), percent);
    EXPECT_EQ(nearest_rank(p, 1'000'000), percent * 10'000);
  }
}

RC_GTEST_PROP(NearestRank, IsTheFirstThatHasTheShare, ()) {
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 100'000);
  const double p = *rc::gen::inRange(0, 1001) / 1000.0;
  const std::uint64_t rank = nearest_rank(p, count);
  RC_ASSERT(rank >= 1 && rank <= count);
  RC_ASSERT(static_cast<double>(rank) / static_cast<double>(count) >= p);
  RC_ASSERT(rank == 1 || static_cast<double>(rank - 1) / static_cast<double>(count) < p);
}

TEST(Distribution, OfTheNumbersToAHundred) {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const Distribution result = distribution_of(values);
  EXPECT_EQ(result.count, 100U);
  EXPECT_DOUBLE_EQ(result.mean, 50.5);
  EXPECT_EQ(result.p50, 50);
  EXPECT_EQ(result.p90, 90);
  EXPECT_EQ(result.p95, 95);
  EXPECT_EQ(result.p99, 99);
  EXPECT_EQ(result.maximum, 100);
}

TEST(Distribution, OfOneValueAndOfNone) {
  const Distribution one = distribution_of({3.5});
  EXPECT_EQ(one.p50, 3.5);
  EXPECT_EQ(one.p99, 3.5);
  EXPECT_EQ(one.mean, 3.5);
  EXPECT_TRUE(distribution_of({}).empty());
}

}  // namespace
}  // namespace weir::distribution_test
