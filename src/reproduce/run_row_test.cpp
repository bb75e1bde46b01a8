#include "reproduce/run_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "reproduce/plan.h"
#include "reproduce/reproduction_report.h"
#include "reproduce/run_cache.h"
#include "reproduce/test_row.h"
#include "reproduce/verdict.h"

namespace weir {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_row::changed;
using testing_row::kRow;
using testing_row::read;

/// A folder that is gone after the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("weir-reproduce-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

RowResult run(const Row& row, RowForm form, const RunRowOptions& options = {}) {
  return run_row(row, form, row.setup(form), options);
}

std::size_t files_below(const std::filesystem::path& folder) {
  std::size_t count = 0;
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) count += entry.is_regular_file();
  return count;
}

TEST(RunRow, JudgesWhatItCanRun) {
  const Row row = read(kRow);
  const RowResult result = run(row, RowForm::full, {.jobs = 2, .folder = {}, .watch = {}});
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  const RowVerdict& verdict = result.verdict;
  EXPECT_EQ(verdict.state, RowVerdict::State::holds);
  ASSERT_THAT(verdict.criteria, SizeIs(2));
  EXPECT_THAT(verdict.criteria[0].findings, ElementsAre(HasSubstr(" >= 1")));
  EXPECT_THAT(verdict.criteria[1].findings, SizeIs(3));
  EXPECT_THAT(verdict.criteria[1].findings[0], HasSubstr("[load 0.2]"));
  // The figure is of a scheme that does not exist.
  ASSERT_THAT(verdict.figures, SizeIs(1));
  EXPECT_EQ(verdict.figures[0].measured, "");
  EXPECT_EQ(verdict.figures[0].reason, "new, load 0.5, seed 1: cannot be run: no scheme \"no_such_scheme\"");
  EXPECT_THAT(verdict.missing, ElementsAre("no scheme \"no_such_scheme\""));
  // Three loads of two seeds of the one variant, two seeds of the other, which are told of though not run.
  EXPECT_THAT(verdict.runs, SizeIs(8));
}

TEST(RunRow, RunsWhatIsAskedForOnly) {
  const RowResult result = run(read(kRow), RowForm::quick);
  EXPECT_THAT(result.verdict.runs, SizeIs(2));
  EXPECT_EQ(result.verdict.criteria[1].state, CriterionVerdict::State::not_judged);
  EXPECT_EQ(result.verdict.criteria[1].reason, "it speaks of the full form only");
  EXPECT_EQ(result.verdict.state, RowVerdict::State::partly);
}

TEST(RunRow, DoesNotRunWhatCannotBeJudged) {
  // The other side of the comparison does not exist.
  const std::string text = changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1",
                                   "mean_fct(variant=\"pfc\", load=0.5) > mean_fct(variant=\"new\", load=0.5)");
  const RowResult result = run(read(text), RowForm::quick);
  EXPECT_EQ(result.verdict.state, RowVerdict::State::cannot_be_run);
  EXPECT_EQ(result.verdict.criteria[0].reason, "new: cannot be run: no scheme \"no_such_scheme\"");
  ASSERT_THAT(result.verdict.runs, SizeIs(1));
  EXPECT_EQ(result.verdict.runs[0].name, "new");
}

TEST(RunRow, DoesNotDependOnHowManyRunAtOnce) {
  const Row row = read(kRow);
  const std::string one = to_toml(run(row, RowForm::full, {.jobs = 1, .folder = {}, .watch = {}}).verdict);
  EXPECT_EQ(to_toml(run(row, RowForm::full, {.jobs = 4, .folder = {}, .watch = {}}).verdict), one);
}

TEST(RunRow, SaysThatAClaimDoesNotHold) {
  const RowResult result = run(read(changed(">= 1'", "> 1000'")), RowForm::quick);
  EXPECT_EQ(result.verdict.state, RowVerdict::State::does_not_hold);
  EXPECT_THAT(result.verdict.criteria[0].findings, ElementsAre(HasSubstr("> 1000: not so")));
}

