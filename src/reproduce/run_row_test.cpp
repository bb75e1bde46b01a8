// SPDX-License-Identifier: Apache-2.0
#include "reproduce/run_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/scalar.h"
#include "reproduce/plan.h"
#include "reproduce/run_cache.h"
#include "reproduce/test_row.h"
#include "reproduce/verdict.h"
#include "sim/version.h"

namespace weir::run_row_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_row::changed;
using testing_row::Folder;
using testing_row::kRow;
using testing_row::read;
using testing_row::run;

std::size_t files_below(const std::filesystem::path& folder) {
  std::size_t count = 0;
  if (!std::filesystem::exists(folder)) return 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) count += entry.is_regular_file();
  return count;
}

TEST(RunRow, EvaluatesWhatItCanRun) {
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
  // The figure refers to a scheme that does not exist.
  ASSERT_THAT(verdict.figures, SizeIs(1));
  EXPECT_EQ(verdict.figures[0].measured, "");
  EXPECT_EQ(verdict.figures[0].reason, "new, load 0.5, seed 1: cannot be run: no scheme \"no_such_scheme\"");
  EXPECT_THAT(verdict.missing, ElementsAre("no scheme \"no_such_scheme\""));
  // Three loads with two seeds of one variant, and two seeds of the other, which are listed although not run.
  EXPECT_THAT(verdict.runs, SizeIs(8));
}

TEST(RunRow, RunsWhatIsAskedForOnly) {
  const RowResult result = run(read(kRow), RowForm::quick);
  EXPECT_THAT(result.verdict.runs, SizeIs(2));
  EXPECT_EQ(result.verdict.criteria[1].state, CriterionVerdict::State::not_evaluated);
  EXPECT_EQ(result.verdict.criteria[1].reason, "it speaks of the full form only");
  EXPECT_EQ(result.verdict.state, RowVerdict::State::partly);
}

TEST(RunRow, DoesNotRunWhatCannotBeEvaluated) {
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
              testing::Contains(HasSubstr("times its rate")));
  EXPECT_THAT(
      run(read(changed("flows(variant=\"pfc\")", "flows(variant=\"pfc\", source=\"h7\")")), RowForm::full).errors,
      ElementsAre(HasSubstr("unknown node \"h7\"")));
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
  // One second of traffic takes far longer than the interval between two calls.
  const Row row = read(changed("stop = \"1 ms\"", "stop = \"1 s\""));
  RunRowOptions options;
  options.watch = [](std::size_t, std::size_t, const std::vector<RunUnderway>&) { return false; };
  const RowResult result = run(row, RowForm::full, options);
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(result.errors, IsEmpty());
}

/// Simulates that the first runs of a row were made before it was interrupted: their measures are all 7.
std::size_t keep_first_runs(const Row& row, std::size_t count, const std::filesystem::path& folder) {
  const RunCache cache(folder, row, RowForm::full);
  std::size_t kept = 0;
  for (const auto& [point, asked] : make_dry_run(row, RowForm::full, row.full).asked) {
    if (!missing_schemes(row, row.full, point).empty() || kept == count) continue;
    PointOutcome outcome;
    outcome.digest = "of an earlier run";
    for (const auto& [name, question] : asked) outcome.measures[name].figure = Figure::number(7);
    const PlannedRun planned = plan_run(row, row.full, point);
    EXPECT_EQ(cache.keep(configuration_of(planned), planned.name, outcome), std::nullopt);
    ++kept;
  }
  return kept;
}

/// Five switches in a ring; each host sends to the second next, around the ring.
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

/// A deadlock is a result, not a failure of the run: measurements until then are evaluated.
TEST(RunRow, EvaluatesARunThatDeadlocks) {
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

/// With a buffer that never fills, all flows complete, and the same row does not hold.
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
  // All six can be used for other measures.
  EXPECT_EQ(files_below(folder.path()), 6U);
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
  outcome.seconds = 1.25;
  ASSERT_EQ(cache.keep("the first", "run 1", outcome), std::nullopt);
  AskedOfRun asked;
  for (const auto& [name, measured] : outcome.measures) asked[name];
  const auto back = cache.find("the first", asked);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->digest, "0123");
  EXPECT_EQ(back->seconds, 1.25);
  EXPECT_EQ(back->measures.at("a(x=\"b\")").figure, Figure::number(0.1));
  EXPECT_EQ(back->measures.at("list").figure, Figure::numbers({1, 2.5e-20, 3}));
  EXPECT_TRUE(std::isnan(*back->measures.at("none").figure.as_number()));
  EXPECT_EQ(back->measures.at("why").unavailable, "there is \"no\" series");
  EXPECT_EQ(cache.find("the second", asked), std::nullopt);
  // A measure that was not requested then is not stored.
  asked["more"];
  EXPECT_EQ(cache.find("the first", asked), std::nullopt);
}

