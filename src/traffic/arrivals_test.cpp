// SPDX-License-Identifier: Apache-2.0
#include "traffic/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace weir::arrivals_test {
namespace {

using Kind = ArrivalShape::Kind;

TEST(ArrivalProcess, ConstantKeepsFractionsOfPicoseconds) {
  ArrivalProcess arrivals({Kind::constant}, 2.25);
  RandomStream random(1, 1, 1);
  Duration sum;
  for (int i = 0; i < 4000; ++i) sum += arrivals.next(random);
  EXPECT_EQ(sum.picoseconds(), 9000);
}

TEST(ArrivalProcess, DenseExponentialArrivalsKeepTheirMean) {
  // Memcached on 128 hosts has one flow per 190 ps; rounding each interval down would lose 0.5 ps per flow.
  ArrivalProcess arrivals({Kind::exponential}, 3.7);
  RandomStream random(1, 1, 1);
  Duration sum;
  constexpr int kArrivals = 1'000'000;
  for (int i = 0; i < kArrivals; ++i) sum += arrivals.next(random);
  EXPECT_NEAR(static_cast<double>(sum.picoseconds()) / kArrivals, 3.7, 0.02);
}

TEST(ArrivalProcess, ExponentialMoments) {
  constexpr double kMean = 1e6;
  constexpr int kArrivals = 400'000;
  ArrivalProcess arrivals({Kind::exponential}, kMean);
  RandomStream random(3, 1, 1);
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kArrivals; ++i) {
    const auto x = static_cast<double>(arrivals.next(random).picoseconds()) / kMean;
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / kArrivals, 1.0, 0.01);
  EXPECT_NEAR(squares / kArrivals, 2.0, 0.04);
}

TEST(ArrivalProcess, LognormalMoments) {
  // Of the logarithm: ln x is normal with mean -sigma^2 / 2 and variance sigma^2. Of x itself: the mean.
  for (const double sigma : {0.5, 1.0, 2.0}) {
    constexpr double kMean = 1e9;
    constexpr int kArrivals = 400'000;
    ArrivalProcess arrivals({Kind::lognormal, sigma}, kMean);
    RandomStream random(4, 1, 1);
    double sum = 0.0;
    double logs = 0.0;
    double squares = 0.0;
    for (int i = 0; i < kArrivals; ++i) {
      const auto x = static_cast<double>(arrivals.next(random).picoseconds()) / kMean;
      sum += x;
      logs += std::log(x);
      squares += std::log(x) * std::log(x);
    }
    const double mean = logs / kArrivals;
    EXPECT_NEAR(sum / kArrivals, 1.0, sigma < 2.0 ? 0.02 : 0.06) << sigma;
    EXPECT_NEAR(mean, -0.5 * sigma * sigma, 0.01) << sigma;
    EXPECT_NEAR(squares / kArrivals - mean * mean, sigma * sigma, 0.01 * sigma * sigma) << sigma;
  }
}

TEST(ArrivalProcess, LognormalMedianIsFarBelowItsMean) {
  ArrivalProcess arrivals({Kind::lognormal, 2.0}, 1e9);
  RandomStream random(5, 1, 1);
  std::vector<Duration> intervals;
  for (int i = 0; i < 100'001; ++i) intervals.push_back(arrivals.next(random));
  std::nth_element(intervals.begin(), intervals.begin() + 50'000, intervals.end());
  EXPECT_NEAR(static_cast<double>(intervals[50'000].picoseconds()), 1e9 * std::exp(-2.0), 0.03e9 * std::exp(-2.0) * 2);
}

TEST(ArrivalProcess, HugeIntervalsSaturate) {
  ArrivalProcess arrivals({Kind::constant}, 1e30);
  RandomStream random(5, 1, 1);
  EXPECT_EQ(arrivals.next(random).picoseconds(), std::int64_t{1} << 61);
}

TEST(ArrivalShape, SigmaIsChecked) {
  EXPECT_TRUE(shape_problems({Kind::lognormal, 2.0}).empty());
  EXPECT_TRUE(shape_problems({Kind::exponential, -1.0}).empty());
  EXPECT_EQ(shape_problems({Kind::lognormal, -0.1}).size(), 1u);
  EXPECT_EQ(shape_problems({Kind::lognormal, 0.0}).size(), 0u);
  EXPECT_EQ(shape_problems({Kind::lognormal, 6.0}).size(), 1u);
  EXPECT_EQ(shape_problems({Kind::lognormal, std::nan("")}).size(), 1u);
}

}  // namespace
}  // namespace weir::arrivals_test
