// SPDX-License-Identifier: Apache-2.0
#include "results/replicates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "results/campaign_csv.h"
#include "results/comparison.h"
#include "results/statements.h"
#include "results/test_files.h"
#include "results/test_records.h"

namespace weir::replicates_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A run in which the victims' p99 slowdown is that of a flow that took `fct_us`.
RunSummary run_of(const std::string& variant, std::uint64_t seed, std::int64_t fct_us,
                  std::vector<RunParameter> parameters = {}) {
  RunRecord record = record_of(variant, fct_us, 0);
  record.seed = seed;
  record.parameters = std::move(parameters);
  return summarise(record);
}

/// Three seeds with times near `fct_us`.
void add(const std::string& variant, std::int64_t fct_us, std::vector<RunSummary>& runs,
         const std::vector<RunParameter>& parameters = {}) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    runs.push_back(run_of(variant, seed, fct_us + 2 * static_cast<std::int64_t>(seed), parameters));
  }
}

std::string sentence_on_victims(const std::vector<RunSummary>& runs) {
  for (const std::string& sentence : statements_on(runs)) {
    if (sentence.starts_with("Victims' p99 slowdown")) return sentence;
  }
  return {};
}

TEST(Replicates, AreGroupedByVariantAndPoint) {
  std::vector<RunSummary> runs;
  add("irn", 100, runs, {{"load", "0.2", 0.2}});
  add("irn", 200, runs, {{"load", "0.8", 0.8}});
  runs.back().failure = "broke";
  const std::vector<ReplicateGroup> groups = group_replicates(runs);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(groups[0].label, "irn, load 0.2");
  EXPECT_THAT(groups[0].whole, ElementsAre(0, 1, 2));
  EXPECT_THAT(groups[1].whole, ElementsAre(3, 4));
  EXPECT_THAT(groups[1].left_out, ElementsAre(5));
}

TEST(Replicates, AreNoneWhereEachRunIsItsOwn) {
  EXPECT_FALSE(are_replicates({run_of("a", 1, 100), run_of("b", 1, 100)}));
  EXPECT_TRUE(are_replicates({run_of("a", 1, 100), run_of("a", 2, 100)}));
  EXPECT_TRUE(are_replicates({run_of("a", 1, 100, {{"load", "0.2", 0.2}})}));
}

TEST(Replicates, HaveOneRowPerGroupInTables) {
  std::vector<RunSummary> runs;
  add("irn", 100, runs);
  add("pfc", 400, runs);
  const std::string text = format_comparison(runs, 0);
  EXPECT_THAT(text, AllOf(HasSubstr("irn          3  "), HasSubstr("pfc          3  "), HasSubstr(" ±"),
                          HasSubstr("36/36"), HasSubstr("95 % confidence interval")));
  EXPECT_THAT(text, Not(HasSubstr("seed 1")));
}

TEST(Replicates, DifferOnlyWhereIntervalsDoNotOverlap) {
  std::vector<RunSummary> apart;
  add("irn", 100, apart);
  add("pfc", 400, apart);
  EXPECT_THAT(sentence_on_victims(apart), AllOf(HasSubstr("irn has the lowest: "), HasSubstr("higher with pfc (")));
  std::vector<RunSummary> alike;
  add("irn", 100, alike);
  add("pfc", 102, alike);
  EXPECT_THAT(sentence_on_victims(alike),
              AllOf(HasSubstr("no difference shown between irn ("), Not(HasSubstr("lowest"))));
  add("dcqcn", 400, alike);
  EXPECT_THAT(sentence_on_victims(alike), AllOf(HasSubstr("lower with irn ("), HasSubstr("than with dcqcn ("),
                                                HasSubstr("no difference shown from pfc (")));
}

TEST(Replicates, AreComparedAtEachPoint) {
  std::vector<RunSummary> runs;
  const std::vector<RunParameter> low = {{"load", "0.2", 0.2}};
  const std::vector<RunParameter> high = {{"load", "0.8", 0.8}};
  add("irn", 100, runs, low);
  add("pfc", 102, runs, low);
  add("irn", 100, runs, high);
  add("pfc", 400, runs, high);
  EXPECT_EQ(sentence_on_victims(runs),
            "Victims' p99 slowdown: no difference shown between irn and pfc at load 0.2; irn has the lowest at load "
            "0.8.");
}

TEST(Replicates, ClaimNothingWithoutIntervals) {
  const std::vector<RunSummary> runs = {run_of("irn", 1, 100, {{"load", "0.2", 0.2}}),
                                        run_of("pfc", 1, 400, {{"load", "0.2", 0.2}})};
  EXPECT_THAT(statements_on(runs), ElementsAre("Without replicates (run.seeds) no difference is claimed."));
}

TEST(Replicates, ShowTheFirstOfManyWarnings) {
  std::vector<RunSummary> runs;
  for (std::uint64_t seed = 1; seed <= 9; ++seed) {
    runs.push_back(run_of("irn", seed, 100));
    runs.back().findings = {{FindingKind::lossless_drops, "dropped " + std::to_string(seed) + " frames", "", {}}};
  }
  const std::string text = format_replicates(runs, 0);
  EXPECT_THAT(text, AllOf(HasSubstr("dropped 5 frames"), Not(HasSubstr("dropped 6 frames")),
                          HasSubstr("And 4 more warnings.\n")));
}

TEST(Replicates, NameWhatIsLeftOut) {
  std::vector<RunSummary> runs;
  add("irn", 100, runs);
  add("pfc", 400, runs);
  runs[4].interrupted = true;
  EXPECT_THAT(statements_on(runs), Contains("Failed or interrupted, and not included: 1 of 3 with pfc."));
}

class ReplicateFiles : public FilesTest {};

TEST_F(ReplicateFiles, AreOneOfRunsAndOneOfMeans) {
  std::vector<RunSummary> runs;
  add("irn", 100, runs, {{"load", "0.2", 0.2}});
  add("irn", 200, runs, {{"load", "0.8", 0.8}});
  EXPECT_THAT(write_campaign_csv(runs, directory_), IsEmpty());
  const std::string all = read("runs.csv");
  EXPECT_TRUE(all.starts_with("scenario,variant,load,seed,digest,interrupted,failure,run.")) << all.substr(0, 100);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 7);
  EXPECT_THAT(all, HasSubstr(",victim.slowdown.p99,"));
  const std::string means = read("means.csv");
  EXPECT_TRUE(means.starts_with("scenario,variant,load,of,size,quantity,unit,seeds,mean,low,high\n"));
  const Estimate expected =
      estimate_of({runs[3].of(FlowGroup::victim).slowdown.p99, runs[4].of(FlowGroup::victim).slowdown.p99,
                   runs[5].of(FlowGroup::victim).slowdown.p99});
  EXPECT_THAT(means, HasSubstr(",irn,0.8,victim,,slowdown.p99,,3,")) << means.substr(0, 400);
  bool found = false;
  for (const MeanValue& value : means_of(group_replicates(runs)[1], runs)) {
    if (value.of != "victim" || value.quantity != "slowdown.p99" || !value.size.empty()) continue;
    found = true;
    EXPECT_DOUBLE_EQ(value.estimate.mean, expected.mean);
    EXPECT_DOUBLE_EQ(value.estimate.high, expected.high);
  }
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace weir::replicates_test
