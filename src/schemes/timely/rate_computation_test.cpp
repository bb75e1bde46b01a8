// SPDX-License-Identifier: Apache-2.0
#include "schemes/timely/rate_computation.h"

#include <gtest/gtest.h>

namespace weir::timely::rate_computation_test {
namespace {

using namespace literals;

constexpr BitRate kLine = BitRate(10'000'000'000);

Settings paper() {
  return {.variant = Variant::paper,
          .alpha = 0.875,
          .beta = 0.8,
          .patched_beta = 0.008,
          .additive_increase = 10_Mbps,
          .hyper_increase = 5,
          .hyper_increase_after = 5,
          .low_threshold = 50_us,
          .high_threshold = 500_us,
          .minimum_round_trip = 20_us,
          .reference_round_trip = 50_us,
          .minimum_rate = 100_Mbps};
}

class RateComputationTest : public testing::Test {
 protected:
  RateComputationTest() { rate.open(kLine); }
  void measured(Duration round_trip) { rate.on_round_trip(settings, round_trip); }
  /// Cuts to about half the line rate, far from both limits, and ends with a round trip of 100 us that did not grow.
  void settle() {
    measured(100_us);
    measured(115_us);
    measured(100_us);
    measured(100_us);
  }
  [[nodiscard]] double mbps() const { return static_cast<double>(rate.rate().bits_per_second()) / 1e6; }

  Settings settings = paper();
  RateComputation rate;
};

TEST_F(RateComputationTest, StartsAtLineRateAndTheFirstRoundTripIsOnlyRemembered) {  // [TIMELY-START-1] [TIMELY-RTT-3]
  measured(900_us);
  EXPECT_EQ(rate.rate(), kLine);
  EXPECT_EQ(rate.gradient(), 0);
}

TEST_F(RateComputationTest, TheGradientIsASmoothedDifferenceOverTheMinimum) {  // [TIMELY-RATE-1]
  measured(100_us);
  measured(104_us);
  EXPECT_DOUBLE_EQ(rate.gradient(), 0.875 * 4 / 20);
  measured(104_us);
  EXPECT_DOUBLE_EQ(rate.gradient(), 0.125 * 0.875 * 4 / 20);
}

TEST_F(RateComputationTest, AGrowingRoundTripCutsByItsGradient) {  // [TIMELY-RATE-5]
  measured(100_us);
  measured(110_us);
  EXPECT_NEAR(mbps(), 10'000 * (1 - 0.8 * 0.875 * 10 / 20), 1e-5);
}

TEST_F(RateComputationTest, AShortRoundTripRaisesWhateverTheGradient) {  // [TIMELY-RATE-2]
  settle();
  measured(30_us);
  const double before = mbps();
  measured(49_us);
  EXPECT_GT(rate.gradient(), 0);
  EXPECT_NEAR(mbps(), before + 10, 1e-5);
}

TEST_F(RateComputationTest, ALongRoundTripCutsWhateverTheGradient) {  // [TIMELY-RATE-3]
  measured(2'000_us);
  measured(1'000_us);
  EXPECT_LT(rate.gradient(), 0);
  EXPECT_NEAR(mbps(), 10'000 * (1 - 0.8 * (1 - 0.5)), 1e-5);
}

TEST_F(RateComputationTest, TheFifthRoundTripInARowThatDoesNotGrowIsWorthFive) {  // [TIMELY-RATE-4]
  settle();  // the last but one started a series of non-growing round trips, the last is the second of it
  double before = mbps();
  for (int row = 3; row <= 4; ++row) {
    measured(100_us - 1_ns * row);
    EXPECT_NEAR(mbps(), before + 10, 1e-5) << row;
    before = mbps();
  }
  for (int row = 5; row <= 7; ++row) {
    measured(100_us - 1_ns * row);
    EXPECT_NEAR(mbps(), before + 50, 1e-5) << row;
    before = mbps();
  }
  measured(101_us);  // grows, which ends the series
  before = mbps();
  measured(90_us);
  EXPECT_NEAR(mbps(), before + 10, 1e-5);
}

TEST_F(RateComputationTest, ARoundTripBelowTheThresholdEndsTheRow) {  // [TIMELY-RATE-4]
  settle();
  for (int row = 3; row <= 4; ++row) measured(100_us - 1_ns * row);
  measured(40_us);
  const double before = mbps();
  measured(60_us);  // grows
  measured(59_us);
  EXPECT_LT(mbps(), before);
  const double cut = mbps();
  measured(58_us);
  EXPECT_NEAR(mbps(), cut + 10, 1e-5);
}

TEST_F(RateComputationTest, StaysBetweenMinimumAndLineRate) {  // [TIMELY-RATE-6]
  for (int i = 1; i < 100; ++i) measured(100_us * i);
  EXPECT_EQ(rate.rate(), 100_Mbps);
  for (int i = 0; i < 5'000; ++i) measured(30_us);
  EXPECT_EQ(rate.rate(), kLine);
  rate.open(10_Mbps);  // a flow whose own limit is lower
  for (int i = 1; i < 9; ++i) measured(1'000_us);
  EXPECT_EQ(rate.rate(), 10_Mbps);
}

TEST_F(RateComputationTest, AStrongGradientCutsNoFurtherThanTheMinimum) {  // [TIMELY-RATE-5]
  measured(60_us);
  measured(400_us);
  EXPECT_EQ(rate.rate(), 100_Mbps);
}

TEST_F(RateComputationTest, PatchedRestsWhereIncreaseAndDecreaseAreEqual) {  // [TIMELY-PATCH-1] [TIMELY-PATCH-2]
  settings.variant = Variant::patched;
  // At a gradient of zero the weight is a half: delta = rate * beta * error, error = 10 / (0.008 * 2,500) = 1/2.
  rate.open(2'500_Mbps);
  for (int i = 0; i < 50; ++i) measured(75_us);
  EXPECT_NEAR(mbps(), 2'500, 0.01);
}

TEST_F(RateComputationTest, PatchedWeighsByTheGradient) {  // [TIMELY-PATCH-1]
  settings.variant = Variant::patched;
  measured(100_us);
  measured(104_us);  // gradient 0.175: weight 0.85, error 1.08
  EXPECT_NEAR(mbps(), 10'000 * (1 - 0.008 * 0.85 * 1.08) + 10 * 0.15, 1e-5);
  const double before = mbps();
  measured(80_us);  // gradient below -1/4: weight 0
  EXPECT_NEAR(mbps(), before + 10, 1e-5);
  const double risen = mbps();
  measured(200_us);  // above 1/4: weight 1
  EXPECT_NEAR(mbps(), risen * (1 - 0.008 * 3), 1e-5);
}

TEST_F(RateComputationTest, PatchedHasOneBeta) {  // [TIMELY-PATCH-3]
  settings.variant = Variant::patched;
  measured(1'000_us);
  measured(1'000_us);  // above T_high
  EXPECT_NEAR(mbps(), 10'000 * (1 - 0.008 * (1 - 0.5)), 1e-5);
}

TEST_F(RateComputationTest, TheSimulatorCountsAllIncreasesAndTheSixthIsGreater) {  // [TIMELY-SIM-2]
  settings.variant = Variant::hpcc_simulator;
  settle();
  measured(110_us);
  double before = mbps();
  for (int row = 1; row <= 5; ++row) {
    measured(40_us);
    EXPECT_NEAR(mbps(), before + 10, 1e-5) << row;
    before = mbps();
  }
  measured(40_us);
  EXPECT_NEAR(mbps(), before + 50, 1e-5);
}

}  // namespace
}  // namespace weir::timely::rate_computation_test
