// SPDX-License-Identifier: Apache-2.0
#include "apps/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weir::apps::output_folder_test {
namespace {

using testing::ElementsAre;

TEST(OutputFolder, MakesSafeAndDistinctNames) {
  EXPECT_THAT(folder_names({"pfc", "", "static + DCQCN", "../../etc", "a/b", "a_b", "pfc", "-rf"}),
              ElementsAre("pfc", "run", "static___DCQCN", "_._.._etc", "a_b", "a_b-2", "pfc-2", "_rf"));
}

PlanEntry run_of(std::string scenario, std::string variant, std::uint64_t seed,
                 std::vector<RunParameter> parameters = {}) {
  return {{std::move(scenario), std::move(variant), seed, "0123456789abcdef"}, std::move(parameters), std::nullopt};
}

TEST(OutputFolder, MakesNamesThatFileSystemsTake) {
  const std::string longest(200, 'x');
  EXPECT_THAT(folder_names({std::string(300, 'x'), std::string(300, 'x')}), ElementsAre(longest, longest + "-2"));
}

TEST(OutputFolder, NamesRunsByWhatTellsThemApart) {
  EXPECT_THAT(run_folders({run_of("incast", "", 1)}), ElementsAre(""));
  EXPECT_THAT(run_folders({run_of("incast", "pfc", 1)}), ElementsAre("pfc"));
  EXPECT_THAT(run_folders({run_of("incast", "pfc", 1), run_of("incast", "lossy", 1)}), ElementsAre("pfc", "lossy"));
  EXPECT_THAT(run_folders({run_of("incast", "", 1), run_of("incast", "", 2)}), ElementsAre("run-seed-1", "run-seed-2"));
  EXPECT_THAT(run_folders({run_of("a", "pfc", 1), run_of("b", "pfc", 2)}), ElementsAre("a-pfc-seed-1", "b-pfc-seed-2"));
  EXPECT_THAT(
      run_folders({run_of("a", "pfc", 1, {{"load", "0.2", 0.2}}), run_of("a", "pfc", 1, {{"load", "0.8", 0.8}})}),
      ElementsAre("pfc-load-0.2", "pfc-load-0.8"));
}

TEST(OutputFolder, GivesNoVariantTheNameOfAFileOfTheFolder) {
  EXPECT_THAT(folder_names({"results.sqlite", "report.html", "results.sqlite-journal"}),
              testing::ElementsAre("results.sqlite-2", "report.html-2", "results.sqlite-journal-2"));
}

}  // namespace
}  // namespace weir::apps::output_folder_test
