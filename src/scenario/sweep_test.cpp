// SPDX-License-Identifier: Apache-2.0
#include "scenario/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace weir::sweep_test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kBase = R"([scenario]
title = "Sweeps"
[topology]
kind = "single-switch"
hosts = 4
link = { rate = "100 Gbit/s", delay = "1 us" }
[[traffic]]
name = "background"
kind = "poisson"
sources = "all"
destinations = "all"
size = "websearch"
load = 0.5
)";

Scenario read(const std::string& more, const ScenarioOptions& options = {}) {
  return read_scenario(std::string(kBase) + more, "s.toml", ".", options);
}

std::vector<std::string> labels_of(const Scenario& scenario) {
  std::vector<std::string> out;
  for (const ScenarioVariant& variant : scenario.variants) out.push_back(variant.label());
  return out;
}

constexpr const char* kRun = "[run]\nstop = \"1 ms\"\n";

TEST(Sweep, GivesAConfigurationPerVariantAndPoint) {
  const Scenario scenario = read(std::string(kRun) + R"(
[[sweep]]
key = "traffic.background.load"
values = [0.2, 0.4]
[[sweep]]
name = "memory"
key = "switch.buffer"
values = ["6 MB", "12 MB"]
[variants.a]
[variants.b]
switch.flow_control = "pfc"
)");
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_THAT(labels_of(scenario),
              ElementsAre("a, load 0.2, memory 6 MB", "a, load 0.2, memory 12 MB", "a, load 0.4, memory 6 MB",
                          "a, load 0.4, memory 12 MB", "b, load 0.2, memory 6 MB", "b, load 0.2, memory 12 MB",
                          "b, load 0.4, memory 6 MB", "b, load 0.4, memory 12 MB"));
  const ScenarioVariant& last = scenario.variants.back();
  EXPECT_EQ(last.name, "b");
  EXPECT_EQ(last.settings.variant, "b");
  EXPECT_EQ(last.settings.switches.buffer, Bytes(12'000'000));
  EXPECT_THAT(last.settings.effective_configuration, HasSubstr("load = 0.4"));
  EXPECT_THAT(last.parameters, ElementsAre(RunParameter{"load", "0.4", 0.4}, RunParameter{"memory", "12 MB", 12e6}));
}

TEST(Sweep, HasTheConfigurationThatTheKeyByHandHas) {
  const Scenario swept =
      read(std::string(kRun) + "[[sweep]]\nkey = \"traffic.background.load\"\nvalues = [0.2, 0.7]\n");
  const Scenario set = read(kRun, {.set = {"traffic.background.load=0.7"}});
  ASSERT_THAT(swept.variants, SizeIs(2));
  EXPECT_EQ(swept.variants[1].settings.effective_configuration, set.variants[0].settings.effective_configuration);
}

TEST(Sweep, OverARangeIsEvenlySpaced) {
  const auto values = [](const std::string& range) {
    const Scenario scenario =
        read(std::string(kRun) + "[[sweep]]\nkey = \"traffic.background.load\"\nrange = " + range);
    EXPECT_THAT(scenario.errors, IsEmpty());
    return labels_of(scenario);
  };
  EXPECT_THAT(values("{ from = 0.2, to = 0.8, step = 0.2 }"),
              ElementsAre("load 0.2", "load 0.4", "load 0.6", "load 0.8"));
  EXPECT_THAT(values("{ from = 0.1, to = 0.3, count = 3 }"), ElementsAre("load 0.1", "load 0.2", "load 0.3"));
  EXPECT_THAT(values("{ from = 0.01, to = 1, count = 3, scale = \"logarithmic\" }"),
              ElementsAre("load 0.01", "load 0.1", "load 1"));
  const Scenario buffers =
      read(std::string(kRun) +
           "[[sweep]]\nkey = \"switch.buffer\"\nrange = { from = \"6 MB\", to = \"12 MB\", step = \"3 MB\" }\n");
  ASSERT_THAT(buffers.variants, SizeIs(3));
  EXPECT_EQ(buffers.variants[1].settings.switches.buffer, Bytes(9'000'000));
}

TEST(Sweep, SetsSeveralKeysByExpressions) {
  const Scenario scenario = read(std::string(kRun) + R"([[sweep]]
name = "n"
values = [2, 3]
set = { topology = { hosts = "{2 * n}" }, switch = { buffer = "{n * 2 MB}" } }
)");
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.variants[1].settings.network.topology.hosts(), 6U);
  EXPECT_EQ(scenario.variants[1].settings.switches.buffer, Bytes(6'000'000));
}

TEST(Sweep, CanBeChangedByTheCommandLine) {
  const Scenario scenario =
      read(std::string(kRun) + "[[sweep]]\nkey = \"traffic.background.load\"\nvalues = [0.2, 0.7]\n",
           {.set = {"sweep.load.values=[0.3]"}});
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_THAT(labels_of(scenario), ElementsAre("load 0.3"));
}

/// The only error.
std::string error_of(const std::string& more, const ScenarioOptions& options = {}) {
  const Scenario scenario = read(more, options);
  EXPECT_THAT(scenario.errors, SizeIs(1));
  return scenario.errors.empty() ? "" : scenario.errors.front();
}

