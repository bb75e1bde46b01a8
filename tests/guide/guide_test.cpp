// SPDX-License-Identifier: Apache-2.0
// The claims of docs/add-a-scheme.md. The guide's own files are compiled into this program, which runs in the folder to
// which they were written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "policy/scheme.h"
#include "results/comparison.h"
#include "results/run_record.h"
#include "results/summary.h"
#include "scenario/network_defaults.h"
#include "scenario/scenario.h"
#include "sim/simulation.h"

namespace weir::guide_test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The runs of a scenario's variants.
std::vector<RunRecord> records_of(const Scenario& scenario) {
  EXPECT_THAT(scenario.errors, IsEmpty());
  std::vector<RunRecord> records;
  for (const ScenarioVariant& variant : scenario.variants) {
    records.push_back(Simulation(variant.settings).run());
    EXPECT_EQ(records.back().failure, "");
  }
  return records;
}

void expect_beginning(const std::vector<RunRecord>& records, const std::string& file) {
  std::vector<RunSummary> runs;
  for (const RunRecord& record : records) runs.push_back(summarise(record));
  constexpr std::size_t kWidth = 100;
  EXPECT_THAT(format_comparison(runs, kWidth), StartsWith(content(file)))
      << "the output has changed: put its new beginning into docs/add-a-scheme.md, and look at what the guide says of "
         "it";
}

TEST(Guide, ItsLinesAreAllThatTheRegistryNeeds) {
  for (const char* name : {"polite_share", "told_rate"}) {
    const Scheme* scheme = find_scheme(name);
    ASSERT_NE(scheme, nullptr);
    EXPECT_THAT(all_schemes(), Contains(scheme));
    EXPECT_THAT(mistakes_in(*scheme), IsEmpty());
  }
  EXPECT_NE(find_scheme("dynamic_threshold"), nullptr);
}

TEST(Guide, ItsScenarioShowsWhatItSays) {
  const std::vector<RunRecord> records = records_of(load_scenario("scenarios/polite_share.toml"));
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_GT(summarise(records[0]).pauses, 0U) << "dynamic";
  EXPECT_EQ(summarise(records[1]).pauses, 0U) << "polite";
  expect_beginning(records, "compare.txt");
}

TEST(Guide, ItsSecondScenarioShowsWhatItSays) {
  const Scenario scenario = load_scenario("scenarios/told_rate.toml");
  const std::vector<RunRecord> records = records_of(scenario);
  ASSERT_THAT(records, SizeIs(2));
  expect_beginning(records, "told_rate_compare.txt");
  std::string defaults;
  for (const std::string& line : network_default_lines(scenario.variants[1].effective)) defaults += line + "\n";
  EXPECT_EQ(defaults, content("told_rate_check.txt"));
  // The gauge exists where the scheme is used.
  const auto gauge_of = [](const RunRecord& record) {
    return std::find_if(record.series.begin(), record.series.end(),
                        [](const Series& series) { return series.name == "told_rate.share bit/s"; });
  };
  EXPECT_EQ(gauge_of(records[0]), records[0].series.end());
  const auto gauge = gauge_of(records[1]);
  ASSERT_NE(gauge, records[1].series.end());
  EXPECT_LT(*std::min_element(gauge->values.begin(), gauge->values.end()), 50e9);
}

}  // namespace
}  // namespace weir::guide_test
