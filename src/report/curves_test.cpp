// SPDX-License-Identifier: Apache-2.0
#include "report/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace weir::curves_test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

double value_at(const std::vector<CurvePoint>& points, double share) {
  const auto point = std::find_if(points.begin(), points.end(), [share](const auto& at) { return at.share == share; });
  return point == points.end() ? -1 : point->value;
}

TEST(Curve, TellsQuantiles) {
  std::vector<double> values(10'000);
  std::iota(values.rbegin(), values.rend(), 1.0);
  const auto points = curve_of(values);
  EXPECT_THAT(points, SizeIs(curve_shares().size()));
  EXPECT_EQ(value_at(points, 0), 1);
  EXPECT_EQ(value_at(points, 0.5), 5'000);
  EXPECT_EQ(value_at(points, 0.999), 9'990);
  EXPECT_EQ(value_at(points, 1), 10'000);
}

TEST(Curve, LeavesOutThePointsOfALevelLine) {
  const auto points = curve_of(std::vector<double>{7, 7, 7, 9});
  ASSERT_THAT(points, SizeIs(4));
  EXPECT_EQ(points[0].share, 0);
  EXPECT_EQ(points[1].share, 0.75);
  EXPECT_EQ(points[1].value, 7);
  EXPECT_EQ(points[2].share, 0.76);
  EXPECT_EQ(points[2].value, 9);
  EXPECT_EQ(points[3].share, 1);
}

TEST(Curve, OfAHistogramHasItsQuantiles) {
  Histogram histogram;
  histogram.add(0, 90);
  histogram.add(100, 10);
  const auto points = curve_of(histogram);
  EXPECT_EQ(value_at(points, 0), 0);
  EXPECT_EQ(value_at(points, 0.9), 0);
  EXPECT_EQ(value_at(points, 0.91), 100);
  EXPECT_EQ(value_at(points, 1), 100);
}

TEST(Curve, OfNothingIsEmpty) {
  EXPECT_THAT(curve_of(std::vector<double>()), IsEmpty());
  EXPECT_THAT(curve_of(Histogram()), IsEmpty());
}

}  // namespace
}  // namespace weir::curves_test