TEST(RunRow, CannotRunWhatNeedsWhatDoesNotExist) {
  const RowResult result =
      run(read(changed("seeds = [1, 2]", "seeds = [1, 2]\nneeds = [\"the software switch\"]")), RowForm::quick);
  EXPECT_EQ(result.verdict.state, RowVerdict::State::cannot_be_run);
  EXPECT_EQ(result.verdict.criteria[0].reason, "pfc: cannot be run: needs the software switch");
  EXPECT_THAT(result.verdict.missing, testing::Contains("the software switch"));
}

TEST(RunRow, RefusesWhatMakesNoSenseBeforeItRuns) {
  EXPECT_THAT(run(read(changed("load=0.5) >= 1", "load=0.6) >= 1")), RowForm::full).errors,
              ElementsAre("r.toml:12:10: claim.criterion.holds: there is no load 0.6 in this form of the row, expected "
                          "one of 0.2, 0.5, 0.8"));
  EXPECT_THAT(run(read(changed("values = [0.2, 0.5, 0.8]", "values = [0.5, 1.2]")), RowForm::full).errors,
              testing::Contains(HasSubstr("of its rate")));
  EXPECT_THAT(
      run(read(changed("flows(variant=\"pfc\")", "flows(variant=\"pfc\", source=\"h7\")")), RowForm::full).errors,
      ElementsAre(HasSubstr("no node is named \"h7\"")));
  EXPECT_THAT(run(read(changed("flows(variant=\"pfc\") > 0", "flows(variant=\"pfc\")")), RowForm::full).errors,
              ElementsAre(HasSubstr("is a number, expected a comparison")));
}

TEST(RunRow, RefusesACriterionOfAnAnalysisThatMakesNoSense) {
  const std::string text = R"([claim]
id = "bfc/fig0"
title = "A bound"
section = "3"

[[claim.criterion]]
name = "idle"
holds = "idle_shar(x=2) <= 1"

[analysis]
kind = "bfc_idle_bound"
)";
  const Row row = read(text);
  ASSERT_THAT(row.errors, IsEmpty());
  const auto refused = ElementsAre(
      AllOf(HasSubstr("r.toml:8:10: claim.criterion.holds: \"idle_shar\" is neither a measure nor a function"),
            HasSubstr("(did you mean \"idle_share\"?)")));
  EXPECT_THAT(check_row(row, RowForm::full, row.full), refused);
  EXPECT_THAT(run(row, RowForm::full).errors, refused);
}

