// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"

namespace weir::analysis::bfc_analysis_test {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

/// The results of `weir analyze bfc` with these parameters and the defaults of all others.
class BfcAnalysis : public testing::Test {
 protected:
  static Parameters with(const std::vector<std::pair<std::string_view, ParameterValue>>& values) {
    Parameters parameters(find_analysis("bfc")->parameters);
    for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
    return parameters;
  }
  void look(const std::vector<std::pair<std::string_view, ParameterValue>>& values) {
    findings_ = find_analysis("bfc")->findings(with(values));
  }
  [[nodiscard]] const NumberTable& table(std::string_view name) const {
    const auto found = std::find_if(findings_.tables.begin(), findings_.tables.end(),
                                    [&](const NumberTable& each) { return each.name == name; });
    if (found == findings_.tables.end()) throw std::invalid_argument(std::string(name));
    return *found;
  }
  [[nodiscard]] const Chart& chart(std::string_view name) const {
    const auto found = std::find_if(findings_.charts.begin(), findings_.charts.end(),
                                    [&](const Chart& each) { return each.name == name; });
    if (found == findings_.charts.end()) throw std::invalid_argument(std::string(name));
    return *found;
  }
  /// The column of a table whose name contains this text.
  static std::size_t column(const NumberTable& of, std::string_view name) {
    for (std::size_t i = 0; i < of.columns.size(); ++i) {
      if (of.columns[i].name.find(name) != std::string::npos) return i;
    }
    throw std::invalid_argument(std::string(name));
  }

  Findings findings_ = find_analysis("bfc")->findings(with({}));
};

// "Fig. 30 shows how max(E_f(x, Th)) changes as we increase the pause threshold. As expected, increasing the pause
// threshold reduces" it, with "diminishing returns". "... the maximum value of E_f(x, Th) is 0.2 (at x = 2)." (C)
TEST_F(BfcAnalysis, DrawsFigure30) {
  ASSERT_THAT(chart("worst_idle_time").curves, SizeIs(1));
  const std::vector<Point>& points = chart("worst_idle_time").curves[0].points;
  EXPECT_EQ(chart("worst_idle_time").x.quantity.name, "threshold");
  EXPECT_NEAR(points.front().y, 50, 1e-9);
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_GT(points[i].x, points[i - 1].x);
    EXPECT_LT(points[i].y, points[i - 1].y);
    if (i > 1) {
      EXPECT_GT(points[i].y - points[i - 1].y, points[i - 1].y - points[i - 2].y);
    }
  }
  const auto one = std::find_if(points.begin(), points.end(), [](const Point& point) { return point.x == 1; });
  ASSERT_NE(one, points.end());
  EXPECT_NEAR(one->y, 20, 1e-9);
}

// "The queue occupancy at the end of phase 1 is Th + HRTT mu_f (x - 1)." (C)
TEST_F(BfcAnalysis, SaysHowLongTheQueueGets) {
  const NumberTable& worst = table("worst_idle_time");
  const auto one = std::find_if(worst.rows.begin(), worst.rows.end(), [](const auto& row) { return row[0] == 1; });
  ASSERT_NE(one, worst.rows.end());
  EXPECT_THAT(*one, testing::ElementsAre(1, 2, testing::DoubleEq(20), 2));
  const NumberTable& all = table("idle_time");
  const std::size_t peak = column(all, "longest queue");
  for (const auto& row : all.rows) EXPECT_NEAR(row[peak], row[0] + row[1] - 1, 1e-12);
}

// "... enough spare capacity ... to handle header recirculation for every packet for those workloads" (4): those whose
// packets have more than 500 bytes.
TEST_F(BfcAnalysis, EveryHeaderOfFramesAbove500BytesFits) {
  const NumberTable& found = table("recirculation");
  std::size_t above = 0;
  for (const auto& row : found.rows) {
    const bool fits = row[column(found, "fit the bandwidth")] == 100;
    if (row[0] > 500) {
      ++above;
      EXPECT_TRUE(fits) << row[0];
    } else if (row[0] < 300) {
      EXPECT_FALSE(fits) << row[0];
    }
  }
  EXPECT_GE(above, 3u);
}

