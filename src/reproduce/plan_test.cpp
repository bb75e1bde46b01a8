// SPDX-License-Identifier: Apache-2.0
#include "reproduce/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reproduce/test_row.h"

namespace weir::plan_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_row::changed;
using testing_row::kRow;
using testing_row::read;

/// The settings of a planned run, which must be valid.
Settings only(const PlannedRun& planned) {
  EXPECT_THAT(planned.scenario.errors, IsEmpty());
  return planned.scenario.variants.empty() ? Settings() : planned.scenario.variants.front().settings;
}

PlannedRun planned(const std::string& text, const RunPoint& point = {0, {0}, 0}) {
  const Row row = read(text);
  EXPECT_THAT(row.errors, IsEmpty());
  return plan_run(row, row.full, point);
}

TEST(Plan, HasEveryPoint) {
  const Row row = read(kRow);
  const std::vector<RunPoint> points = all_runs(row.full);
  ASSERT_THAT(points, SizeIs(2 * 3 * 2));
  EXPECT_EQ(run_name(row.full, points[0]), "pfc, load 0.2, seed 1");
  EXPECT_EQ(run_name(row.full, points[11]), "new, load 0.8, seed 2");
  // Parts with only one value are omitted.
  EXPECT_EQ(run_name(row.quick, all_runs(row.quick)[1]), "new");
}

TEST(Plan, LaysVariantSweepAndSeedOverTheScenario) {
  const Row row = read(kRow);
  const Settings settings = only(plan_run(row, row.full, {0, {2}, 1}));
  EXPECT_EQ(settings.run.seed, 2U);
  EXPECT_EQ(settings.variant, "pfc, load 0.8, seed 2");
  EXPECT_EQ(settings.scenario, "A claim");
  EXPECT_THAT(settings.effective_configuration, HasSubstr("load = 0.8"));
}

TEST(Plan, NamesTheSchemesThatDoNotExist) {
  const Row row = read(kRow);
  EXPECT_THAT(plan_run(row, row.full, {0, {0}, 0}).missing, IsEmpty());
  const PlannedRun new_scheme = plan_run(row, row.full, {1, {0}, 0});
  EXPECT_THAT(new_scheme.missing, ElementsAre("no_such_scheme"));
  // The rest of it is checked without the missing schemes.
  EXPECT_EQ(only(new_scheme).switches.flow_control.size(), 1U);
  EXPECT_THAT(missing_schemes(row, row.full, {1, {0}, 0}), ElementsAre("no_such_scheme"));
}

TEST(Plan, FillsExpressionsIn) {
  const auto with = [](const std::string& values, const std::string& set) {
    return changed("set = { traffic.background.load = \"{load}\" }", "set = { " + set + " }",
                   changed("values = [0.2, 0.5, 0.8]", "values = " + values));
  };
  EXPECT_EQ(only(planned(with("[4]", "topology.hosts = \"{load * 2}\""))).network.topology.hosts(), 8U);
  EXPECT_EQ(only(planned(with("[3]", "traffic.background.size = \"{30 KB / load}\""))).run.seed, 1U);
  EXPECT_THAT(only(planned(with("[3]", "traffic.background.size = \"{30 KB / load}\""))).effective_configuration,
              HasSubstr("size = \"10000 B\""));
  EXPECT_THAT(only(planned(with("[2]", "traffic.background.sources = \"h0..h{load - 1}\""))).effective_configuration,
              HasSubstr("sources = \"h0..h1\""));
  EXPECT_THAT(only(planned(with("[\"20 Gbit/s\"]", "topology.link.rate = \"{load}\""))).effective_configuration,
              HasSubstr("rate = \"20 Gbit/s\""));
  EXPECT_THAT(only(planned(with("[\"20 Gbit/s\"]", "topology.link.rate = \"{load / 2}\""))).effective_configuration,
              HasSubstr("rate = \"10 Gbit/s\""));
}

TEST(Plan, SaysWhatIsWrongWithAnExpressionInBraces) {
  const std::string text = changed("\"{load}\"", "\"{laod}\"");
  EXPECT_THAT(planned(text).scenario.errors,
              ElementsAre("r.toml:53:35: sweep.set: in {laod}: unknown name \"laod\", expected a measure, a function, "
                          "or a name bound by a for (did you mean \"load\"?)"));
  EXPECT_THAT(planned(changed("\"{load}\"", "\"{load\"")).scenario.errors,
              ElementsAre(HasSubstr("which has an unmatched brace")));
}