TEST(Sweep, RefusesWhatMakesNoRuns) {
  const std::string run = kRun;
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"traffic.background.lod\"\nvalues = [0.2]\n"),
              AllOf(HasSubstr("s.toml:17:"), HasSubstr("traffic.background.lod"), HasSubstr("did you mean \"load\"")));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"traffic.background.load\"\nvalues = []\n"),
              AllOf(HasSubstr("s.toml:18:"), HasSubstr("values: is empty, expected a list of numbers or strings")));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"traffic.background.load\"\n"), HasSubstr("has no values"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"traffic.background.load\"\nvalues = [0.2, 0.2]\n"),
              HasSubstr("twice"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nname = \"x\"\nvalues = [1, 2]\n"), HasSubstr("changes nothing"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"run.seed\"\nvalues = [1, 2]\n"), HasSubstr("expected run.seeds"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"variants.a.x\"\nvalues = [1, 2]\n"), HasSubstr("not part of a run"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"switch.buffer\"\nname = \"seed\"\nvalues = [\"6 MB\"]\n"),
              HasSubstr("cannot be named \"seed\""));
  EXPECT_THAT(
      error_of(run + "[[sweep]]\nkey = \"traffic.background.load\"\nrange = { from = 0.8, to = 0.2, step = 0.1 }\n"),
      HasSubstr("expected from below to"));
  EXPECT_THAT(error_of(run + "[[sweep]]\nkey = \"traffic.background.load\"\nrange = { from = 0.2, to = 0.8 }\n"),
              HasSubstr("expected exactly one of step and count"));
}

TEST(Sweep, RefusesWhatUndoesAnother) {
  const std::string run = kRun;
  const std::string load = "[[sweep]]\nkey = \"traffic.background.load\"\nvalues = [0.2, 0.4]\n";
  EXPECT_THAT(error_of(run + load + "[[sweep]]\nname = \"other\"\nkey = \"traffic.background.load\"\nvalues = [0.6]\n"),
              AllOf(HasSubstr("sweep.other"), HasSubstr("which sweep load also sets")));
  EXPECT_THAT(error_of(run + load + "[variants.a]\ntraffic.background.load = 0.3\n[variants.b]\n"),
              HasSubstr("which variant a also sets"));
  EXPECT_THAT(error_of(run + load, {.set = {"traffic.background.load=0.5"}}),
              HasSubstr("\"load 0.2\" and \"load 0.4\" are the same configuration"));
}

TEST(Sweep, RefusesMoreRunsThanAnyoneWaitsFor) {
  const std::string many = R"([run]
stop = "1 ms"
seeds = 100
[[sweep]]
key = "switch.buffer"
range = { from = "6 MB", to = "12 MB", count = 101 }
)";
  EXPECT_THAT(error_of(many), AllOf(HasSubstr("s.toml:"), HasSubstr("results in more than 10000 runs"),
                                    HasSubstr("101 values of buffer x 100 seeds")));
}

TEST(Seeds, AreRunsOfOneConfiguration) {
  const Scenario scenario =
      read("[run]\nstop = \"1 ms\"\nseeds = 3\n[variants.a]\n[variants.b]\nswitch.buffer = \"6 MB\"\n");
  ASSERT_THAT(scenario.errors, IsEmpty());
  ASSERT_THAT(scenario.variants, SizeIs(2));
  const std::vector<ScenarioRun> runs = runs_of(scenario);
  ASSERT_THAT(runs, SizeIs(6));
  EXPECT_EQ(runs[5].variant, 1U);
  EXPECT_EQ(runs[5].seed, 3U);
  EXPECT_EQ(run_name(scenario.variants[1], 3), "b, seed 3");
  EXPECT_TRUE(scenario.has_replicates());
}

TEST(Seeds, HaveTheConfigurationThatTheSeedByHandHas) {
  const Scenario seeds = read("[run]\nstop = \"1 ms\"\nseeds = [4, 9]\n");
  const Scenario seed = read("[run]\nstop = \"1 ms\"\nseed = 9\n");
  const Settings settings = settings_of(seeds.variants[0], 9);
  EXPECT_EQ(settings.run.seed, 9U);
  EXPECT_EQ(settings.effective_configuration, seed.variants[0].settings.effective_configuration);
  EXPECT_EQ(seeds.variants[0].settings.run.seed, 4U);
}

TEST(Seeds, OfTheCommandLineTakeThePlaceOfTheFiles) {
  EXPECT_THAT(read("[run]\nstop = \"1 ms\"\nseed = 7\n", {.seeds = {1, 2}}).variants[0].seeds, ElementsAre(1, 2));
  EXPECT_THAT(read("[run]\nstop = \"1 ms\"\nseeds = 5\n", {.seed = 7}).variants[0].seeds, ElementsAre(7));
  // As before replicates existed: one run per variant.
  EXPECT_THAT(
      read("[run]\nstop = \"1 ms\"\n[variants.s1]\nrun.seed = 1\n[variants.s2]\nrun.seed = 2\n").variants[1].seeds,
      ElementsAre(2));
}

TEST(Seeds, AreRefusedWhereTheySayNothing) {
  EXPECT_THAT(error_of("[run]\nstop = \"1 ms\"\nseeds = 0\n"),
              AllOf(HasSubstr("s.toml:16:"), HasSubstr("run.seeds: is 0, expected a list of different integers")));
  EXPECT_THAT(error_of("[run]\nstop = \"1 ms\"\nseeds = [1, 1]\n"), HasSubstr("run.seeds: is a list"));
  EXPECT_THAT(error_of("[run]\nstop = \"1 ms\"\nseeds = 3\nseed = 1\n"), HasSubstr("is given together with run.seed"));
}

}  // namespace
}  // namespace weir::sweep_test
