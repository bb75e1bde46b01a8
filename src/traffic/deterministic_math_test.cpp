// SPDX-License-Identifier: Apache-2.0
#include "traffic/deterministic_math.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace weir::deterministic::deterministic_math_test {
namespace {

TEST(DeterministicMath, LogAgreesWithTheLibrary) {
  RandomStream random(1, 2, 3);
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(1.0 + random.uniform(), static_cast<int>(random.below(2000)) - 1000);
    const double expected = std::log(x);
    EXPECT_NEAR(log(x), expected, 1e-15 * std::abs(expected) + 1e-16) << x;
  }
}

TEST(DeterministicMath, LogIsAccurateNearOne) {
  for (double distance = 0x1p-52; distance < 0.5; distance *= 2) {
    EXPECT_NEAR(log(1.0 + distance), std::log1p(distance), 1e-15 * distance) << distance;
    EXPECT_NEAR(log(1.0 - distance), std::log1p(-distance), 2e-15 * distance) << distance;
  }
  EXPECT_EQ(log(1.0), 0.0);
}

TEST(DeterministicMath, ExpAgreesWithTheLibrary) {
  RandomStream random(4, 5, 6);
  for (int i = 0; i < 100'000; ++i) {
    const double x = 1400.0 * random.uniform() - 700.0;
    const double expected = std::exp(x);
    // The last bit of the argument contributes |x| 2^-53 of the result.
    EXPECT_NEAR(exp(x), expected, expected * 1e-15) << x;
  }
  EXPECT_EQ(exp(0.0), 1.0);
}

TEST(DeterministicMath, ExpClamps) {
  EXPECT_EQ(exp(1e9), exp(700.0));
  EXPECT_EQ(exp(-1e9), exp(-700.0));
  EXPECT_GT(exp(-700.0), 0.0);
}

TEST(DeterministicMath, AreConstantExpressions) {
  static_assert(log(1.0) == 0.0);
  static_assert(exp(0.0) == 1.0);
  static_assert(log(8.0) > 2.0794415416798 && log(8.0) < 2.0794415416799);
}

TEST(DeterministicMath, BitsAreFixed) {
  // Every compiler and library must give exactly these bits; the last bit of exp(1) differs from that of e.
  EXPECT_EQ(std::bit_cast<std::uint64_t>(log(10.0)), std::uint64_t{0x40026bb1bbb55516});
  EXPECT_EQ(std::bit_cast<std::uint64_t>(exp(1.0)), std::uint64_t{0x4005bf0a8b14576a});
  RandomStream random(7, 8, 9);
  std::uint64_t digest = 0;
  for (int i = 0; i < 10'000; ++i) {
    digest = mix(digest, std::bit_cast<std::uint64_t>(normal(random)));
    digest = mix(digest, std::bit_cast<std::uint64_t>(exponential(random)));
    digest = mix(digest, std::bit_cast<std::uint64_t>(exp(2.0 * normal(random))));
  }
  EXPECT_EQ(digest, std::uint64_t{0x603ca2f0e6749d0f});
}

TEST(DeterministicMath, ExponentialHasItsDistribution) {
  RandomStream random(1, 1, 1);
  constexpr int kDraws = 400'000;
  double sum = 0.0;
  int above_one = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = exponential(random);
    ASSERT_GE(x, 0.0);
    sum += x;
    above_one += x > 1.0 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 1.0, 0.01);
  EXPECT_NEAR(static_cast<double>(above_one) / kDraws, std::exp(-1.0), 0.005);
}

TEST(DeterministicMath, NormalHasItsDistribution) {
  RandomStream random(2, 1, 1);
  constexpr int kDraws = 400'000;
  const std::array<double, 7> points{-3.0, -2.0, -1.0, 0.0, 0.5, 1.5, 2.5};
  std::array<int, 7> below{};
  double sum = 0.0;
  double squares = 0.0;
  double fourth = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double z = normal(random);
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    for (std::size_t k = 0; k < points.size(); ++k) below[k] += z < points[k] ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.01);
  EXPECT_NEAR(fourth / kDraws, 3.0, 0.08);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const double expected = 0.5 * std::erfc(-points[k] / std::sqrt(2.0));
    EXPECT_NEAR(static_cast<double>(below[k]) / kDraws, expected, 0.003) << points[k];
  }
}

}  // namespace
}  // namespace weir::deterministic::deterministic_math_test