TEST(RunRow, StopsWhenToldTo) {
  // A second of traffic takes far longer than the time between two looks.
  const Row row = read(changed("stop = \"1 ms\"", "stop = \"1 s\""));
  RunRowOptions options;
  options.watch = [](std::size_t, std::size_t, const std::vector<RunUnderway>&) { return false; };
  const RowResult result = run(row, RowForm::full, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(result.errors, IsEmpty());
}

/// As if the first runs of a row had been made before it was interrupted: their measures are all 7.
std::size_t keep_first_runs(const Row& row, std::size_t count, const std::filesystem::path& folder) {
  const RunCache cache(folder, row, RowForm::full);
  std::size_t kept = 0;
  for (const auto& [point, asked] : rehearse(row, RowForm::full, row.full).asked) {
    if (!missing_schemes(row, row.full, point).empty() || kept == count) continue;
    PointOutcome outcome;
    outcome.digest = "of an earlier run";
    for (const auto& [name, question] : asked) outcome.measures[name].figure = Figure::number(7);
    EXPECT_EQ(cache.keep(run_name(row.full, point), outcome), std::nullopt);
    ++kept;
  }
  return kept;
}

/// Five switches in a ring; each host sends to the second after it, round the ring.
constexpr const char* kRing = R"([claim]
id = "spfc/fig0"
title = "Deadlocks"
section = "VII.D"
seeds = [1, 2]

[[claim.criterion]]
name = "flows that wait for ever"
holds = 'unfinished(variant="ring") == 5'

[[claim.criterion]]
name = "runs that deadlock"
holds = 'sum([deadlocks(variant="ring") for seed]) == 2'

[[claim.figure]]
name = "pauses until then"
value = 'pauses_sent(variant="ring")'

[topology]
kind = "explicit"
hosts = ["h0", "h1", "h2", "h3", "h4"]
switches = ["s0", "s1", "s2", "s3", "s4"]
link = [
  { between = ["h0", "s0"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["s0", "s1"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["h1", "s1"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["s1", "s2"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["h2", "s2"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["s2", "s3"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["h3", "s3"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["s3", "s4"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["h4", "s4"], rate = "100 Gbit/s", delay = "1 us" },
  { between = ["s4", "s0"], rate = "100 Gbit/s", delay = "1 us" },
]

[switch]
buffer = "500 KB"
flow_control = ["pfc"]

[host]
congestion_control = "line_rate"

[[traffic]]
name = "round"
kind = "flows"
overload = "intended"
flow = [
  { source = "h0", destination = "h2", size = "5 MB" },
  { source = "h1", destination = "h3", size = "5 MB" },
  { source = "h2", destination = "h4", size = "5 MB" },
  { source = "h3", destination = "h0", size = "5 MB" },
  { source = "h4", destination = "h1", size = "5 MB" },
]

[run]
stop = "20 ms"

[variants.ring]

[quick]
differs = "nothing"
)";

/// It is a result, not a failure of the run: what was measured until then is judged.
TEST(RunRow, JudgesARunThatDeadlocks) {
  const Row row = read_row(kRing, "r.toml", ".", "spfc/fig0");
  const RowResult result = run(row, RowForm::quick);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_EQ(result.verdict.state, RowVerdict::State::holds);
  ASSERT_THAT(result.verdict.criteria, SizeIs(2));
  EXPECT_THAT(result.verdict.criteria[0].findings, ElementsAre("5.00 == 5.00"));
  EXPECT_THAT(result.verdict.criteria[1].findings, ElementsAre("2.00 == 2.00"));
  ASSERT_THAT(result.verdict.figures, SizeIs(1));
  EXPECT_NE(result.verdict.figures[0].measured, "");
}

/// With a buffer that never fills all flows complete, and the same row does not hold.
TEST(RunRow, CountsNoDeadlockWhereFlowsComplete) {
  const std::string text = changed("buffer = \"500 KB\"", "buffer = \"100 MB\"", kRing);
  const RowResult result = run(read_row(text, "r.toml", ".", "spfc/fig0"), RowForm::quick);
  ASSERT_THAT(result.errors, IsEmpty());
  EXPECT_EQ(result.verdict.state, RowVerdict::State::does_not_hold);
  EXPECT_THAT(result.verdict.criteria[0].findings, ElementsAre("0 == 5.00: not so"));
  EXPECT_THAT(result.verdict.criteria[1].findings, ElementsAre("0 == 2.00: not so"));
}

TEST(RunRow, GoesOnWhereItStopped) {
  const Folder folder;
  const Row row = read(kRow);
  ASSERT_EQ(keep_first_runs(row, 2, folder.path()), 2U);
  EXPECT_EQ(files_below(folder.path()), 2U);
  const RowResult result = run(row, RowForm::full, {.jobs = 1, .folder = folder.path(), .watch = {}});
  EXPECT_EQ(std::count_if(result.verdict.runs.begin(), result.verdict.runs.end(),
                          [](const VerdictRun& r) { return r.digest == "of an earlier run"; }),
            2);
  // Both seeds of the first load.
  EXPECT_THAT(result.verdict.criteria[1].findings, testing::Contains("7.00 > 0 [load 0.2]"));
  // Nothing is left behind once the row is judged.
  EXPECT_EQ(files_below(folder.path()), 0U);
}

TEST(RunRow, ForgetsRunsOfWhatHasChanged) {
  const Folder folder;
  ASSERT_EQ(keep_first_runs(read(kRow), 2, folder.path()), 2U);
  const Row other = read(changed("buffer = \"1 MB\"", "buffer = \"2 MB\""));
  const RowResult result = run(other, RowForm::full, {.jobs = 1, .folder = folder.path(), .watch = {}});
  for (const VerdictRun& r : result.verdict.runs) EXPECT_NE(r.digest, "of an earlier run");
}

TEST(RunCache, KeepsNumbersListsAndReasons) {
  const Folder folder;
  const Row row = read(kRow);
  const RunCache cache(folder.path(), row, RowForm::full);
  PointOutcome outcome;
  outcome.digest = "0123";
  outcome.measures["a(x=\"b\")"].figure = Figure::number(0.1);
  outcome.measures["list"].figure = Figure::numbers({1, 2.5e-20, 3});
  outcome.measures["none"].figure = Figure::number(std::nan(""));
  outcome.measures["why"].unavailable = "there is \"no\" series";
  ASSERT_EQ(cache.keep("run 1", outcome), std::nullopt);
  AskedOfRun asked;
  for (const auto& [name, measured] : outcome.measures) asked[name];
  const auto back = cache.find("run 1", asked);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->digest, "0123");
  EXPECT_EQ(back->measures.at("a(x=\"b\")").figure, Figure::number(0.1));
  EXPECT_EQ(back->measures.at("list").figure, Figure::numbers({1, 2.5e-20, 3}));
  EXPECT_TRUE(std::isnan(*back->measures.at("none").figure.as_number()));
  EXPECT_EQ(back->measures.at("why").unavailable, "there is \"no\" series");
  EXPECT_EQ(cache.find("run 2", asked), std::nullopt);
  // What it was not asked then is not there now.
  asked["more"];
  EXPECT_EQ(cache.find("run 1", asked), std::nullopt);
}

TEST(RunRow, TriesWhatIsAssumedOtherwise) {
  RunRowOptions options;
  options.assumptions = true;
  // The delay of a link is in every completion time.
  const std::string text =
      changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1", "min(fcts(variant=\"pfc\", load=0.5)) < 15 us");
  const RowResult result = run(read(text), RowForm::quick, options);
  ASSERT_THAT(result.errors, IsEmpty());
  ASSERT_THAT(result.verdict.assumptions, SizeIs(1));
  EXPECT_EQ(result.verdict.criteria[0].state, CriterionVerdict::State::holds);
  EXPECT_EQ(result.verdict.assumptions[0].value, "the delay");
  EXPECT_EQ(result.verdict.assumptions[0].state, "does not hold");
  EXPECT_THAT(result.verdict.assumptions[0].moved, ElementsAre("slowdown: does not hold"));
  EXPECT_THAT(read_verdict(to_toml(result.verdict))->assumptions, SizeIs(1));
}

TEST(RunRow, SaysWhyACriterionIsNotJudgedUnderAnotherAssumption) {
  RunRowOptions options;
  options.assumptions = true;
  const std::string text =
      changed("{ topology.link.delay = \"2 us\" }", "{ switch.flow_control = [\"no_such_scheme\"] }");
  const RowResult result = run(read(text), RowForm::quick, options);
  ASSERT_THAT(result.verdict.assumptions, SizeIs(1));
  EXPECT_THAT(result.verdict.assumptions[0].moved, ElementsAre("slowdown: not judged"));
  EXPECT_THAT(result.verdict.assumptions[0].findings, ElementsAre(HasSubstr("cannot be run: no scheme")));
}

// ---- verdicts and the report ----

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
  // A row that has changed has no verdict, unless it has changed in words only.
  EXPECT_EQ(kept_verdict(folder.path(), read(changed("load=0.5) >= 1", "load=0.5) >= 2")), RowForm::quick),
            std::nullopt);
  EXPECT_TRUE(kept_verdict(folder.path(), read(kRow + "# Words.\n"), RowForm::quick).has_value());
}

/// Of thousands of runs as much is recorded as of one.
TEST(Verdict, InBriefSaysWhatIsShown) {
  const Folder folder;
  const Row row = read(kRow);
  RowVerdict verdict = run(row, RowForm::quick).verdict;
  verdict.criteria[0].findings = {"1", "2", "3", "4", "5", "6"};
  verdict.assumptions = {{"the delay", "{ }", "holds", {"slowdown: holds"}, {"a", "b", "c", "d", "e"}}};
  ASSERT_FALSE(verdict.runs.empty());
  const RowVerdict brief = in_brief(verdict);
  EXPECT_THAT(brief.runs, IsEmpty());
  EXPECT_THAT(brief.criteria[0].findings, ElementsAre("1", "2", "3", "4"));
  EXPECT_EQ(brief.criteria[0].left_out, 2U);
  EXPECT_EQ(brief.assumptions[0].left_out, 1U);
  EXPECT_EQ(brief.state, verdict.state);
  EXPECT_EQ(to_toml(*read_verdict(to_toml(brief))), to_toml(brief));
  EXPECT_EQ(to_toml(in_brief(brief)), to_toml(brief));
  EXPECT_EQ(verdict_text(row, brief), verdict_text(row, verdict));
  EXPECT_THAT(verdict_text(row, brief), HasSubstr("measured: 1; 2; 3; 4; and 2 more\n"));
}

TEST(Verdict, KeepsWhatWasTriedBefore) {
  const auto choice = [](const std::string& value, const std::string& delay) {
    return "\n[[claim.assumed]]\nvalue = \"" + value + "\"\nchoice = \"ours\"\nreason = \"none\"\n" +
           "otherwise = { topology.link.delay = \"" + delay + "\" }\n";
  };
  const auto tried = [](const Assumption& assumption, const char* state) {
    return AssumptionVerdict{assumption.value, written(*assumption.otherwise), state, {}, {}};
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
  // The second is tried again, the third is another choice now.
  RowVerdict now = verdict(C::holds, {tried(row.assumed[1], "does not hold")});
  keep_tried_choices(now, before, row);
  ASSERT_THAT(now.assumptions, SizeIs(2));
  EXPECT_EQ(now.assumptions[0].state, "does not hold");
  EXPECT_EQ(now.assumptions[1].value, row.assumed[0].value);
  // What another choice moves is said against the criteria as they were.
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
  EXPECT_EQ(state({C::holds, C::not_judged}), RowVerdict::State::partly);
  EXPECT_EQ(state({C::not_judged, C::not_judged}), RowVerdict::State::cannot_be_run);
  EXPECT_EQ(state({C::holds, C::not_judged, C::does_not_hold}), RowVerdict::State::does_not_hold);
}

TEST(Report, SaysWhereEachRowStands) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_EQ(standing_of(row, folder.path()).state(), "not run");
  EXPECT_EQ(standing_of(read(changed("seeds = [1, 2]", "seeds = [1]\nneeds = [\"a switch\"]")), folder.path()).state(),
            "cannot be run: a switch, no scheme \"no_such_scheme\"");
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick).verdict), std::nullopt);
  EXPECT_EQ(standing_of(row, folder.path()).state(), "holds in part (no scheme \"no_such_scheme\"), quick form");
}

TEST(Report, TellsMeasuredBesideThePapers) {
  const Folder folder;
  const Row row = read(kRow);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::full).verdict), std::nullopt);
  const std::string report = reproduction_report({standing_of(row, folder.path())});
  EXPECT_THAT(report, AllOf(HasSubstr("| bfc/fig0, bfc/fig00 | A claim | holds (no scheme \"no_such_scheme\") |"),
                            HasSubstr("`p99_slowdown(variant=\"pfc\", load=0.5) >= 1` | twice | "),
                            HasSubstr("**holds**"), HasSubstr("| the delay | 1 us | It does not matter. |  |"),
                            HasSubstr("The quick form: one load and one seed")));
  EXPECT_THAT(report, Not(HasSubstr("\n\n\n")));
}

TEST(Report, TellsWhatCameOfAnotherChoice) {
  const Folder folder;
  const Row row = read(kRow);
  RunRowOptions options;
  options.assumptions = true;
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::full).verdict), std::nullopt);
  EXPECT_EQ(keep_verdict(folder.path(), run(row, RowForm::quick, options).verdict), std::nullopt);
  const auto report = [&](const Row& of) { return reproduction_report({standing_of(of, folder.path())}); };
  // Choices are tried in the quick form most of the time, and then stand beside the verdict of the full one.
  EXPECT_THAT(report(row), HasSubstr("delay = \"2 us\" } } }`, quick form: holds"));
  // What was tried says nothing of a choice that the row has since.
  const Row changed_choice = read(changed("topology.link.delay = \"2 us\"", "topology.link.delay = \"3 us\""));
  EXPECT_TRUE(standing_of(changed_choice, folder.path()).quick.has_value());
  EXPECT_THAT(report(changed_choice), HasSubstr("| the delay | 1 us | It does not matter. |  |"));
}

TEST(Report, IsTheSameEveryTime) {
  const Folder folder;
  const std::vector<RowStanding> rows = {standing_of(read(kRow), folder.path())};
  EXPECT_EQ(reproduction_report(rows), reproduction_report({standing_of(read(kRow), folder.path())}));
}

}  // namespace
}  // namespace weir
