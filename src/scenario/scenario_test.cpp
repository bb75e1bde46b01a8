// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "scenario/scheme_slot.h"
#include "scenario/test_scenario.h"

namespace weir::scenario_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::kGood;
using testing_scenario::only;
using testing_scenario::read;

TEST(Scenario, BecomesSettings) {
  const ScenarioVariant variant = only(kGood);
  const Settings& settings = variant.settings;
  EXPECT_EQ(variant.name, "");
  EXPECT_EQ(settings.scenario, "Small");
  EXPECT_EQ(settings.network.topology.hosts(), 4U);
  EXPECT_EQ(settings.network.topology.switches(), 4U);
  EXPECT_EQ(settings.switches.buffer, 12_MB);
  EXPECT_EQ(settings.switches.lossless, (std::array<bool, 8>{false, false, false, true}));
  EXPECT_EQ(settings.switches.forwarding.scheme->name, "ecmp");
  EXPECT_EQ(settings.switches.buffer_policy.scheme->name, "dynamic_threshold");
  ASSERT_THAT(settings.switches.flow_control, SizeIs(1));
  EXPECT_EQ(settings.switches.flow_control[0].scheme->name, "pfc");
  EXPECT_EQ(settings.hosts.congestion_control.scheme->name, "line_rate");
  EXPECT_EQ(settings.hosts.loss_recovery.scheme->name, "go_back_n");
  EXPECT_EQ(settings.run.seed, 7U);
  EXPECT_EQ(settings.run.stop, Time() + 1_ms);
  EXPECT_THAT(settings.traffic(7), SizeIs(1));
}

TEST(Scenario, MakesTheSameTrafficForASeedAndOtherForAnother) {
  const ScenarioVariant variant = only(kGood);
  const auto starts = [&](std::uint64_t seed) {
    std::vector<std::int64_t> out;
    auto sources = variant.settings.traffic(seed);
    for (int i = 0; i < 10; ++i) out.push_back(sources[0]->take().start.picoseconds());
    return out;
  };
  EXPECT_EQ(starts(1), starts(1));
  EXPECT_NE(starts(1), starts(2));
}

TEST(Scenario, GivesSourcesThatAreAlikeDifferentDraws) {
  const std::string twice = kGood + "[[traffic]]\nname = \"again\"\nkind = \"poisson\"\nsize = \"64 KB\"\nload = 0.5\n";
  auto sources = only(twice).settings.traffic(1);
  ASSERT_THAT(sources, SizeIs(2));
  EXPECT_NE(sources[0]->take().start, sources[1]->take().start);
}

TEST(Scenario, ShowsAllErrorsAtOnceInTheOrderOfTheFile) {
  std::string text = changed("title = \"Small\"", "titel = \"Small\"");
  text = changed("buffer = \"12 MB\"", "bufer = \"12 MB\"", text);
  text = changed("flow_control = [\"pfc\"]", "flow_control = [\"pcf\"]", text);
  text = changed("payload = 1000", "payload = \"1000 B\"", text);
  text = changed("load = 0.5", "load = -0.5", text);
  text = changed("stop = \"1 ms\"", "stop = \"1 msec\"", text);
  EXPECT_THAT(errors(text),
              ElementsAre("s.toml:1:2: scenario.title: is missing, expected a string: title of the scenario",
                          "s.toml:2:1: scenario.titel: unknown key (did you mean \"title\"?)",
                          "s.toml:13:1: switch.bufer: unknown key (did you mean \"buffer\"?)",
                          "s.toml:14:17: switch.flow_control.0.scheme: unknown scheme \"pcf\", expected one of " +
                              schemes_in(scheme_role::kFlowControl) + " (did you mean \"pfc\"?)",
                          "s.toml:17:11: host.payload: is \"1000 B\", expected an integer",
                          "s.toml:23:8: traffic.background.load: is -0.5, expected above 0.0 and at most 1000.0",
                          "s.toml:27:8: run.stop: \"1 msec\" has an unknown unit \"msec\", expected one of ps, ns, us, "
                          "ms, s (did you mean \"1 ms\"?)"));
}

TEST(Scenario, RefusesUnknownTables) {
  EXPECT_THAT(errors(kGood + "[swich]\nx = 1\n"),
              ElementsAre("s.toml:28:2: swich: unknown key (did you mean \"switch\"?)"));
  EXPECT_THAT(errors("[varients.a]\n" + kGood), ElementsAre(HasSubstr("(did you mean \"variants\"?)")));
}

