// SPDX-License-Identifier: Apache-2.0
// Checks of switches with their own schemes and buffers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/check.h"
#include "check/check_errors.h"
#include "check/check_text.h"
#include "fabric/fabric.h"
#include "scenario/test_scenario.h"

namespace weir::switch_groups_test {
namespace {

using namespace weir::literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing_scenario::changed;
using testing_scenario::only;
using testing_scenario::read;
using testing_scenario::with_groups;

TEST(SwitchGroups, DivideTheirBuffersAsTheirOwn) {
  const ScenarioVariant variant =
      only(with_groups("[[switch.group]]\nswitches = \"tor1\"\nbuffer = \"24 MB\"\nheadroom = \"50 KB\"\n"));
  const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
  ASSERT_THAT(checked.switches, SizeIs(3));  // tor0, tor1, two spines
  EXPECT_EQ(plan_buffer(variant.settings, SwitchId(1)).headroom, 4 * 50'000);
  EXPECT_EQ(plan_buffer(variant.settings, SwitchId(1)).shared, 24'000'000 - 4 * 50'000);
  const std::string text = check_report(checked, variant.settings, false);
  EXPECT_THAT(text, HasSubstr("headroom of a port of 100 Gbit/s and 1 us of tor1: 50 KB per lossless priority\n"));
  EXPECT_THAT(text, HasSubstr("headroom of a port of 100 Gbit/s and 1 us of 3 switches like tor0: "));
  EXPECT_THAT(check_report(check_variant(only(testing_scenario::kGood).settings, {}),
                           only(testing_scenario::kGood).settings, false),
              Not(HasSubstr("like tor0:")))
      << "of all switches where all are alike";
}

TEST(SwitchGroups, TellWhichBufferIsTooSmall) {
  const Scenario scenario =
      read(with_groups("[[switch.group]]\nname = \"new\"\nswitches = \"tor1\"\nbuffer = \"100 KB\"\n"));
  ASSERT_TRUE(scenario.ok());
  const CheckedVariant checked = check_variant(scenario.variants[0].settings, scenario.variants[0].traffic);
  EXPECT_THAT(check_errors(scenario, {checked}), ElementsAre(HasSubstr("s.toml:19:10: switch.group.new.buffer: tor1: "
                                                                       "headroom (")));
}

/// Identified by the parameter, at any position in the list and the group.
TEST(SwitchGroups, TellWhichParameterCannotBeRunThere) {
  const auto refused = [](const std::string& text) {
    const Scenario scenario = read(text);
    EXPECT_THAT(scenario.errors, IsEmpty());
    if (!scenario.ok()) return scenario.errors;
    const CheckedVariant checked = check_variant(scenario.variants.at(0).settings, scenario.variants.at(0).traffic);
    return check_errors(scenario, {checked});
  };
  const std::string bfc = "flow_control = [{ scheme = \"bfc\", refresh = \"1 ns\" }]\n";
  EXPECT_THAT(refused(with_groups("[[switch.group]]\nname = \"new\"\nswitches = \"tor1\"\n" + bfc)),
              ElementsAre(HasSubstr("s.toml:19:45: switch.group.new.flow_control.0.refresh: bfc: refresh is 1 ns, ")));
  EXPECT_THAT(
      refused(with_groups("[[switch.group]]\nname = \"new\"\nswitches = \"tor1\"\n"
                          "buffer_policy = { scheme = \"spfc\", always_victim = 99 }\n")),
      ElementsAre(HasSubstr("s.toml:19:52: switch.group.new.buffer_policy.always_victim: spfc: always_victim ")));
}

TEST(SwitchGroups, WarnOfWhatSomeSwitchRuns) {
  const auto warnings = [] {
    const ScenarioVariant variant = only(with_groups(
        "[[switch.group]]\nswitches = \"tor1\"\nbuffer_policy = { scheme = \"spfc\", interval = \"33 us\" }\n"
        "[[switch.group]]\nswitches = [\"tor0\", \"spine*\"]\n"));
    return check_variant(variant.settings, variant.traffic).warnings;
  };
  EXPECT_THAT(warnings(), ElementsAre(HasSubstr("spfc: interval is less than 4 base round")));
  const ScenarioVariant all =
      only(changed("buffer = \"12 MB\"", "buffer_policy = { scheme = \"spfc\", interval = \"33 us\" }",
                   with_groups("[[switch.group]]\nswitches = \"all\"\n"
                               "buffer_policy = \"dynamic_threshold\"\n")));
  EXPECT_THAT(check_variant(all.settings, all.traffic).warnings, IsEmpty()) << "no switch runs what [switch] says";
}

TEST(SwitchGroups, WarnOfWhatTheirHostsDoNotRun) {
  const auto warnings = [](const std::string& switches) {
    ScenarioVariant variant =
        only(with_groups("[[switch.group]]\nswitches = " + switches +
                         "\nflow_control = [{ scheme = \"bfc\", order = \"shortest_remaining\" }, \"pfc\"]\n"));
    variant.settings.hosts.shortest_remaining_first = true;
    return check_variant(variant.settings, variant.traffic).warnings;
  };
  EXPECT_THAT(warnings("[\"tor0\", \"spine*\"]"), ElementsAre(HasSubstr("do not write the remaining size")));
  EXPECT_THAT(warnings("\"tor*\""), IsEmpty()) << "spines have no hosts";
}

}  // namespace
}  // namespace weir::switch_groups_test
