// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis::spfc_analysis_test {
namespace {

using testing::SizeIs;

/// The results of `weir analyze spfc` with the defaults: 32 ports, 16 MB, alpha 2, K 5, epsilon 0.75.
class SpfcAnalysis : public testing::Test {
 protected:
  [[nodiscard]] const NumberTable& table(std::string_view name) const {
    const auto found = std::find_if(findings_.tables.begin(), findings_.tables.end(),
                                    [&](const NumberTable& each) { return each.name == name; });
    if (found == findings_.tables.end()) throw std::invalid_argument(std::string(name));
    return *found;
  }

  Findings findings_ = find_analysis("spfc")->findings(Parameters(find_analysis("spfc")->parameters));
};

// "R_depart = R_input - delta Q_input" (equation 2): it results in the rates of equations 5 and 6.
TEST_F(SpfcAnalysis, HasTheRatesByTheGrowthOfQueues) {
  const NumberTable& growth = table("growth");
  const NumberTable& rates = table("burst_ports");
  ASSERT_THAT(growth.rows, SizeIs(29));
  for (std::size_t i = 0; i < growth.rows.size(); ++i) {
    EXPECT_NEAR(growth.rows[i][2], rates.rows[i][1], 1e-12);
    EXPECT_NEAR(growth.rows[i][4], rates.rows[i][2], 1e-12);
    EXPECT_DOUBLE_EQ(growth.rows[i][1] + growth.rows[i][2], 1);
  }
}

// Equations 3 and 4; for one port and no victims "Q_k(t) = T(t) = 2/3 B" (II.D).
TEST_F(SpfcAnalysis, SplitsWhatVictimAndNormalPortsHold) {
  bool has_one = false;
  std::size_t with_both = 0;
  for (const std::vector<double>& row : table("thresholds").rows) {
    EXPECT_NEAR(row[3], 2 * (16e6 - row[1] - row[2]), 1e-3);
    if (row[0] > 0) {
      EXPECT_NEAR(row[2] / row[0], row[3], 1e-3) << "all are at their threshold";
    }
    with_both += row[1] > 0 && row[2] > 0 ? 1 : 0;
    if (row[0] != 1 || row[1] != 0) continue;
    has_one = true;
    EXPECT_NEAR(row[2], 16e6 * 2 / 3, 1e-3);
  }
  EXPECT_TRUE(has_one);
  EXPECT_GT(with_both, 20u);
}

// "First, when N < 4, SPFC identifies the burst port as the victim port." (IV.C)
TEST_F(SpfcAnalysis, CoversFourBurstPortsWithFive) {
  for (const std::vector<double>& row : table("range_of_k").rows) {
    if (row[0] == 5) {
      EXPECT_EQ(row[2] > 0, row[1] >= 4) << row[1] << " burst ports";
    }
  }
}

}  // namespace
}  // namespace weir::analysis::spfc_analysis_test
