// SPDX-License-Identifier: Apache-2.0
#include "traffic/decimal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace weir::decimal_test {
namespace {

std::int64_t value(std::string_view word, int scale = 12) {
  const auto parsed = parse_scaled_decimal(word, scale);
  EXPECT_TRUE(parsed.has_value()) << word;
  EXPECT_TRUE(parsed && parsed->exact) << word;
  return parsed ? parsed->value : -1;
}

TEST(ScaledDecimal, IsExact) {
  EXPECT_EQ(value("2"), 2'000'000'000'000);
  EXPECT_EQ(value("2.000000100"), 2'000'000'100'000);
  EXPECT_EQ(value("0.000000000001"), 1);
  EXPECT_EQ(value("9223372.036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(value(".5"), 500'000'000'000);
  EXPECT_EQ(value("5."), 5'000'000'000'000);
  EXPECT_EQ(value("1e-05"), 10'000'000);
  EXPECT_EQ(value("1.25E+2", 0), 125);
  EXPECT_EQ(value("-3.5", 1), -35);
  EXPECT_EQ(value("+3.5", 1), 35);
  EXPECT_EQ(value("0.1", 12), 100'000'000'000);  // 0.1 has no exact double
  EXPECT_EQ(value("0e99999", 0), 0);
  EXPECT_EQ(value("0000000000000000000000000000000000000000000001", 0), 1);
  EXPECT_EQ(value("1.0000000000000000000000000000000000000000000", 0), 1);
}

TEST(ScaledDecimal, RoundsHalfAwayFromZeroAndSaysSo) {
  const auto half = parse_scaled_decimal("2.0000000000005", 12);
  ASSERT_TRUE(half.has_value());
  EXPECT_EQ(half->value, 2'000'000'000'001);
  EXPECT_FALSE(half->exact);
  const auto below = parse_scaled_decimal("2.00000000000049999", 12);
  ASSERT_TRUE(below.has_value());
  EXPECT_EQ(below->value, 2'000'000'000'000);
  EXPECT_FALSE(below->exact);
  const auto tiny = parse_scaled_decimal("1e-2000000000", 12);
  ASSERT_TRUE(tiny.has_value());
  EXPECT_EQ(tiny->value, 0);
  EXPECT_FALSE(tiny->exact);
}

TEST(ScaledDecimal, RefusesWhatIsNoNumber) {
  for (const char* word : {"", "-", ".", "1.2.3", "1,5", "0x10", "nan", "inf", "1e", "1e+", "1e+-5", "1e5x", "1 ",
                           "--1", "1e99999999999"}) {
    EXPECT_FALSE(parse_scaled_decimal(word, 12).has_value()) << word;
  }
}

TEST(ScaledDecimal, RefusesWhatIsOutOfRange) {
  EXPECT_FALSE(parse_scaled_decimal("9223372.036854775808", 12).has_value());
  EXPECT_FALSE(parse_scaled_decimal("1e19", 0).has_value());
  EXPECT_FALSE(parse_scaled_decimal("1e2000000000", 0).has_value());
  EXPECT_FALSE(parse_scaled_decimal("99999999999999999999999999999999999999999999", 0).has_value());
}

TEST(ScaledDecimal, UndoesPrinting) {
  EXPECT_TRUE(
      rc::check("seconds printed with 12 decimals come back", [](std::uint32_t seconds, std::uint64_t fraction) {
        const std::int64_t whole = seconds % 9'000'000;
        const auto part = static_cast<std::int64_t>(fraction % 1'000'000'000'000);
        const auto parsed = parse_scaled_decimal(fmt::format("{}.{:012}", whole, part), 12);
        RC_ASSERT(parsed.has_value());
        RC_ASSERT(parsed->exact);
        RC_ASSERT(parsed->value == whole * 1'000'000'000'000 + part);
      }));
}

}  // namespace
}  // namespace weir::decimal_test
