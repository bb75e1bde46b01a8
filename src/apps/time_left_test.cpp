// SPDX-License-Identifier: Apache-2.0
#include "apps/time_left.h"

#include <gtest/gtest.h>

namespace weir::apps::time_left_test {
namespace {

TEST(TimeLeft, IsUnknownWhereNothingIsKnown) {
  TimeLeft left({std::nullopt, std::nullopt});
  left.begin(0);
  EXPECT_EQ(left.seconds(0, 5), std::nullopt);
  EXPECT_EQ(TimeLeft({0.0, std::nullopt}).seconds(0, 5), std::nullopt);
}

TEST(TimeLeft, AddsUpWhatRowsAreExpectedToTake) {
  TimeLeft left({10.0, 20.0, 0.0, 40.0});
  left.begin(1);
  EXPECT_EQ(left.seconds(0, 5), 15.0 + 40.0);
  // Longer than expected.
  EXPECT_EQ(left.seconds(0, 25), 40.0);
}

TEST(TimeLeft, TakesTheMeanForWhatIsUnknown) {
  TimeLeft left({10.0, std::nullopt, 0.0, 30.0});
  left.begin(0);
  EXPECT_EQ(left.seconds(0, 4), 6.0 + 20.0 + 30.0);
}

TEST(TimeLeft, LearnsFromTheRowThatRunsAndFromThoseThatAreDone) {
  TimeLeft left({std::nullopt, std::nullopt, std::nullopt});
  left.begin(0);
  // A quarter took 5 s: 15 s are left, and 20 s for each of the others.
  EXPECT_EQ(left.seconds(0.25, 5), 15.0 + 40.0);
  left.finish(30);
  left.begin(1);
  EXPECT_EQ(left.seconds(0, 0), 30.0 + 30.0);
}

}  // namespace
}  // namespace weir::apps::time_left_test
