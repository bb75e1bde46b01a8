// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis::floodgate_analysis_test {
namespace {

using namespace literals;

Findings look(const std::vector<std::pair<std::string_view, ParameterValue>>& values = {}) {
  Parameters parameters(find_analysis("floodgate")->parameters);
  for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
  return find_analysis("floodgate")->findings(parameters);
}

const NumberTable& table(const Findings& findings, std::string_view name) {
  const auto found = std::find_if(findings.tables.begin(), findings.tables.end(),
                                  [&](const NumberTable& each) { return each.name == name; });
  if (found == findings.tables.end()) throw std::invalid_argument(std::string(name));
  return *found;
}

std::vector<double> row(const NumberTable& of, double first, double second = -1) {
  for (const std::vector<double>& row : of.rows) {
    if (row[0] == first && (second < 0 || row[1] == second)) return row;
  }
  throw std::invalid_argument(of.name);
}

// "For a datacenter network consisting of 100,000 servers, entries of sending window equal 100,000 in the worst case,
// which consumes less than 10 % of the switch's dedicated stateful memory" (7.4): so that has more than 8 MB.
TEST(FloodgateAnalysis, CountsAWindowForEachHost) {
  const Findings findings = look({{"stateful_memory", 16_MB}});
  const std::vector<double> of = row(table(findings, "memory"), 100'000);
  EXPECT_EQ(of[1], 800'000);
  EXPECT_EQ(of[2], 8'000'000);
  EXPECT_EQ(of[4], 5);
  // With PSNs: 12 and 16 bytes of each of 14 ports and host.
  EXPECT_EQ(of[3], 800'000 + 100'000.0 * 14 * 28);
  EXPECT_EQ(table(look(), "memory").columns.size(), 4u);
}

// 11.2 us at 400 Gbit/s are 560 KB: 6,666 packets of 84 bytes.
TEST(FloodgateAnalysis, BoundsActiveEntriesByWhatALinkSends) {
  const Findings findings = look();
  EXPECT_EQ(row(table(findings, "active"), 100)[1], 100);
  EXPECT_EQ(row(table(findings, "active"), 100)[2], 1'400);
  const std::vector<double> of = row(table(findings, "active"), 1'000'000);
  EXPECT_EQ(of[1], 14 * 6'666);
  EXPECT_EQ(of[2], 14 * 6'666);
  EXPECT_EQ(of[3], 14 * 6'666 * (8.0 + 28));
  EXPECT_EQ(row(table(look({{"credit_timer", Duration()}}), "active"), 1'000'000)[2], 14 * 714);
}

// 36 ports by 11,664 hosts by 4 bytes, in 1,620 switches.
TEST(FloodgateAnalysis, KnowsWhatADenseTableTakes) {
  const std::vector<double> of = row(table(look(), "dense"), 36);
  EXPECT_EQ(of[1], 11'664);
  EXPECT_EQ(of[2], 1'620);
  EXPECT_NEAR(of[4], 2.72e9, 0.01e9);
}

// Of 100 destinations in 1,024 entries, 99 others miss one's entry with (1023/1024)^99 = 90.8 %.
TEST(FloodgateAnalysis, KnowsHowPreciseHashedWindowsAre) {
  const std::vector<double> of = row(table(look(), "hashed"), 1'024, 100);
  EXPECT_EQ(of[2], 4'096);
  EXPECT_NEAR(of[3], 9.22, 0.01);
  EXPECT_NEAR(of[4], 1.049, 0.001);
}

TEST(FloodgateAnalysis, CountsTheEntriesOfAGivenNetworkAndTable) {
  using Numbers = std::vector<std::int64_t>;
  const Findings findings = look({{"hosts", Numbers{160, 100'000}}, {"table_entries", Numbers{1'400, 64}}});
  const NumberTable& entries = table(findings, "entries");
  EXPECT_EQ(entries.rows.size(), 4u);
  const std::vector<double> of = row(entries, 160, 1'400);
  EXPECT_EQ(of[2], 160 * 14);
  EXPECT_EQ(of[3], 1'400 * (8 + 12 + 16));
  EXPECT_EQ(of[4], 100) << "at each of 14 ports";
  EXPECT_EQ(of[5], 160 * (1 + 14 * 5) * 4) << "no more hash values than hosts are used";
  EXPECT_EQ(of[6], 1);
  const std::vector<double> small = row(entries, 100'000, 64);
  EXPECT_EQ(small[4], 4);
  EXPECT_EQ(small[5], 64 * (1 + 14 * 5) * 4);
  EXPECT_EQ(small[6], 1'562.5);
  EXPECT_EQ(row(entries, 160, 1'400)[3], row(entries, 100'000, 1'400)[3]);
  EXPECT_EQ(row(table(look({{"hosts", Numbers{10}}}), "entries"), 10, 256)[3], 140 * 36) << "all that there can be";
  EXPECT_EQ(table(findings, "memory").rows.size(), 2u);
  EXPECT_EQ(row(table(findings, "memory"), 160)[1], 160 * 8);
  EXPECT_EQ(row(table(findings, "hashed"), 64, 10)[2], 256);
}

TEST(FloodgateAnalysis, DrawsWhatItCounts) {
  const Findings findings = look();
  ASSERT_EQ(findings.charts.size(), 1u);
  for (const Curve& curve : findings.charts[0].curves) EXPECT_EQ(curve.points.size(), 5u);
  EXPECT_EQ(findings.charts[0].curves[0].points[3].y, 800'000);
}

}  // namespace
}  // namespace weir::analysis::floodgate_analysis_test
