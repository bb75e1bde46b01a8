// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
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
  EXPECT_EQ(total[3] - total[2], 120 * 16'384);
  EXPECT_EQ(total[4], 100 * total[3] / (1'600 * 16'384));
  // Instead of the forwarding tables' 14 blocks, 2 of seeds.
  EXPECT_EQ(total[5] - total[6], 12 * 16'384);
}

/// Two columns, for the paper and the model.
void expect_like(const std::vector<double>& row, std::size_t column, double papers, double factor) {
  EXPECT_NEAR(row[column], papers, 1e-3 * papers);
  EXPECT_GE(row[column + 1], row[column] / factor);
  EXPECT_LE(row[column + 1], row[column] * factor);
}

TEST(PyrrhaAnalysis, ShowsThePapersFiguresBesideTheModels) {
  const Findings findings = find_analysis("pyrrha")->findings(Parameters(find_analysis("pyrrha")->parameters));
  constexpr double kMegabyte = 1'048'576;
  const auto paths = [&](double k) { return row(findings, "published_path_memory", k); };
  expect_like(paths(24), 1, 12.6 * kMegabyte, 1.2);
  expect_like(paths(28), 3, 14.1 * kMegabyte, 2.5);
  expect_like(paths(36), 5, 2.56 * kMegabyte, 1.2);
  expect_like(paths(36), 7, 0.44 * kMegabyte, 2.5);
  expect_like(paths(128), 7, 8.7 * kMegabyte, 1.2);
  expect_like(paths(128), 9, 5 * 16'384, 2.5);
  EXPECT_TRUE(std::isnan(paths(24)[3]));
  // 5.1, E.2, E.3: the root table, the queue manager of either kind, and the three units.
  const auto units = [&](double k) { return row(findings, "published_units", k); };
  expect_like(units(36), 1, 176 * 1024, 2.5);
  expect_like(units(128), 1, 0.44 * kMegabyte, 1.5);
  expect_like(units(36), 3, 8.64 * kMegabyte, 1.1);
  expect_like(units(128), 5, 2.2 * kMegabyte, 1.4);
  expect_like(units(36), 7, 9.25 * kMegabyte, 1.1);
  for (const std::size_t column : {3u, 4u, 7u, 8u}) EXPECT_TRUE(std::isnan(units(128)[column])) << column;
  for (const std::size_t column : {5u, 6u}) EXPECT_TRUE(std::isnan(units(36)[column])) << column;
  // Tables 4 to 7, in per cent of the SRAM.
  const auto total = [&](double table) { return row(findings, "published_totals", table); };
  expect_like(total(4), 4, 44.5, 1.1);
  expect_like(total(5), 4, 18.375, 1.25);
  expect_like(total(6), 4, 28.125, 1.25);
  expect_like(total(7), 4, 52.8125, 1.1);
}

// One hop at the own switch without a hash, three within the pod with one, five between pods with two and a lookup.
TEST(PyrrhaAnalysis, ShowsPathsByAlgorithmOne) {
  Parameters parameters(find_analysis("pyrrha")->parameters);
  ASSERT_TRUE(parameters.set("path_k", std::int64_t{8}));
  for (const char* hash : {"crc32", "xor"}) {
    ASSERT_TRUE(parameters.set("hash", std::string(hash)));
    const Findings findings = find_analysis("pyrrha")->findings(parameters);
    const auto table = std::find_if(findings.tables.begin(), findings.tables.end(),
                                    [](const NumberTable& at) { return at.name == "paths"; });
    ASSERT_NE(table, findings.tables.end());
    ASSERT_EQ(table->rows.size(), 1U + 3 + 5);
    EXPECT_EQ(table->rows[0], (std::vector<double>{0, 0, 3, 1, 0, 0x80, 3, 0, 0}));
    const double up = table->rows[1][6] - 0x80;
    EXPECT_GE(up, 0);
    EXPECT_LT(up, 4);
    EXPECT_EQ(table->rows[1], (std::vector<double>{0, 3, 3, 1, 0, 0x80, 0x80 + up, 1, 0}));
    EXPECT_EQ(table->rows[2], (std::vector<double>{0, 3, 3, 2, 0, up, 3, 1, 0}));
    EXPECT_EQ(table->rows[3], (std::vector<double>{0, 3, 3, 3, 0, 0x83, 3, 1, 0}));
    const double higher = table->rows[5][6] - 0x80;
    const double aggregation = table->rows[5][5];
    EXPECT_EQ(table->rows[6], (std::vector<double>{7, 3, 3, 3, aggregation, higher, 7, 2, 1}));
    EXPECT_EQ(table->rows[7], (std::vector<double>{7, 3, 3, 4, 7, aggregation, 3, 2, 1}));
    EXPECT_EQ(table->rows[8], (std::vector<double>{7, 3, 3, 5, 7, 0x83, 3, 2, 1}));
  }
}

// Seeds decide: of many, each uplink is chosen.
TEST(PyrrhaAnalysis, DrawsPathsFromTheSeedsAndTheHeader) {
  for (const char* name : {"seeds", "entropy"}) {
    std::set<double> chosen;
    for (std::int64_t value = 1; value <= 64; ++value) {
      Parameters parameters(find_analysis("pyrrha")->parameters);
      ASSERT_TRUE(parameters.set("path_k", std::int64_t{8}));
      ASSERT_TRUE(parameters.set(name, value));
      chosen.insert(find_analysis("pyrrha")->findings(parameters).tables.back().rows[4][6]);
    }
    EXPECT_EQ(chosen.size(), 4U) << name;
  }
}

TEST(PyrrhaAnalysis, RefusesAFatTreeOfOddK) {
  const Analysis& analysis = *find_analysis("pyrrha");
  Parameters parameters(analysis.parameters);
  ASSERT_TRUE(parameters.set("path_k", std::int64_t{9}));
  ASSERT_EQ(analysis.errors(parameters).size(), 1u);
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
