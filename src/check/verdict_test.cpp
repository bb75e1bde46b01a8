// SPDX-License-Identifier: Apache-2.0
#include "check/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "check/recommendation.h"
#include "scenario/test_scenario.h"

namespace weir::verdict_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing_scenario::changed;
using testing_scenario::kGood;

struct Checked {
  Scenario scenario;
  std::vector<CheckedVariant> variants;
};

Checked checked(const std::string& text) {
  Checked out = {testing_scenario::read(text), {}};
  EXPECT_THAT(out.scenario.errors, IsEmpty());
  for (const ScenarioVariant& variant : out.scenario.variants)
    out.variants.push_back(check_variant(variant.settings, variant.traffic));
  return out;
}

std::string verdict(const std::string& text) {
  const Checked of = checked(text);
  return verdict_text(of.scenario,
                      verdict_of(of.scenario, of.variants, check_failures(of.scenario.variants, of.variants)));
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t out = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++out;
  return out;
}

TEST(Verdict, IsGoodWhereNothingIsWrong) {
  EXPECT_THAT(verdict(kGood),
              AllOf(StartsWith("VERDICT: no problems found\n"),
                    HasSubstr("deadlock: free of cyclic buffer dependencies with all links up, and with any one of 8 "
                              "links or 4 switches down\n")));
}

TEST(Verdict, SaysEachThingOnceWithTheVariantsThatHaveIt) {
  const std::string three = kGood + "[variants.a]\n[variants.b]\nswitch.flow_control = []\n[variants.c]\n";
  const std::string text = verdict(three);
  EXPECT_THAT(text, StartsWith("VERDICT: 1 warning\n"));
  EXPECT_THAT(text, HasSubstr("warning (b): priority 3 is lossless, but switches have no flow control"));
  EXPECT_EQ(count(text, "priority 3 is lossless"), 1U);
  EXPECT_THAT(text, HasSubstr("deadlock (a and c): free of cyclic"));
  EXPECT_THAT(text, HasSubstr("deadlock (b): no switch pauses another"));
  const std::string all =
      verdict(kGood + "[variants.a]\nswitch.headroom = \"1 KB\"\n[variants.b]\nswitch.headroom = \"1 KB\"\n");
  EXPECT_EQ(count(all, "headroom of a port"), 1U);
  EXPECT_THAT(all, HasSubstr("  warning: headroom of a port"));
}

TEST(Verdict, NamesAVariantOnceForAllPointsOfASweep) {
  const std::string text = verdict(kGood +
                                   "[[sweep]]\nname = \"memory\"\nkey = \"switch.buffer\"\n"
                                   "values = [\"10 MB\", \"12 MB\"]\n"
                                   "[variants.a]\n[variants.b]\nswitch.flow_control = []\n");
  EXPECT_THAT(text, HasSubstr("deadlock (a): free of cyclic"));
  EXPECT_THAT(text, HasSubstr("deadlock (b): no switch pauses another"));
  const std::string one_point = verdict(kGood +
                                        "[[sweep]]\nname = \"memory\"\nkey = \"switch.headroom\"\n"
                                        "values = [\"1 KB\", \"100 KB\"]\n[variants.a]\n[variants.b]\n");
  EXPECT_THAT(one_point, HasSubstr("warning (a, memory 1 KB and b, memory 1 KB): headroom of a port"));
}

TEST(Verdict, WarnsOfAMissingFlowControlWhereDataIsLossless) {
  EXPECT_THAT(verdict(changed("flow_control = [\"pfc\"]", "flow_control = []")),
              HasSubstr("expected a flow control, such as switch.flow_control = [\"pfc\"], or switch.lossless = []"));
  EXPECT_THAT(verdict(changed("flow_control = [\"pfc\"]", "lossless = []")), Not(HasSubstr("warning")));
  EXPECT_THAT(verdict(changed("flow_control = [\"pfc\"]", "lossless = [4]")), Not(HasSubstr("warning")));
}

TEST(Verdict, WarnsOfControlWithoutFeedback) {
  EXPECT_THAT(verdict(changed("payload = 1000", "congestion_control = \"dcqcn\"")),
              HasSubstr("warning: dcqcn: nothing reduces its rate"));
}

