// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis::pyrrha_analysis_test {
namespace {

std::vector<double> row(const Findings& findings, std::string_view name, double k) {
  for (const NumberTable& table : findings.tables) {
    if (table.name != name) continue;
    for (const std::vector<double>& row : table.rows) {
      if (row[0] == k) return row;
    }
  }
  throw std::invalid_argument(std::string(name));
}

// 14 blocks of paths and 5 of roots, by hand; 9 bits for each of 36^5 / 8 pairs of port and roots.
TEST(PyrrhaAnalysis, ShowsTheUnitsAndTheirTotals) {
  const Findings findings = find_analysis("pyrrha")->findings(Parameters(find_analysis("pyrrha")->parameters));
  EXPECT_EQ(row(findings, "path_memory", 36)[5], 14 * 16'384);
  EXPECT_EQ(row(findings, "path_memory", 36)[7], 0);
  EXPECT_EQ(row(findings, "path_entries", 36)[1], 11'664);
  const std::vector<double> total = row(findings, "totals", 36);
  EXPECT_NEAR(total[2], 19 * 16'384 + 9.0 / 8 * 36 * 36 * 36 * 36 * 36 / 8, 2 * 16'384);
  EXPECT_EQ(total[3] - total[2], 1'880'000);
  EXPECT_EQ(total[4], 100 * total[3] / 25'000'000);
}

TEST(PyrrhaAnalysis, RefusesEntriesWiderThanAWord) {
  const Analysis& analysis = *find_analysis("pyrrha");
  Parameters parameters(analysis.parameters);
  EXPECT_TRUE(analysis.errors(parameters).empty());
  ASSERT_TRUE(parameters.set("word", std::int64_t{39}));
  ASSERT_EQ(analysis.errors(parameters).size(), 1u);
  ASSERT_TRUE(parameters.set("word", std::int64_t{40}));
  EXPECT_TRUE(analysis.errors(parameters).empty());
}

}  // namespace
}  // namespace weir::analysis::pyrrha_analysis_test