TEST(Scenario, AsksForWhatIsMissing) {
  EXPECT_THAT(errors("[scenario]\ntitle = \"x\"\n"),
              ElementsAre(HasSubstr("has no traffic, expected [[traffic]] tables"),
                          HasSubstr("topology.kind: is missing, expected one of \"single_switch\"")));
}

TEST(Scenario, RefusesARunThatNeverEnds) {
  EXPECT_THAT(
      errors(changed("stop = \"1 ms\"", "")),
      ElementsAre(HasSubstr("background never ends, expected run.stop, or a stop or limit of the traffic itself")));
  EXPECT_THAT(errors(changed("load = 0.5", "load = 0.5\nflow_limit = 10", changed("stop = \"1 ms\"", ""))), IsEmpty());
  EXPECT_THAT(errors(changed("load = 0.5", "load = 0.5\nstop = \"1 ms\"", changed("stop = \"1 ms\"", ""))), IsEmpty());
}

const std::string kVariants = kGood + R"(
[variants.small]
switch.buffer = "6 MB"

[variants.spray]
switch.forwarding = "spray"
traffic.background.load = 0.25

[variants.static]
switch.buffer_policy = { scheme = "static_threshold" }
switch.flow_control = []
switch.lossless = []
)";

TEST(Scenario, LaysVariantsOverTheBase) {
  const Scenario scenario = read(kVariants);
  ASSERT_THAT(scenario.errors, IsEmpty());
  ASSERT_THAT(scenario.variants, SizeIs(3));
  EXPECT_EQ(scenario.variants[0].name, "small");
  EXPECT_EQ(scenario.variants[0].settings.switches.buffer, 6_MB);
  EXPECT_EQ(scenario.variants[0].settings.switches.forwarding.scheme->name, "ecmp");
  EXPECT_EQ(scenario.variants[1].settings.switches.buffer, 12_MB);
  EXPECT_EQ(scenario.variants[1].settings.switches.forwarding.scheme->name, "spray");
  EXPECT_EQ(scenario.variants[2].settings.switches.buffer_policy.scheme->name, "static_threshold");
  EXPECT_THAT(scenario.variants[2].settings.switches.flow_control, IsEmpty());
  EXPECT_EQ(scenario.variants[2].settings.variant, "static");
  const auto offered = [&](std::size_t i) {
    double sum = 0;
    scenario.variants[i].settings.traffic(1)[0]->offered([&](HostId, HostId, double rate) { sum += rate; });
    return sum;
  };
  EXPECT_NEAR(offered(0), 200e9, 1);
  EXPECT_NEAR(offered(1), 100e9, 1);
}

TEST(Scenario, GivesTheVariantsAskedForInTheirOrder) {
  const Scenario scenario = read(kVariants, {.variants = {"static", "small", "static"}});
  ASSERT_THAT(scenario.variants, SizeIs(2));
  EXPECT_EQ(scenario.variants[0].name, "static");
  EXPECT_EQ(scenario.variants[1].name, "small");
  EXPECT_THAT(
      errors(kVariants, {.variants = {"smal"}}),
      ElementsAre("--variant smal: unknown variant, expected one of \"small\", \"spray\", \"static\" (did you mean "
                  "\"small\"?)"));
  EXPECT_THAT(errors(kVariants, {.variants = {"nosuch"}}),
              ElementsAre("--variant nosuch: unknown variant, expected one of \"small\", \"spray\", \"static\""));
  EXPECT_THAT(errors(kGood, {.variants = {"small"}}),
              ElementsAre("--variant small: unknown variant; the scenario has no variants"));
}

TEST(Scenario, NamesTheVariantsThatAnErrorIsOf) {
  // The base is invalid, but the third variant corrects it.
  const std::string text =
      changed("payload = 1000", "payload = 0") + "[variants.a]\n[variants.b]\nhost.payload = 500\n[variants.c]\n";
  EXPECT_THAT(errors(text), ElementsAre("s.toml:17:11: host.payload: is 0, expected at least 1 and at most 9000 "
                                        "[variant a, c]"));
  // The same error in all variants is reported once.
  EXPECT_THAT(errors(changed("payload = 1000", "payload = 0") + "[variants.a]\n[variants.b]\n"),
              ElementsAre("s.toml:17:11: host.payload: is 0, expected at least 1 and at most 9000"));
}

