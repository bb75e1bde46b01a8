// SPDX-License-Identifier: Apache-2.0
// The scenarios of docs/recipes.md that are in the repository do what the recipe says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "check/check.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "sim/simulation.h"

namespace weir::recipes_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kTransports = "scenarios/transports.toml";

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Recipes, TheVariantsOfTransportsAreThoseOfTheScenario) {
  const std::string page = content("docs/recipes.md");
  const std::string scenario = content(kTransports);
  const std::size_t first = scenario.find("[variants.expresspass]");
  ASSERT_NE(first, std::string::npos);
  EXPECT_THAT(page, HasSubstr("```toml\n" + scenario.substr(first) + "```"));
  EXPECT_THAT(page, HasSubstr("weir compare " + std::string(kTransports)));
}

TEST(Recipes, FlowsOfAllTransportsCompleteWithoutWarnings) {
  const Scenario scenario = load_scenario(kTransports);
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.variants.size(), 4u);
  for (const ScenarioVariant& variant : scenario.variants) {
    const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
    EXPECT_THAT(checked.errors, IsEmpty()) << variant.name;
    EXPECT_THAT(checked.warnings, IsEmpty()) << variant.name;
    const RunRecord record = Simulation(variant.settings).run();
    EXPECT_EQ(record.failure, "");
    const RunSummary summary = summarise(record);
    const FctSummary& all = summary.of(FlowGroup::all);
    EXPECT_GT(all.flows, 2'000u);
    EXPECT_EQ(all.completed, all.flows) << variant.name;
    if (variant.name == "expresspass") {
      EXPECT_EQ(summary.dropped, 0u) << "credits are no losses";
      EXPECT_GT(summary.drops[kDroppedOnPurpose], 1'000u);
    }
  }
}

}  // namespace
}  // namespace weir::recipes_test
