// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>
#include <set>
#include <string>

#include "analysis/analysis.h"

namespace weir::analysis::registry_test {
namespace {

using testing::IsEmpty;
using testing::Not;

/// The requirements for every registered analysis.
class AnalysisRules : public testing::TestWithParam<const Analysis*> {};

TEST_P(AnalysisRules, IsDescribed) {
  const Analysis& analysis = *GetParam();
  EXPECT_EQ(find_analysis(analysis.name), &analysis);
  EXPECT_THAT(std::string(analysis.summary), Not(IsEmpty()));
  EXPECT_THAT(std::string(analysis.source), Not(IsEmpty()));
  for (const ParameterSpec& spec : analysis.parameters) {
    EXPECT_THAT(std::string(spec.meaning), Not(IsEmpty())) << spec.name;
    EXPECT_THAT(std::string(spec.source), Not(IsEmpty())) << spec.name;
  }
}

TEST_P(AnalysisRules, ItsDefaultsGiveTablesAndChartsOfTheirForm) {
  const Parameters parameters(GetParam()->parameters);
  if (GetParam()->errors != nullptr) {
    EXPECT_THAT(GetParam()->errors(parameters), IsEmpty());
  }
  const Findings findings = GetParam()->findings(parameters);
  EXPECT_THAT(findings.tables, Not(IsEmpty()));
  const std::regex name("[a-z0-9_]+");
  std::set<std::string> tables;
  for (const NumberTable& table : findings.tables) {
    EXPECT_TRUE(std::regex_match(table.name, name)) << table.name;
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    EXPECT_LE(table.keys, table.columns.size());
    EXPECT_THAT(table.rows, Not(IsEmpty())) << table.name;
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size()) << table.name;
  }
  std::set<std::string> charts;
  for (const Chart& chart : findings.charts) {
    EXPECT_TRUE(std::regex_match(chart.name, name)) << chart.name;
    EXPECT_TRUE(charts.insert(chart.name).second) << chart.name;
    EXPECT_THAT(chart.curves, Not(IsEmpty())) << chart.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, AnalysisRules, testing::ValuesIn(all_analyses().begin(), all_analyses().end()),
                         [](const auto& param) { return std::string(param.param->name); });

TEST(AnalysisRegistry, KnowsNothingElse) {
  EXPECT_EQ(find_analysis("none"), nullptr);
}

}  // namespace
}  // namespace weir::analysis::registry_test