TEST(Scenario, RefusesVariantsThatAreNone) {
  EXPECT_THAT(errors("variants = 3\n" + kGood),
              ElementsAre("s.toml:1:1: variants: is 3, expected tables [variants.<name>]"));
  EXPECT_THAT(errors(kGood + "[variants]\na = 3\n"), ElementsAre("s.toml:29:1: variants.a: is 3, expected a table"));
  EXPECT_THAT(errors(kGood + "[variants]\n"),
              ElementsAre("s.toml:28:2: variants: is empty, expected tables [variants.<name>]"));
}

TEST(Scenario, SettingsOfOneVariantChangeThatOne) {
  const Scenario scenario =
      read(kVariants, {.set = {"variants.spray.switch.buffer=3 MB", "variants.static.run.seed=5",
                               "variants.small.run.seed=6", "run.seed=4", "variants.small.host.payload=500"}});
  ASSERT_THAT(scenario.errors, IsEmpty());
  ASSERT_THAT(scenario.variants, SizeIs(3));
  EXPECT_EQ(scenario.variants[0].settings.switches.buffer, 6_MB);
  EXPECT_EQ(scenario.variants[0].settings.hosts.payload, 500);
  EXPECT_EQ(scenario.variants[1].settings.switches.buffer, 3_MB);
  EXPECT_EQ(scenario.variants[2].settings.switches.buffer, 12_MB);
  // The last assignment on the command line takes precedence.
  for (const ScenarioVariant& variant : scenario.variants) EXPECT_EQ(variant.settings.run.seed, 4U);
  EXPECT_THAT(to_toml(scenario.variants[1].effective, Annotation::origins, "s.toml"),
              HasSubstr("# --set variants.spray.switch.buffer=3 MB\n"));
  EXPECT_EQ(read(kVariants, {.set = {"variants.spray.host.congestion_control.scheme=dctcp"}})
                .variants[1]
                .settings.hosts.congestion_control.scheme->name,
            "dctcp");
}

TEST(Scenario, SettingsOfAVariantThatIsNotThereAreRefused) {
  EXPECT_THAT(errors(kVariants, {.set = {"variants.smal.switch.buffer=3 MB", "variants=3", "variants.small=4",
                                         "variants.small.switch.bufer=5 MB"}}),
              UnorderedElementsAre(
                  "--set variants.smal.switch.buffer=3 MB: variants.smal: unknown variant, expected one of \"small\", "
                  "\"spray\", \"static\" (did you mean \"small\"?)",
                  "--set variants=3: variants: is 3, expected variants.<name>",
                  "--set variants.small=4: variants.small: is 4, expected a table",
                  "--set variants.small.switch.bufer=5 MB: switch.bufer: unknown key (did you mean \"buffer\"?)"));
  EXPECT_THAT(errors(kGood, {.set = {"variants.a.run.seed=3"}}),
              ElementsAre("--set variants.a.run.seed=3: variants.a: unknown variant; the scenario has no variants"));
}

TEST(Scenario, VariantsInVariantsAreRefused) {
  EXPECT_THAT(errors(kGood + "[variants.a]\nvariants.b.run.seed = 3\n"),
              ElementsAre("s.toml:29:1: variants: is inside a variant, expected variants only at the top level"));
}

TEST(Scenario, LaysTheCommandLineOverEverything) {
  const Scenario scenario =
      read(kVariants, {.variants = {"small"}, .set = {"switch.buffer=7 MB", "run.drain=false"}, .seed = 99});
  ASSERT_THAT(scenario.errors, IsEmpty());
  EXPECT_EQ(scenario.variants[0].settings.switches.buffer, 7_MB);
  EXPECT_FALSE(scenario.variants[0].settings.run.drain);
  EXPECT_EQ(scenario.variants[0].settings.run.seed, 99U);
  EXPECT_THAT(to_toml(scenario.variants[0].effective, Annotation::origins, "s.toml"),
              testing::AllOf(HasSubstr("# --set switch.buffer=7 MB\n"), HasSubstr("# --seed 99\n")));
  EXPECT_THAT(errors(kGood, {.set = {"switch.bufer=7 MB"}}),
              ElementsAre("--set switch.bufer=7 MB: switch.bufer: unknown key (did you mean \"buffer\"?)"));
}