TEST(RunRow, TriesWhatIsAssumedOtherwise) {
  RunRowOptions options;
  options.choices = OtherChoices::all;
  // The delay of a link is part of every completion time.
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

TEST(RunRow, SaysWhyACriterionIsNotEvaluatedUnderAnotherAssumption) {
  RunRowOptions options;
  options.choices = OtherChoices::all;
  const std::string text =
      changed("{ topology.link.delay = \"2 us\" }", "{ switch.flow_control = [\"no_such_scheme\"] }");
  const RowResult result = run(read(text), RowForm::quick, options);
  ASSERT_THAT(result.verdict.assumptions, SizeIs(1));
  EXPECT_THAT(result.verdict.assumptions[0].moved, ElementsAre("slowdown: not evaluated"));
  EXPECT_THAT(result.verdict.assumptions[0].findings, ElementsAre(HasSubstr("cannot be run: no scheme")));
}

/// The first completion time reaches 15 us only with the longer delay.
std::string slow_links() {
  return changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1", "min(fcts(variant=\"pfc\", load=0.5)) >= 15 us");
}

std::string with_choice(const std::string& value, const std::string& alternative, const std::string& more = "") {
  return "\n[[claim.assumed]]\nvalue = \"" + value +
         "\"\nchoice = \"ours\"\nreason = \"none\"\nalternative = " + alternative + "\n" + more;
}

TEST(RunRow, FindsTheChoiceWithWhichARowHolds) {
  const Row row = read(slow_links() + with_choice("the buffer", "{ switch.buffer = \"2 MB\" }"));
  ASSERT_THAT(row.errors, IsEmpty());
  EXPECT_EQ(run(row, RowForm::full).verdict.state, RowVerdict::State::does_not_hold);
  RunRowOptions options;
  options.choices = OtherChoices::undecided;
  const RowVerdict verdict = run(row, RowForm::full, options).verdict;
  EXPECT_EQ(verdict.state, RowVerdict::State::holds_with);
  EXPECT_THAT(verdict.with, ElementsAre("{ topology = { link = { delay = \"2 us\" } } }"));
  ASSERT_THAT(verdict.assumptions, SizeIs(2));
  EXPECT_EQ(verdict.assumptions[0].state, "holds");
  EXPECT_EQ(verdict.assumptions[1].state, "does not hold");
  EXPECT_THAT(verdict.assumptions[1].moved, IsEmpty());
  // In the quick form a criterion is not evaluated, so the row holds in part at most.
  const RowVerdict quick = run(row, RowForm::quick, options).verdict;
  EXPECT_EQ(quick.state, RowVerdict::State::partly_with);
  EXPECT_THAT(quick.with, SizeIs(1));
}

TEST(RunRow, NamesEachChoiceWithWhichARowHolds) {
  const std::string words =
      changed("alternative = {", "other = \"2 us, a longer cable\"\nalternative = {", slow_links());
  RunRowOptions options;
  options.choices = OtherChoices::all;
  const Row row = read(words + with_choice("the rate", "{ topology.link.rate = \"5 Gbit/s\" }") +
                       with_choice("the speed", "{ topology.link.rate = \"4 Gbit/s\" }", "counts = false\n"));
  ASSERT_THAT(row.errors, IsEmpty());
  const RowVerdict verdict = run(row, RowForm::full, options).verdict;
  EXPECT_EQ(verdict.assumptions[2].state, "holds");
  EXPECT_THAT(verdict.with, ElementsAre("2 us, a longer cable", "{ topology = { link = { rate = \"5 Gbit/s\" } } }"));
}

TEST(RunRow, LeavesOtherChoicesWhereTheRowIsDecided) {
  RunRowOptions options;
  options.choices = OtherChoices::undecided;
  const RowVerdict verdict = run(read(kRow), RowForm::full, options).verdict;
  EXPECT_EQ(verdict.state, RowVerdict::State::holds);
  EXPECT_THAT(verdict.assumptions, IsEmpty());
}

/// Two variants, of which the alternative changes one.
TEST(RunRow, RepeatsNoRunThatAnotherChoiceLeavesAsItWas) {
  const Folder folder;
  const std::string two = changed("switch.flow_control = [{ scheme = \"no_such_scheme\", queues = 32 }, \"pfc\"]",
                                  "switch.buffer = \"2 MB\"");
  const std::string both =
      changed("p99_slowdown(variant=\"pfc\", load=0.5) >= 1",
              "mean_fct(variant=\"pfc\", load=0.5) > 0 us and mean_fct(variant=\"new\", load=0.5) > 0 us", two);
  const Row row = read(changed("{ topology.link.delay = \"2 us\" }", "{ variants.new.run.stop = \"2 ms\" }", both));
  ASSERT_THAT(row.errors, IsEmpty());
  RunRowOptions options = {.jobs = 1, .folder = folder.path(), .watch = {}};
  const RowVerdict base = run(row, RowForm::quick, options).verdict;
  EXPECT_EQ(files_below(folder.path()), 2U);
  // The verdict of this version is not evaluated again, and only one run is made.
  std::size_t runs = 0;
  options.choices = OtherChoices::all;
  options.known = &base;
  options.watch = [&](std::size_t, std::size_t total, const std::vector<RunUnderway>&) {
    runs = total;
    return true;
  };
  const RowVerdict with_known = run(row, RowForm::quick, options).verdict;
  EXPECT_EQ(runs, 1U);
  EXPECT_EQ(files_below(folder.path()), 3U);
  ASSERT_THAT(with_known.assumptions, SizeIs(1));
  EXPECT_EQ(with_known.runs.size(), base.runs.size());
  // Now all of them are stored.
  runs = 0;
  options.known = nullptr;
  EXPECT_EQ(to_toml(run(row, RowForm::quick, options).verdict), to_toml(with_known));
  EXPECT_EQ(runs, 0U);
  options.again = true;
  EXPECT_EQ(to_toml(run(row, RowForm::quick, options).verdict), to_toml(with_known));
  EXPECT_EQ(runs, 1U);
}

/// With an alternative, only runs required by criteria are made, not those of figures and pictures.
TEST(RunRow, RunsForOtherChoicesWhatCriteriaAskForOnly) {
  const Folder folder;
  const Row row = read(changed("for all load: flows(variant=\"pfc\") > 0", "flows(variant=\"pfc\", load=0.5) > 0",
                               changed("mean_fct(variant=\"new\", load=0.5)", "mean_fct(variant=\"pfc\", load=0.8)")));
  ASSERT_THAT(row.errors, IsEmpty());
  RunRowOptions options = {.jobs = 1, .folder = folder.path(), .watch = {}};
  run(row, RowForm::full, options);
  // Two seeds of two loads.
  EXPECT_EQ(files_below(folder.path()), 4U);
  options.choices = OtherChoices::all;
  run(row, RowForm::full, options);
  EXPECT_EQ(files_below(folder.path()), 6U);
}

TEST(RunRow, TriesAChoiceAgainThatAnotherVersionTried) {
  const Row row = read(kRow);
  RowVerdict verdict;
  EXPECT_TRUE(is_untried(verdict, row.assumed[0]));
  const std::string alternative = written(*row.assumed[0].alternative);
  verdict.assumptions = {{"the delay", alternative, kVersion, "holds", {}, {}}};
  EXPECT_FALSE(is_untried(verdict, row.assumed[0]));
  verdict.assumptions[0].version = "0.0.9";
  EXPECT_TRUE(is_untried(verdict, row.assumed[0]));
  EXPECT_FALSE(is_untried(verdict, {"the delay", "1 us", "none", std::nullopt, "", true}));
}

TEST(RunRow, KeepsTheVerdictWhenItIsInterruptedAmongOtherChoices) {
  const Folder folder;
  const Row row = read(changed("{ topology.link.delay = \"2 us\" }", "{ run.stop = \"1 s\" }"));
  RunRowOptions options = {.jobs = 1, .folder = folder.path(), .watch = {}};
  const RowVerdict base = run(row, RowForm::quick, options).verdict;
  options.choices = OtherChoices::all;
  options.watch = [](std::size_t, std::size_t, const std::vector<RunUnderway>&) { return false; };
  const RowResult result = run(row, RowForm::quick, options);
  EXPECT_FALSE(result.interrupted);
  EXPECT_TRUE(result.choices_left);
  EXPECT_EQ(to_toml(result.verdict), to_toml(base));
}

TEST(RunRow, RefusesAChoiceThatMakesNoSenseBeforeItRuns) {
  const Folder folder;
  RunRowOptions options = {.jobs = 1, .folder = folder.path(), .watch = {}};
  options.choices = OtherChoices::all;
  const Row row = read(changed("{ topology.link.delay = \"2 us\" }", "{ topology.link.delya = \"2 us\" }"));
  EXPECT_THAT(run(row, RowForm::quick, options).errors, testing::Contains(HasSubstr("delya: unknown key")));
  EXPECT_EQ(files_below(folder.path()), 0U);
}

/// Former criteria are evaluated and shown, but decide nothing.
TEST(RunRow, EvaluatesCriteriaAsTheyOnceWere) {
  const Row row = read(changed("forms = \"full\"\n", R"row(forms = "full"
quote = "All complete."
former = { holds = 'flows(variant="pfc", load=0.8) < 0', reason = "ours" }
)row") + R"row(
[[claim.former]]
name = "nothing is late"
holds = 'mean_fct(variant="new", load=0.5) > 0 us'
reason = "a caption's"
)row");
  ASSERT_THAT(row.errors, IsEmpty());
  const RowVerdict verdict = run(row, RowForm::full).verdict;
  EXPECT_EQ(verdict.state, RowVerdict::State::holds);
  ASSERT_THAT(verdict.formers, SizeIs(2));
  EXPECT_EQ(verdict.formers[0].name, "all loads");
  EXPECT_EQ(verdict.formers[0].state, CriterionVerdict::State::does_not_hold);
  EXPECT_THAT(verdict.formers[0].findings, ElementsAre(HasSubstr(" < 0: not so")));
  EXPECT_EQ(verdict.formers[1].state, CriterionVerdict::State::not_evaluated);
  EXPECT_THAT(verdict.formers[1].reason, HasSubstr("no scheme \"no_such_scheme\""));
  EXPECT_EQ(to_toml(*read_verdict(to_toml(verdict))), to_toml(verdict));
  EXPECT_EQ(run(row, RowForm::quick).verdict.formers[0].reason, "it speaks of the full form only");
}

TEST(RunRow, RefusesAFormerCriterionThatMakesNoSense) {
  const auto errors = [](const std::string& holds) {
    return run(read(kRow + "\n[[claim.former]]\nname = \"once\"\nreason = \"ours\"\nholds = '" + holds + "'\n"),
               RowForm::full)
        .errors;
  };
  EXPECT_THAT(errors("mean_fct(variant=\"pfc\", load=0.5)"),
              ElementsAre(HasSubstr("claim.former.holds: is a duration, expected a comparison")));
  EXPECT_THAT(errors("mean_ftc(variant=\"pfc\", load=0.5) > 0 us"), ElementsAre(HasSubstr("claim.former.holds: ")));
}

TEST(RunCache, ForgetsWhatAnotherVersionKept) {
  const Folder folder;
  const Row row = read(kRow);
  const RunCache cache(folder.path(), row, RowForm::full);
  PointOutcome outcome;
  outcome.digest = "0123";
  outcome.seconds = 2;
  ASSERT_EQ(cache.keep("one", "run 1", outcome), std::nullopt);
  ASSERT_EQ(cache.keep("two", "run 2", outcome), std::nullopt);
  EXPECT_EQ(cache.seconds(), 4);
  // As another version would have written it.
  std::filesystem::path first;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) first = entry.path();
  }
  std::ofstream(first) << "version = \"0.0.9\"\nrun = \"\"\ndigest = \"0123\"\nseconds = 3\n\n[measures]\n";
  EXPECT_EQ(cache.seconds(), 2);
  EXPECT_EQ(cache.find("one", {}).has_value() + cache.find("two", {}).has_value(), 1);
  cache.remove_outdated();
  EXPECT_EQ(files_below(folder.path()), 1U);
}

}  // namespace
}  // namespace weir::run_row_test
