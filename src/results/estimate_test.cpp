// SPDX-License-Identifier: Apache-2.0
#include "results/estimate.h"

#include <gtest/gtest.h>

namespace weir::estimate_test {
namespace {

TEST(Estimate, HasTheQuantilesOfPrintedTables) {
  EXPECT_NEAR(student_t(1), 12.7062, 1e-4);
  EXPECT_NEAR(student_t(2), 4.30265, 1e-5);
  EXPECT_NEAR(student_t(4), 2.77645, 1e-5);
  EXPECT_NEAR(student_t(9), 2.26216, 1e-5);
  EXPECT_NEAR(student_t(30), 2.04227, 1e-5);
  EXPECT_NEAR(student_t(1'000), 1.96234, 1e-5);
}

TEST(Estimate, IsTheMeanWithItsInterval) {
  // Mean 4, standard deviation 1, standard error 1 / sqrt(3), t of 2 degrees of freedom.
  const Estimate estimate = estimate_of({3, 4, 5});
  EXPECT_EQ(estimate.n, 3U);
  EXPECT_DOUBLE_EQ(estimate.mean, 4);
  EXPECT_NEAR(estimate.half_width(), 4.30265 / 1.7320508, 1e-5);
  EXPECT_NEAR(estimate.high - 4, 4 - estimate.low, 1e-12);
}

TEST(Estimate, OfOneRunHasNoInterval) {
  EXPECT_FALSE(estimate_of({7}).has_interval());
  EXPECT_EQ(estimate_text(estimate_of({7})), "7.00");
}

TEST(Estimate, OfEqualRunsHasNoWidth) {
  const Estimate estimate = estimate_of({0.1, 0.1, 0.1});
  EXPECT_EQ(estimate.low, 0.1);
  EXPECT_EQ(estimate.high, 0.1);
  EXPECT_EQ(estimate_text(estimate), "0.10 ±0");
}

TEST(Estimate, ShowsAsManyDigitsAsItsIntervalAllows) {
  EXPECT_EQ(estimate_text({.n = 5, .mean = 4.1034, .low = 3.8934, .high = 4.3134}), "4.10 ±0.21");
  EXPECT_EQ(estimate_text({.n = 5, .mean = 334.2, .low = 322, .high = 346.4}), "334 ±12");
  EXPECT_EQ(estimate_text({.n = 5, .mean = 0.5, .low = 0.499, .high = 0.501}, 100), "50.00 ±0.10");
}

}  // namespace
}  // namespace weir::estimate_test
