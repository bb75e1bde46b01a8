// SPDX-License-Identifier: Apache-2.0
#include "results/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace weir::text_test {
namespace {

TEST(FormatNumber, ThreeSignificantDigits) {
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(0.0004), "<0.001");
  EXPECT_EQ(format_number(0.0416), "0.042");
  EXPECT_EQ(format_number(0.09994), "0.100");
  EXPECT_EQ(format_number(0.1), "0.10");
  EXPECT_EQ(format_number(1), "1.00");
  EXPECT_EQ(format_number(9.994), "9.99");
  EXPECT_EQ(format_number(9.996), "10.0");
  EXPECT_EQ(format_number(99.94), "99.9");
  EXPECT_EQ(format_number(99.96), "100");
  EXPECT_EQ(format_number(1234.5678), "1235");
  EXPECT_EQ(format_number(123456789), "123456789");
}

TEST(FormatNumber, WhatIsNoNumberIsNothing) {
  EXPECT_EQ(format_number(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(format_number(std::numeric_limits<double>::infinity()), "-");
}

TEST(FormatNumber, OtherUnits) {
  EXPECT_EQ(format_percent(0.0123), "1.23");
  EXPECT_EQ(format_megabytes(9'437'184), "9.44");
}

TEST(DisplayWidth, CountsCodePoints) {
  EXPECT_EQ(display_width(""), 0U);
  EXPECT_EQ(display_width("abc"), 3U);
  EXPECT_EQ(display_width("µs"), 2U);
}

TEST(Wrap, BreaksAtBlanks) {
  EXPECT_EQ(wrap("", 10), "");
  EXPECT_EQ(wrap("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrap("one two three", 6), "one\ntwo\nthree\n");
  EXPECT_EQ(wrap("one incomprehensibility two", 8), "one\nincomprehensibility\ntwo\n");
  EXPECT_EQ(wrap("one two three", 0), "one two three\n");
  EXPECT_EQ(wrap("µµ µµ", 5), "µµ µµ\n");
}

}  // namespace
}  // namespace weir::text_test
