// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis::rocc_analysis_test {
namespace {

/// The results with default parameters.
class RoccAnalysis : public testing::Test {
 protected:
  [[nodiscard]] const std::vector<std::vector<double>>& rows(std::string_view name) const {
    const auto found = std::find_if(findings_.tables.begin(), findings_.tables.end(),
                                    [&](const NumberTable& table) { return table.name == name; });
    EXPECT_NE(found, findings_.tables.end()) << name;
    return found->rows;
  }
  [[nodiscard]] const Chart& chart(std::string_view name) const {
    const auto found = std::find_if(findings_.charts.begin(), findings_.charts.end(),
                                    [&](const Chart& each) { return each.name == name; });
    EXPECT_NE(found, findings_.charts.end()) << name;
    return *found;
  }
  /// Phase margin in degrees from a row of `flows`; `pair` is counted from 0.3 : 3.
  [[nodiscard]] double margin(int pair, double flows) const {
    for (const auto& row : rows("flows")) {
      if (std::abs(row[0] - 0.3 / (1 << pair)) < 1e-9 && row[2] == flows) return row[3];
    }
    ADD_FAILURE() << "no row of pair " << pair << " and " << flows << " flows";
    return 0;
  }

  Findings findings_ = find_analysis("rocc")->findings(Parameters(find_analysis("rocc")->parameters));
};

// "Setting N = 10 reduces the phase margin from 50 to -50, making the system completely unstable." (5.2, figure 6)
// Equation 6 itself gives 49 and -63.
TEST_F(RoccAnalysis, TenFlowsMakeTheLoopOfTwoUnstable) {
  EXPECT_NEAR(margin(0, 2), 49.3, 0.1);
  EXPECT_NEAR(margin(0, 10), -62.6, 2.5);
}

// "The larger the number of flows, the less stable our system would be for fixed alpha and beta." (5.2)
TEST_F(RoccAnalysis, MoreFlowsNeedSmallerGains) {
  for (int pair = 0; pair < 6; ++pair) EXPECT_GT(margin(pair, 2 << pair), 0) << pair;
  for (int pair = 0; pair < 3; ++pair) EXPECT_LT(margin(pair, 10 << pair), 0) << pair;
}

// "Setting alpha = 0.0093 and beta = 0.0937 ensures a phase margin above 20 degrees" for N in [2, 128] (5.2). These are
// 0.3 and 3 over 32, the last pair.
TEST_F(RoccAnalysis, TheSmallestGainsAreStableForAll) {
  for (const auto& row : rows("flows")) {
    if (row[0] > 0.0094 || row[2] > 128) continue;
    EXPECT_GT(row[3], 20) << row[2];
  }
}

// "A higher loop bandwidth yields a faster response time"; it falls with the gains (figure 7b).
TEST_F(RoccAnalysis, SmallerGainsAreSlower) {
  const Chart& bandwidth = chart("bandwidth_of_flows");
  ASSERT_EQ(bandwidth.curves.size(), 6u);
  for (std::size_t pair = 1; pair < 6; ++pair) {
    EXPECT_LT(bandwidth.curves[pair].points[0].y, bandwidth.curves[pair - 1].points[0].y);
  }
}

// Figure 5: at N = 2, 0.3 : 3 is stable, but four times the gain of the change is not.
TEST_F(RoccAnalysis, TheMarginFallsWithTheGains) {
  const auto& curves = chart("phase_margin_of_gains").curves;
  EXPECT_NEAR(curves[2].points[9].y, 49.3, 0.1);  // alpha 0.3, beta 3
  EXPECT_LT(curves[4].points[9].y, 0);            // alpha 0.3, beta 12
}

// The gain crosses 0 dB where the phase exceeds -180 degrees by the margin (figure 6).
TEST_F(RoccAnalysis, BodeShowsTheMargin) {
  double crossed = 0;
  for (const auto& row : rows("bode")) {
    if (row[0] == 2 && row[2] > 0) crossed = row[3];
  }
  EXPECT_NEAR(crossed + 180, 49.3, 3);
}

// Six regions keep the loop stable up to 128 flows, but not at the 300 of section 6.3.
TEST_F(RoccAnalysis, TuningKeepsTheLoopStableUpTo128) {
  for (const auto& row : rows("tuned")) {
    if (row[0] > 128) continue;
    EXPECT_GT(row[4], 0) << row[0];
  }
  EXPECT_EQ(rows("tuned").back()[0], 300);
  EXPECT_LT(rows("tuned").back()[4], 0);
}

}  // namespace
}  // namespace weir::analysis::rocc_analysis_test