TEST(Scenario, ShowsTheEffectiveConfiguration) {
  EXPECT_EQ(only(kGood).settings.effective_configuration,
            R"(failure = []
weight = []

[scenario]
title = "Small"
question = ""
assumed = []

[topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 2
spines = 2
parallel_links = 1

[topology.host_link]
rate = "100 Gbit/s"
delay = "1 us"
error_rate = 0.0

[topology.fabric_link]
rate = "100 Gbit/s"
delay = "1 us"
error_rate = 0.0

[routing]
failure_detection = "1 ms"

[switch]
buffer = "12 MB"
reserve = "0 B"
control_reserve = "20 KB"
headroom = "computed"
pause_response = "0 ps"
lossless = [3]
levels = [[7], [6], [5], [4], [3], [2], [1], [0]]
discipline = "deficit_round_robin"
pool = []
congestion_point = []

[switch.forwarding]
scheme = "ecmp"
hash = "mix"
seed_per_switch = true
seed = 1

[switch.buffer_policy]
scheme = "dynamic_threshold"
alpha = 0.125
resume_offset = "3 KiB"
scale_alpha_with_rate = true
reference_rate = "100 Gbit/s"
egress_alpha = 1.0

[[switch.flow_control]]
scheme = "pfc"
quanta = 65535
binary = false
response = "0 ps"

[host]
payload = 1000
framing = "rocev2"
acknowledge_every = 1
acknowledgements_ignore_pause = false
notification_priority = 6
shortest_remaining_first = false

[host.window]
kind = "none"
global_round_trip = false

[host.congestion_control]
scheme = "line_rate"

[host.loss_recovery]
scheme = "go_back_n"
nack_interval = "500 us"
timeout = "67108.864 us"
timeout_doublings = 3

[measure]
occupancy = true
sample_interval = "10 us"
throughput = false
queueing = false
innocent_pause = false
active = false
sender_rates = false
egress_kinds = false
hops = false
policies = false
congestion_trees = false
held_links = false
slowdown_split = true
timeline = true

[capture]
links = []
snap_length = "0 B"
frame_limit = 1000000

[run]
seed = 7
stop = "1 ms"
drain = true
drain_limit = "1 s"
frame_capacity = 16777216

[[traffic]]
kind = "poisson"
name = "background"
enabled = true
label = "plain"
priority = 3
rate_limit = "0 bit/s"
start = "0 ps"
overload = "refused"
sources = "all"
destinations = "all"
exclude = []
scope = "any"
block = []
size = "64 KB"
persistent_queue_pairs = false
load = 0.5
load_of = "source_links"
core_share = 1.0
)");
}

TEST(Scenario, ReadsBackItsEffectiveConfiguration) {
  for (const ScenarioVariant& variant : read(kVariants).variants) {
    const std::string& text = variant.settings.effective_configuration;
    EXPECT_EQ(only(text).settings.effective_configuration, text) << variant.name;
  }
}

TEST(Scenario, TellsWhereVariantsChangeWhat) {
  const Scenario scenario = read(kVariants);
  EXPECT_THAT(to_toml(scenario.variants[0].effective, Annotation::origins, "s.toml"),
              HasSubstr("buffer = \"6 MB\"                               # s.toml:30 (variant small)\n"));
}

TEST(Scenario, ReadsOnlyTheVariantsThatAreAskedFor) {
  const std::string text = kGood + "[variants.good]\nswitch.buffer = \"6 MB\"\n[variants.bad]\nswitch.buffer = 6\n";
  EXPECT_THAT(errors(text), SizeIs(1));
  EXPECT_THAT(errors(text, {.variants = {"bad"}}), SizeIs(1));
  const Scenario scenario = read(text, {.variants = {"good"}});
  EXPECT_THAT(scenario.errors, IsEmpty());
  ASSERT_THAT(scenario.variants, SizeIs(1));
  EXPECT_EQ(scenario.variants[0].name, "good");
}

TEST(Scenario, OfManyVariantsIsReadForOneOfThemAtOnce) {
  std::string text = kGood;
  for (int i = 0; i < 20'000; ++i) text += "[variants.v" + std::to_string(i) + "]\nswitch.buffer = 6\n";
  const std::vector<std::string> one = errors(text, {.variants = {"v7"}});
  EXPECT_THAT(one, ElementsAre(HasSubstr("switch.buffer: is 6, expected a size")));
}

}  // namespace
}  // namespace weir::scenario_test