// "... our flow table has 76K entries. The flow table takes 400 KB of memory." (6.2.1)
TEST_F(BfcAnalysis, AddsUpTheMemoryOfTables) {
  EXPECT_THAT(table("memory").rows[0], testing::ElementsAre(768, 76'800, 384'000, 768, 1'536));
  // "the size of the table in each ingress pipeline is 25 x the number of queues" (4)
  EXPECT_THAT(table("memory_of_pipeline").rows[0], testing::ElementsAre(4, 25 * 768, 96'000, 192, 384));
  // "if each upstream switch has 128 queues per egress port, then for a 32-port downstream switch, the pause counter is
  // 4096 entries" (3.3.2); "409,600 entries, which is less than 10% of the switch's dedicated stateful memory" (3.3.1)
  look({{"ports", std::int64_t{32}}, {"queues", std::int64_t{128}}, {"stateful_memory", Bytes(40'960'000)}});
  EXPECT_EQ(table("memory").rows[0][1], 409'600);
  EXPECT_EQ(table("memory").rows[0][3], 4'096);
  EXPECT_THAT(table("share").rows[0], testing::ElementsAre(2'048'000, 20'480'000, 5));
}

TEST_F(BfcAnalysis, GivesTheNumberOfAQueueTheBytesItNeeds) {
  const auto bytes_of_entry = [&](std::int64_t queues) {
    look({{"queues", queues}});
    return table("memory").rows[0][2] / table("memory").rows[0][1];
  };
  EXPECT_EQ(bytes_of_entry(1), 5);
  EXPECT_EQ(bytes_of_entry(256), 5);
  EXPECT_EQ(bytes_of_entry(257), 6);
  EXPECT_EQ(bytes_of_entry(1'024), 6);
  EXPECT_EQ(bytes_of_entry(100'000), 7);
}

TEST_F(BfcAnalysis, SplitsTablesUnevenlyWhereTheyMustBe) {
  look({{"ports", std::int64_t{9}}, {"queues", std::int64_t{1}}, {"table_factor", std::int64_t{1}}});
  EXPECT_THAT(table("memory_of_pipeline").rows[0], testing::ElementsAre(4, 3, 15, 3, 6)) << "of nine";
}

TEST_F(BfcAnalysis, MixesFramesAsTold) {
  look({{"mix", std::string("64:3,1500:1")}});
  const NumberTable& found = table("recirculation_of_mix");
  ASSERT_THAT(found.rows, SizeIs(1));
  EXPECT_NEAR(found.rows[0][0], (3 * 64 + 1500) / 4.0, 1e-9);
  EXPECT_NEAR(found.rows[0][column(found, "fraction of the capacity")], 100 * 48 / ((3 * 84 + 1520) / 4.0), 1e-9);
  EXPECT_THAT(found.title, HasSubstr("64:3,1500:1"));
}

TEST_F(BfcAnalysis, SamplesAsTold) {
  const NumberTable all = table("recirculation");
  look({{"sampling", 0.5}});
  const NumberTable& half = table("recirculation");
  const std::size_t of_capacity = column(half, "fraction of the capacity");
  for (std::size_t i = 0; i < half.rows.size(); ++i) {
    EXPECT_NEAR(half.rows[i][of_capacity], all.rows[i][of_capacity] / 2, 1e-9);
  }
  EXPECT_THAT(half.title, HasSubstr("50 % of headers"));
}

TEST_F(BfcAnalysis, SaysNothingOfPipelinesThatAreNotLimited) {
  const NumberTable& unlimited = table("recirculation");
  for (const Quantity& each : unlimited.columns) EXPECT_EQ(each.name.find("pipelines"), std::string::npos);
  look({{"packets_per_second", 6e9}});
  const NumberTable& limited = table("recirculation");
  const std::size_t fit = column(limited, "fit the pipelines");
  EXPECT_EQ(limited.rows.front()[fit], 0) << "frames of 64 bytes leave nothing";
  EXPECT_EQ(limited.rows.back()[fit], 100);
}

TEST_F(BfcAnalysis, RefusesWhatIsNoMix) {
  const auto errors = [](const std::string& mix) { return find_analysis("bfc")->errors(with({{"mix", mix}})).size(); };
  for (const char* good : {"64:1", " 64 : 0.25 , 1500:0.75 ", "64:0,9000:2"}) EXPECT_EQ(errors(good), 0u) << good;
  for (const char* bad : {"", "64", "64:", "64:1,", "64:1;128:1", "0:1", "-64:1", "64:-1", "64:nan", "64:inf", "64:0",
                          "100000:1", "64 B:1", "64:1 128:1"}) {
    EXPECT_EQ(errors(bad), 1u) << bad;
  }
}

}  // namespace
}  // namespace weir::analysis::bfc_analysis_test
