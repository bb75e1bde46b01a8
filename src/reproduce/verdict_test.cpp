// SPDX-License-Identifier: Apache-2.0
#include "reproduce/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "config/scalar.h"
#include "reproduce/reproduction_report.h"
#include "reproduce/run_row.h"
#include "reproduce/test_row.h"

namespace weir::verdict_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_row::changed;
using testing_row::Folder;
using testing_row::kRow;
using testing_row::read;
using testing_row::run;

TEST(Verdict, IsKeptAndReadBack) {
  const Folder folder;
  const Row row = read(kRow);
  const RowVerdict verdict = run(row, RowForm::quick).verdict;
  EXPECT_EQ(kept_verdict(folder.path(), row, RowForm::quick), std::nullopt);
  EXPECT_EQ(keep_verdict(folder.path(), verdict), std::nullopt);
  const auto back = kept_verdict(folder.path(), row, RowForm::quick);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(to_toml(*back), to_toml(verdict));
  EXPECT_EQ(kept_verdict(folder.path(), row, RowForm::full), std::nullopt);
  // The verdict of a row that has changed is invalid, unless only descriptions have changed.
  EXPECT_EQ(kept_verdict(folder.path(), read(changed("load=0.5) >= 1", "load=0.5) >= 2")), RowForm::quick),
            std::nullopt);
  EXPECT_TRUE(kept_verdict(folder.path(), read(kRow + "# Words.\n"), RowForm::quick).has_value());
}

/// The size of a short verdict does not depend on the number of runs.
TEST(Verdict, InBriefSaysWhatIsShown) {
  const Folder folder;
  const Row row = read(kRow);
  RowVerdict verdict = run(row, RowForm::quick).verdict;
  verdict.criteria[0].findings = {"1", "2", "3", "4", "5", "6"};
  verdict.assumptions = {{"the delay", "{ }", "0.1.0", "holds", {"slowdown: holds"}, {"a", "b", "c", "d", "e"}}};
  verdict.formers = {{CriterionVerdict::State::holds, "once", "", {"1", "2", "3", "4", "5"}}};
  ASSERT_FALSE(verdict.runs.empty());
  const RowVerdict brief = in_brief(verdict);
  EXPECT_THAT(brief.runs, IsEmpty());
  EXPECT_THAT(brief.criteria[0].findings, ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(brief.criteria[0].left_out, 2U);
  EXPECT_EQ(brief.assumptions[0].left_out, 1U);
  EXPECT_EQ(brief.formers[0].left_out, 1U);
  EXPECT_EQ(brief.state, verdict.state);
  EXPECT_EQ(to_toml(*read_verdict(to_toml(brief))), to_toml(brief));
  EXPECT_EQ(to_toml(in_brief(brief)), to_toml(brief));
  EXPECT_EQ(verdict_text(row, brief), verdict_text(row, verdict));
  EXPECT_THAT(verdict_text(row, brief), HasSubstr("measured: 1; 2; 3; 4; and 2 more\n"));
}

TEST(Verdict, KeepsWhatWasTriedBefore) {
  const auto choice = [](const std::string& value, const std::string& delay) {
    return "\n[[claim.assumed]]\nvalue = \"" + value + "\"\nchoice = \"ours\"\nreason = \"none\"\n" +
           "alternative = { topology.link.delay = \"" + delay + "\" }\n";
  };
  const auto tried = [](const Assumption& assumption, const char* state) {
    return AssumptionVerdict{assumption.value, written(*assumption.alternative), "", state, {}, {}};
  };
  const Row row = read(kRow + choice("the way", "3 us") + choice("the air", "4 us"));
  ASSERT_THAT(row.errors, IsEmpty());
  ASSERT_THAT(row.assumed, SizeIs(3));
  const Row before_row = read(kRow + choice("the way", "3 us") + choice("the air", "5 us"));
  ASSERT_EQ(before_row.digest, row.digest);
  const auto verdict = [](CriterionVerdict::State state, std::vector<AssumptionVerdict> choices) {
    RowVerdict out;
    out.criteria.push_back({state, "slowdown", "", {}});
    out.assumptions = std::move(choices);
    return out;
  };
  using C = CriterionVerdict::State;
  const RowVerdict before =
      verdict(C::holds, {tried(before_row.assumed[0], "holds"), tried(before_row.assumed[1], "holds"),
                         tried(before_row.assumed[2], "holds")});
  // The second is evaluated again, the third is now a different alternative.
  RowVerdict now = verdict(C::holds, {tried(row.assumed[1], "does not hold")});
  keep_tried_choices(now, before, row);
  ASSERT_THAT(now.assumptions, SizeIs(2));
  EXPECT_EQ(now.assumptions[0].state, "does not hold");
  EXPECT_EQ(now.assumptions[1].value, row.assumed[0].value);
  // The effect of an alternative is relative to the criteria at that time.
  RowVerdict moved = verdict(C::does_not_hold, {});
  keep_tried_choices(moved, before, row);
  EXPECT_THAT(moved.assumptions, IsEmpty());
}

TEST(Verdict, OfADamagedFileIsNone) {
  EXPECT_EQ(read_verdict("id = "), std::nullopt);
  EXPECT_EQ(read_verdict("id = \"a/b\"\nform = \"quick\"\nverdict = \"perhaps\"\n"), std::nullopt);
  EXPECT_EQ(read_verdict(""), std::nullopt);
  const Folder folder;
  EXPECT_FALSE(is_damaged(folder.path(), "bfc/fig0", RowForm::quick));
  const Row row = read(kRow);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick).verdict), std::nullopt);
  EXPECT_FALSE(is_damaged(folder.path(), row.id, RowForm::quick));
  std::ofstream(verdict_path(folder.path(), row.id, RowForm::quick), std::ios::app) << "<<<<<<< HEAD\n";
  EXPECT_TRUE(is_damaged(folder.path(), row.id, RowForm::quick));
  const std::string head = "id = \"a/b\"\nform = \"quick\"\nverdict = \"holds\"\n[[criterion]]\nverdict = \"holds\"\n";
  EXPECT_EQ(read_verdict(head + "left_out = 3\n")->criteria[0].left_out, 3U);
  EXPECT_EQ(read_verdict(head + "left_out = -3\n")->criteria[0].left_out, 0U);
  EXPECT_EQ(read_verdict(head + "left_out = \"3\"\n")->criteria[0].left_out, 0U);
}

