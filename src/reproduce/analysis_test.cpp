// SPDX-License-Identifier: Apache-2.0
#include "reproduce/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

namespace weir::analysis_test {
namespace {

const AnalysisKind& kind(const std::string& name) {
  for (const AnalysisKind& candidate : analysis_kinds()) {
    if (candidate.name == name) return candidate;
  }
  throw std::invalid_argument(name);
}

std::unique_ptr<Analysis> made(const std::string& name, Value table = Value()) {
  Diagnostics diagnostics("t");
  EffectiveTable unwritten;
  Reader reader(diagnostics, &table, {}, "analysis", unwritten);
  auto out = kind(name).make(reader);
  reader.finish();
  EXPECT_TRUE(diagnostics.empty());
  return out;
}

double number(Analysis& analysis, const std::string& measure, const MeasureArguments& arguments) {
  return *analysis.compute(measure, arguments).as_number();
}

TEST(Analysis, KindsAndTheirMeasuresHaveNames) {
  std::set<std::string_view> names;
  for (const AnalysisKind& candidate : analysis_kinds()) {
    EXPECT_TRUE(names.insert(candidate.name).second);
    EXPECT_FALSE(candidate.measures.empty()) << candidate.name;
  }
}

TEST(SizeDistribution, DividesFlowsAndBytes) {
  const auto sizes = made("size_distribution");
  const auto share = [&](const char* measure, double from, double below) {
    return number(*sizes, measure,
                  {{"workload", Figure::text("websearch")},
                   {"size_from", Figure::number(from, kSize)},
                   {"size_below", Figure::number(below, kSize)}});
  };
  // The table has 15 % up to 10 KB and 53 % up to 80 KB, 60 % up to 200 KB.
  EXPECT_NEAR(share("share_of_flows", 0, 10e3), 0.15, 1e-12);
  EXPECT_NEAR(share("share_of_flows", 80e3, 200e3), 0.07, 1e-12);
  // 15 % of all flows are 5 KB on average, of a mean of 1,711.25 KB.
  EXPECT_NEAR(share("share_of_bytes", 0, 10e3), 0.15 * 5 / 1711.25, 1e-9);
  double sum = 0;
  for (const auto& [from, below] : {std::pair(0.0, 1e4), std::pair(1e4, 1e6), std::pair(1e6, 1e9)}) {
    sum += share("share_of_bytes", from, below);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_NEAR(number(*sizes, "share_of_bytes", {{"workload", Figure::text("google")}}), 1, 1e-12);
  EXPECT_NEAR(number(*sizes, "mean_size", {{"workload", Figure::text("websearch")}}), 1'711'250, 1);
  EXPECT_THROW(number(*sizes, "mean_size", {{"workload", Figure::text("gogle")}}), Unavailable);
}

TEST(SpfcFlowModel, HasTheBoundsOfEquation8) {
  const auto model = made("spfc_flow_model");
  const auto smallest = [&](double n, double epsilon) {
    return number(*model, "smallest_k", {{"n", Figure::number(n)}, {"epsilon", Figure::number(epsilon)}});
  };
  EXPECT_DOUBLE_EQ(smallest(9, 0), 10.0 / 11);
  EXPECT_DOUBLE_EQ(smallest(9, 1), 10);
  EXPECT_DOUBLE_EQ(smallest(19, 0.85), 5);
  EXPECT_EQ(number(*model, "largest_k", {{"n", Figure::number(9)}}), 10);
  const auto covered = [&](double k) {
    return number(*model, "covered", {{"k", Figure::number(k)}, {"ports", Figure::number(32)}});
  };
  // By hand for K = 5: N = 4 to 29, each up to epsilon = 0.8 + 1 / (N + 1).
  double by_hand = 0;
  for (int n = 4; n <= 29; ++n) by_hand += (0.8 + 1.0 / (n + 1)) / 29;
  EXPECT_NEAR(covered(5), by_hand, 1e-3);
  EXPECT_EQ(covered(31), 0);
}

Value table_of(std::vector<std::pair<std::string, Value::Data>> members) {
  Value::Table table;
  for (auto& [key, data] : members) table.push_back({key, {}, Value(std::move(data), {})});
  return Value(std::move(table), {});
}

TEST(OneLinkAnalysis, AnswersFromOneSimulation) {
  const auto link = made("one_link", table_of({{"flows", std::int64_t{20'000}}, {"sigma", 0.0}}));
  const auto arguments = [](const char* scheduling) {
    return MeasureArguments{{"workload", Figure::text("google")},
                            {"scheduling", Figure::text(scheduling)},
                            {"rate", Figure::number(0.0125, kRate)},
                            {"load", Figure::number(0.6)}};
  };
  const Figure distribution = link->compute("active_distribution", arguments("fair"));
  const Figure::Numbers& p = *distribution.as_numbers();
  EXPECT_NEAR(p.back(), 1, 1e-9);
  EXPECT_TRUE(std::is_sorted(p.begin(), p.end()));
  MeasureArguments above = arguments("fair");
  above["count"] = Figure::number(3);
  EXPECT_NEAR(number(*link, "active_above", above), 1 - p[3], 1e-9);
  double mean = 0;
  for (const double share : p) mean += 1 - share;
  EXPECT_NEAR(number(*link, "active_mean", arguments("fair")), mean, 1e-6);
  EXPECT_LT(number(*link, "active_mean", arguments("shortest_remaining")), mean);
  EXPECT_THROW(link->compute("active_mean", arguments("lifo")), Unavailable);
}

TEST(OneLinkAnalysis, HasFairSharesThatChangeMoreOverLongerIntervals) {
  const auto link = made("one_link", table_of({{"flows", std::int64_t{20'000}}}));
  const auto change = [&](double us) {
    return number(*link, "fair_share_change",
                  {{"workload", Figure::text("google")},
                   {"rate", Figure::number(0.0125, kRate)},
                   {"load", Figure::number(0.6)},
                   {"interval", Figure::number(us * 1e6, kTime)}});
  };
  EXPECT_GT(change(0.1), 0);
  EXPECT_LT(change(0.1), change(1));
  EXPECT_LT(change(1), change(8));
}

// Blocks of 16 KiB: 14 of paths and 5 of roots at k = 36; addresses that name the switch need seeds only.
TEST(PyrrhaMemory, CountsBlocksAndRefusesOtherScales) {
  const auto memory = made("pyrrha_memory");
  const auto of = [&](const char* addressing) {
    return number(*memory, "path_memory", {{"k", Figure::number(36)}, {"addressing", Figure::text(addressing)}});
  };
  EXPECT_EQ(of("full"), 14 * 16'384);
  EXPECT_EQ(of("regular"), 2 * 16'384);
  EXPECT_EQ(number(*memory, "root_table_memory", {{"k", Figure::number(36)}}), 5 * 16'384);
  EXPECT_THROW(of("other"), Unavailable);
  EXPECT_THROW(number(*memory, "root_table_memory", {{"k", Figure::number(35)}}), Unavailable);
}

}  // namespace
}  // namespace weir::analysis_test