TEST(Verdict, TellsOfLoadBeyondCapacity) {
  EXPECT_THAT(verdict(changed("load = 0.5", "load = 1.5")),
              AllOf(HasSubstr("VERDICT: "), HasSubstr("  error: traffic.background: link")));
  EXPECT_THAT(verdict(changed("load = 0.5", "load = 1.5\noverload = \"intended\"")),
              HasSubstr("warning: load beyond capacity, as intended: link"));
}

/// tor0 has no link to spine1.
const std::string kLacking = R"([scenario]
title = "Lacking"
[topology]
kind = "explicit"
hosts = ["h0", "h1", "h2", "h3"]
switches = ["T0", "T1", "T2", "T3", "L0", "L1"]
link = [
  { between = ["h0", "T0"], rate = "1 Gbit/s", length = "3 m" }, { between = ["h1", "T1"], rate = "1 Gbit/s", length = "3 m" },
  { between = ["h2", "T2"], rate = "1 Gbit/s", length = "3 m" }, { between = ["h3", "T3"], rate = "1 Gbit/s", length = "3 m" },
  { between = ["T0", "L0"], rate = "1 Gbit/s", length = "3 m" }, { between = ["T1", "L0"], rate = "1 Gbit/s", length = "3 m" },
  { between = ["T2", "L0"], rate = "1 Gbit/s", length = "3 m" }, { between = ["T3", "L0"], rate = "1 Gbit/s", length = "3 m" },
  { between = ["T1", "L1"], rate = "1 Gbit/s", length = "3 m" }, { between = ["T2", "L1"], rate = "1 Gbit/s", length = "3 m" },
  { between = ["T3", "L1"], rate = "1 Gbit/s", length = "3 m" },
]
[switch]
flow_control = ["pfc"]
[[traffic]]
name = "f"
kind = "flows"
flow = [{ source = "h0", destination = "h1", size = "1 KB" }]
[run]
stop = "1 ms"
)";

TEST(Verdict, NamesTheCycleOfOneFailure) {
  EXPECT_THAT(
      verdict(kLacking),
      AllOf(HasSubstr("free of cyclic buffer dependencies with all links up, but not with one link or switch down: "
                      "cyclic buffer dependency without the link T"),
            HasSubstr(" waits for ")));
}

TEST(Verdict, NamesTheCyclesOfTheFailuresOfTheScenario) {
  std::string text = changed("tors = 2", "tors = 4");
  text = changed("load = 0.5", "load = 0.2", text);
  const std::string failures = R"(
[[failure]]
between = ["tor3", "spine0"]
down = "0 s"
[[failure]]
between = ["tor0", "spine1"]
down = "100 us"
[routing]
failure_detection = "0 s"
)";
  EXPECT_THAT(
      verdict(text + failures),
      AllOf(StartsWith("VERDICT: 1 warning\n"),
            HasSubstr("warning: cyclic buffer dependency without tor0 - spine1 and tor3 - spine0: tor1 -> spine0 "),
            HasSubstr("deadlock: free of cyclic buffer dependencies with all links up, and with any one of 16 ")));
}

/// The recommendation can be appended: the resulting scenario is valid, and its check reports no warning about the
/// recommended values.
void expect_pasteable(const std::string& text) {
  const Checked before = checked(text);
  const std::string fragment = recommendation(before.scenario.variants, before.variants);
  const Checked after = checked(text + "\n" + fragment);
  ASSERT_FALSE(after.variants.empty()) << fragment;
  EXPECT_THAT(after.scenario.variants.back().name, StartsWith("recommended"));
  EXPECT_THAT(after.variants.back().errors, IsEmpty()) << fragment;
  EXPECT_THAT(after.variants.back().warnings, IsEmpty()) << fragment;
}

TEST(Recommendation, CanBePasted) {
  expect_pasteable(kGood);
  expect_pasteable(changed("flow_control = [\"pfc\"]", "flow_control = []\nheadroom = \"1 KB\""));
  expect_pasteable(changed("payload = 1000", "congestion_control = \"dcqcn\""));
  expect_pasteable(kGood +
                   "[variants.a]\nswitch.lossless = []\n[variants.b]\nhost.congestion_control = "
                   "\"hpcc\"\nswitch.congestion_point = [\"hpcc\"]\n[variants.recommended]\n");
  expect_pasteable(changed("flow_control = [\"pfc\"]",
                           "flow_control = [{ scheme = \"pfc\", quanta = 1000 }]\n"
                           "buffer_policy = { scheme = \"static_threshold\" }"));
}