TEST(Verdict, FollowsFromItsCriteria) {
  using C = CriterionVerdict::State;
  const auto state = [](std::vector<C> of) {
    std::vector<CriterionVerdict> criteria;
    for (const C one : of) criteria.push_back({one, "", "", {}});
    return state_of(criteria);
  };
  EXPECT_EQ(state({C::holds, C::holds}), RowVerdict::State::holds);
  EXPECT_EQ(state({C::holds, C::not_evaluated}), RowVerdict::State::partly);
  EXPECT_EQ(state({C::not_evaluated, C::not_evaluated}), RowVerdict::State::cannot_be_run);
  EXPECT_EQ(state({C::holds, C::not_evaluated, C::does_not_hold}), RowVerdict::State::does_not_hold);
}

/// A row whose first criterion fails, with the result of its one alternative.
RowVerdict tried(const Row& row, const std::string& state, std::vector<std::string> moved) {
  RowVerdict out;
  out.id = row.id;
  out.row_digest = row.digest;
  out.criteria = {{CriterionVerdict::State::does_not_hold, "slowdown", "", {}},
                  {CriterionVerdict::State::holds, "all loads", "", {}}};
  out.assumptions = {
      {row.assumed[0].value, written(*row.assumed[0].alternative), "0.1.0", state, std::move(moved), {"2 >= 1"}}};
  settle(out, row);
  return out;
}

TEST(Verdict, IsTheThirdWithAChoiceByWhichAllHold) {
  using S = RowVerdict::State;
  const Row row = read(kRow);
  EXPECT_EQ(tried(row, "holds", {"slowdown: holds"}).state, S::holds_with);
  EXPECT_EQ(tried(row, "does not hold", {}).state, S::does_not_hold);
  EXPECT_EQ(tried(row, "holds in part", {"slowdown: holds"}).state, S::partly_with);
  // That the failing criterion cannot be evaluated decides nothing.
  EXPECT_EQ(tried(row, "holds in part", {"slowdown: not evaluated"}).state, S::does_not_hold);
  EXPECT_EQ(tried(row, "holds in part", {"slowdown: holds", "all loads: not evaluated"}).state, S::does_not_hold);
  EXPECT_EQ(tried(row, "cannot be run", {"slowdown: not evaluated"}).state, S::does_not_hold);
  // Nor does an alternative that does not count.
  const std::string alternative = "alternative = { topology.link.delay = \"2 us\" }\n";
  const Row uncounted = read(changed(alternative, alternative + "counts = false\n"));
  EXPECT_EQ(tried(uncounted, "holds", {"slowdown: holds"}).state, S::does_not_hold);
  EXPECT_THAT(tried(uncounted, "holds", {"slowdown: holds"}).with, IsEmpty());
}

TEST(Verdict, KeepsTheThirdWithItsChoice) {
  const Folder folder;
  const Row row = read(changed("reason = \"It", "other = \"2 us | longer\"\nreason = \"It"));
  const RowVerdict verdict = tried(row, "holds", {"slowdown: holds"});
  EXPECT_THAT(to_toml(verdict), HasSubstr("verdict = \"holds with\"\nwith = [\"2 us | longer\"]\n"));
  ASSERT_EQ(keep_verdict(folder.path(), verdict), std::nullopt);
  const auto back = kept_verdict(folder.path(), row, RowForm::full);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(to_toml(*back), to_toml(verdict));
  EXPECT_EQ(back->assumptions[0].version, "0.1.0");
  // An alternative that the row no longer has decides nothing, even if the rest of the row is unchanged.
  const Row other = read(changed("topology.link.delay = \"2 us\"", "topology.link.delay = \"3 us\""));
  ASSERT_EQ(other.digest, row.digest);
  EXPECT_EQ(kept_verdict(folder.path(), other, RowForm::full)->state, RowVerdict::State::does_not_hold);
  EXPECT_THAT(kept_verdict(folder.path(), other, RowForm::full)->with, IsEmpty());
  // In the record of a row that is run again without alternatives.
  RowVerdict now = tried(row, "holds", {"slowdown: holds"});
  now.assumptions.clear();
  settle(now, row);
  EXPECT_EQ(now.state, RowVerdict::State::does_not_hold);
  keep_tried_choices(now, verdict, row);
  EXPECT_EQ(now.state, RowVerdict::State::holds_with);
}

TEST(Verdict, SaysOnATerminalWithWhichChoiceTheRowHolds) {
  const Row row = read(kRow);
  const std::string text = verdict_text(row, tried(row, "holds", {"slowdown: holds"}));
  EXPECT_THAT(text, HasSubstr("bfc/fig0 (full form): holds with: { topology = { link = { delay = \"2 us\" } } }\n"));
  EXPECT_THAT(
      text, HasSubstr("  with the delay as { topology = { link = { delay = \"2 us\" } } }: holds; slowdown: holds\n"));
}

}  // namespace
}  // namespace weir::verdict_test