TEST(Plan, TakesTheTableOfAValue) {
  const std::string text = changed("set = { traffic.background.load = \"{load}\" }",
                                   "at = { \"0.5\" = { topology.hosts = 5 }, \"0.8\" = { topology.hosts = 8 } }");
  EXPECT_EQ(only(planned(text, {0, {0}, 0})).network.topology.hosts(), 3U);
  EXPECT_EQ(only(planned(text, {0, {1}, 0})).network.topology.hosts(), 5U);
  EXPECT_EQ(only(planned(text, {0, {2}, 0})).network.topology.hosts(), 8U);
}

TEST(Plan, KeepsThePlaceOfWhatIsWrong) {
  EXPECT_THAT(planned(changed("buffer = \"1 MB\"", "bufer = \"1 MB\"")).scenario.errors,
              ElementsAre(HasSubstr("r.toml:37:1: switch.bufer")));
}

TEST(Plan, ReplacesWhatASweepSetsByAnotherAssumption) {
  const auto hosts_at = [](const std::string& alternative, std::size_t value) {
    const Row row = read(changed("alternative = { topology.link.delay = \"2 us\" }", "alternative = " + alternative));
    EXPECT_THAT(row.errors, IsEmpty());
    Diagnostics diagnostics("r.toml");
    const RowSetup other = with_assumption(row.full, *row.assumed[0].alternative, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    return only(plan_run(row, other, {0, {value}, 0}));
  };
  const Settings set = hosts_at("{ sweep.load.set = { topology.hosts = \"{10 * load}\" } }", 1);
  EXPECT_EQ(set.network.topology.hosts(), 5U);
  EXPECT_THAT(set.effective_configuration, HasSubstr("load = 0.5")) << "no longer by the sweep, but by the scenario";
  const std::string at =
      "{ sweep.load.at = { \"0.2\" = {}, \"0.5\" = { topology.hosts = 5 }, \"0.8\" = { topology.hosts = 8 } } }";
  EXPECT_EQ(hosts_at(at, 2).network.topology.hosts(), 8U);
  EXPECT_EQ(hosts_at(at, 1).network.topology.hosts(), 5U);
  EXPECT_EQ(hosts_at(at, 0).network.topology.hosts(), 3U);
}

TEST(Plan, RefusesAnAlternativeOfASweepThatDoesNotExist) {
  const auto errors = [](const std::string& alternative) {
    const Row row = read(changed("alternative = { topology.link.delay = \"2 us\" }", "alternative = " + alternative));
    Diagnostics diagnostics("r.toml");
    static_cast<void>(with_assumption(row.full, *row.assumed[0].alternative, diagnostics));
    return diagnostics.lines();
  };
  EXPECT_THAT(errors("{ sweep.lode.set = { topology.hosts = 5 } }"),
              ElementsAre(HasSubstr("sweep.lode: expected the name of one of the row's sweeps: load")));
  EXPECT_THAT(errors("{ sweep.load.values = [1] }"),
              ElementsAre(HasSubstr("expected either a table set or a table at")));
  EXPECT_THAT(errors("{ sweep.load = 3 }"), ElementsAre(HasSubstr("expected either a table set or a table at")));
  EXPECT_THAT(errors("{ sweep.load.at = { \"0.2\" = {}, \"0.50\" = {}, \"0.8\" = {} } }"),
              ElementsAre(HasSubstr("sweep.load.at: has no table for the value 0.5, expected one for each value")));
  EXPECT_THAT(errors("{ sweep = 3 }"), ElementsAre(HasSubstr("expected a table with the name of a sweep")));
}

TEST(Plan, LaysAnotherAssumptionOver) {
  const Row row = read(kRow);
  Diagnostics diagnostics("r.toml");
  const RowSetup other = with_assumption(row.full, *row.assumed[0].alternative, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_THAT(only(plan_run(row, other, {0, {0}, 0})).effective_configuration, HasSubstr("delay = \"2 us\""));
}

}  // namespace
}  // namespace weir::plan_test
