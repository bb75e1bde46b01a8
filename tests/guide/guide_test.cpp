// What docs/add-a-scheme.md promises. The guide's own files are compiled into this program, which runs in the folder
// that they were written to.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "policy/scheme.h"
#include "results/comparison.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "sim/simulation.h"

namespace weir {
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

TEST(Guide, ItsLineIsAllThatTheRegistryNeeds) {
  const Scheme* scheme = find_scheme("polite_share");
  ASSERT_NE(scheme, nullptr);
  EXPECT_THAT(all_schemes(), Contains(scheme));
  EXPECT_NE(find_scheme("dynamic_threshold"), nullptr);
}

TEST(Guide, ItsScenarioShowsWhatItSays) {
  const Scenario scenario = load_scenario("scenarios/polite_share.toml");
  ASSERT_THAT(scenario.errors, IsEmpty());
  std::vector<RunSummary> runs;
  for (const ScenarioVariant& variant : scenario.variants) {
    const RunRecord record = Simulation(variant.settings).run();
    EXPECT_EQ(record.failure, "");
    runs.push_back(summarise(record));
  }
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_GT(runs[0].pauses, 0U) << "dynamic";
  EXPECT_EQ(runs[1].pauses, 0U) << "polite";
  constexpr std::size_t kWidth = 100;
  EXPECT_THAT(format_comparison(runs, kWidth), StartsWith(content("compare.txt")))
      << "the output has changed: put its new beginning into docs/add-a-scheme.md, and look at what the guide says of "
         "it";
}

}  // namespace
}  // namespace weir