TEST(Recommendation, HasFormulasFiguresAndSources) {
  const Checked of = checked(changed("payload = 1000", "congestion_control = \"dcqcn\""));
  const std::string text = recommendation(of.scenario.variants, of.variants);
  EXPECT_THAT(text, AllOf(HasSubstr("[variants.recommended]\n"), HasSubstr("switch.headroom = \"computed\"\n"),
                          HasSubstr("100 Gbit/s, 1 us: 1066 + 1086 + 84 + 25000 + 0 + 1066 = 28302 B"),
                          HasSubstr("alpha = 1.0"), HasSubstr("source: Choudhury and Hahne 1998"),
                          HasSubstr("switch.congestion_point = [{ scheme = \"red\", kmin = ")));
}

TEST(Recommendation, KeepsWhatAFlowControlWasGiven) {
  const Checked of = checked(changed("[\"pfc\"]", "[{ scheme = \"pfc\", quanta = 1000 }]"));
  EXPECT_THAT(recommendation(of.scenario.variants, of.variants),
              HasSubstr("switch.flow_control = [{ scheme = \"pfc\", quanta = 1000 }]"));
}

TEST(Recommendation, LeavesOutWhatHasNoEffectOrFollowsFromTheNetwork) {
  const auto flow_control = [](const std::string& parameters) {
    const Checked of = checked(changed("[\"pfc\"]", "[{ scheme = \"floodgate\"" + parameters + " }, \"pfc\"]"));
    const std::string text = recommendation(of.scenario.variants, of.variants);
    const std::size_t at = text.find("switch.flow_control = ");
    return text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(flow_control(""), "switch.flow_control = [{ scheme = \"floodgate\" }, { scheme = \"pfc\" }]");
  EXPECT_EQ(flow_control(", credit_threshold = \"9 KB\""),
            "switch.flow_control = [{ scheme = \"floodgate\", credit_threshold = \"9 KB\" }, { scheme = \"pfc\" }]");
  EXPECT_EQ(flow_control(", variant = \"ideal\", credit_threshold = \"9 KB\""),
            "switch.flow_control = [{ scheme = \"floodgate\", variant = \"ideal\" }, { scheme = \"pfc\" }]");
}

TEST(Recommendation, IsNoneWithoutALosslessPriorityOrRoom) {
  Checked of = checked(changed("flow_control = [\"pfc\"]", "lossless = []"));
  EXPECT_EQ(recommendation(of.scenario.variants, of.variants), "# No recommendation: no priority is lossless.\n");
  of = checked(changed("buffer = \"12 MB\"", "buffer = \"100 KB\""));
  EXPECT_THAT(recommendation(of.scenario.variants, of.variants), HasSubstr("headroom takes the whole buffer"));
}

// Warnings tell users of such a transport to have no lossless priority.
TEST(Recommendation, HasNoLosslessPrioritiesForATransport) {
  const std::string homa = changed("payload = 1000", "transport = { scheme = \"homa\", scheduled_priorities = 7 }");
  const Checked of = checked(homa);
  EXPECT_THAT(of.variants.front().warnings,
              testing::Contains(AllOf(StartsWith("homa: priority 3 is lossless"), HasSubstr("switch.lossless = []"))));
  const Checked without = checked(changed("flow_control = [\"pfc\"]", "flow_control = []", homa));
  EXPECT_THAT(without.variants.front().warnings,
              testing::Contains("priority 3 is lossless, but switches have no flow control, so its frames are dropped "
                                "when buffer and headroom are full; expected switch.lossless = []"));
  EXPECT_EQ(recommendation(of.scenario.variants, of.variants),
            "# No recommendation: homa has its own loss recovery, and needs no lossless priorities: switch.lossless = "
            "[].\n");
  const std::string beside = kGood + "[variants.a]\nhost.transport = \"homa\"\n[variants.b]\n";
  const Checked both = checked(beside);
  EXPECT_THAT(recommendation(both.scenario.variants, both.variants),
              AllOf(HasSubstr("# Computed for the variant b.\n"), HasSubstr("switch.lossless = [")));
}

}  // namespace
}  // namespace weir::verdict_test
