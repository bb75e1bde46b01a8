// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/fair_rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>

namespace weir::rocc::fair_rate_test {
namespace {

constexpr std::int64_t kOne = std::int64_t{1} << kRateBits;

/// The values of section 6 at 40 Gbit/s: lengths in steps of 600 bytes, rates in steps of 10 Mbit/s.
LoopSettings paper() {
  return {.q_reference = 250,
          .q_middle = 500,
          .q_maximum = 600,
          .f_minimum = 10,
          .f_maximum = 4000,
          .alpha = 19'661,  // 0.3
          .beta = 98'304};  // 1.5
}

LoopState at(std::int64_t rate, std::int64_t length) {
  return {rate * kOne, length};
}

TEST(FairRate, BeginsAtTheMost) {
  EXPECT_EQ(initial_state(paper()), at(4000, 0));
}

TEST(FairRate, ALongQueueCutsToTheLeast) {  // [ROCC-CP-2]
  EXPECT_EQ(updated(paper(), at(4000, 590), 600), at(10, 600));
  EXPECT_GT(updated(paper(), at(4000, 590), 599).rate, 10 * kOne);
}

TEST(FairRate, AQueueThatGrowsFastHalves) {  // [ROCC-CP-3]
  EXPECT_EQ(updated(paper(), at(4000, 50), 550), at(2000, 550));
  EXPECT_NE(updated(paper(), at(4000, 51), 550).rate, 2000 * kOne);
}

TEST(FairRate, LowRatesAreNotCut) {  // [ROCC-CP-2] [ROCC-CP-3]
  EXPECT_EQ(updated(paper(), at(501, 590), 600).rate, 10 * kOne);
  // At F_max / 8 the controller is used: -(0.3 x 350 + 1.5 x 10) / 4.
  EXPECT_NEAR(static_cast<double>(updated(paper(), at(500, 590), 600).rate) / kOne, 500 - 120.0 / 4, 0.01);
  EXPECT_NEAR(static_cast<double>(updated(paper(), at(500, 0), 500).rate) / kOne, 500 - (75 + 750.0) / 4, 0.02);
}

TEST(FairRate, FollowsErrorAndGrowth) {  // [ROCC-CP-4]
  // 2000 is not below F_max / 2: the first region.
  EXPECT_NEAR(static_cast<double>(updated(paper(), at(2000, 250), 350).rate) / kOne, 2000 - 30 - 150, 0.01);
  EXPECT_NEAR(static_cast<double>(updated(paper(), at(2000, 350), 250).rate) / kOne, 2000 + 150, 0.01);
  EXPECT_EQ(updated(paper(), at(2000, 250), 250), at(2000, 250));  // at rest
}

TEST(FairRate, StaysWithinItsBounds) {  // [ROCC-CP-5]
  EXPECT_EQ(updated(paper(), at(3999, 200), 0).rate, 4000 * kOne);
  EXPECT_EQ(updated(paper(), at(11, 300), 599).rate, 10 * kOne);
}

TEST(FairRate, HasSixRegions) {  // [ROCC-CP-6]
  const auto region = [](std::int64_t rate) { return region_of(paper(), rate * kOne); };
  EXPECT_EQ(region(4000), 0);
  EXPECT_EQ(region(2000), 0);
  EXPECT_EQ(region(1999), 1);
  EXPECT_EQ(region(1000), 1);
  EXPECT_EQ(region(999), 2);
  EXPECT_EQ(region(499), 3);
  EXPECT_EQ(region(249), 4);
  EXPECT_EQ(region(125), 4);
  EXPECT_EQ(region(124), 5);
  EXPECT_EQ(region(10), 5);
  EXPECT_EQ(region_of(paper(), 2000 * kOne - 1), 1);
}

TEST(FairRate, HalvesTheGainsFromRegionToRegion) {  // [ROCC-CP-6]
  for (const auto& [rate, region] : {std::pair{2000, 0}, {1500, 1}, {800, 2}, {400, 3}, {200, 4}, {100, 5}}) {
    const std::int64_t change = updated(paper(), at(rate, 250), 260).rate - rate * kOne;
    EXPECT_NEAR(static_cast<double>(change) / kOne, -18.0 / (1 << region), 0.01) << rate;
  }
}

TEST(FairRate, ACnpCarriesWholeSteps) {  // [ROCC-CP-7]
  EXPECT_EQ((LoopState{400 * kOne + kOne - 1, 0}).whole_rate(), 400);
}

// For any valid input from the wire, nothing overflows and the rate stays within its bounds.
RC_GTEST_PROP(FairRateProperty, NeverLeavesItsBounds, ()) {  // [ROCC-CP-5]
  const auto length = [] { return *rc::gen::inRange<std::int64_t>(0, kMostLength + 1); };
  const auto gain = [] { return *rc::gen::inRange<std::int64_t>(0, kMostGain + 1); };
  LoopSettings settings = {length(), length(), length(), 1, 1, gain(), gain()};
  settings.f_maximum = *rc::gen::inRange<std::int64_t>(1, kMostRate + 1);
  settings.f_minimum = *rc::gen::inRange<std::int64_t>(1, settings.f_maximum + 1);
  RC_ASSERT(settings.valid());
  LoopState state = initial_state(settings);
  for (int i = 0; i < 20; ++i) {
    state = updated(settings, state, length());
    RC_ASSERT(state.rate >= settings.f_minimum * kOne);
    RC_ASSERT(state.rate <= settings.f_maximum * kOne);
  }
}

TEST(FairRate, KnowsSettingsThatCannotBe) {  // [ROCC-HOST-1]
  EXPECT_TRUE(paper().valid());
  LoopSettings wrong = paper();
  wrong.f_minimum = 0;
  EXPECT_FALSE(wrong.valid());
  wrong = paper();
  wrong.f_minimum = 4001;
  EXPECT_FALSE(wrong.valid());
  wrong = paper();
  wrong.alpha = kMostGain + 1;
  EXPECT_FALSE(wrong.valid());
  wrong = paper();
  wrong.q_reference = kMostLength + 1;
  EXPECT_FALSE(wrong.valid());
}

}  // namespace
}  // namespace weir::rocc::fair_rate_test
