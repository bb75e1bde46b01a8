// SPDX-License-Identifier: Apache-2.0
// Parameters of schemes with several roles, and parameters without effect.
#include "scenario/scheme_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenario/network_defaults.h"
#include "scenario/test_scenario.h"

namespace weir::scheme_slot_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_scenario::changed;
using testing_scenario::errors;
using testing_scenario::only;

/// The valid scenario with these keys in [switch] and [host].
std::string with(const std::string& of_switch, const std::string& of_host) {
  return changed("payload = 1000", "payload = 1000\n" + of_host,
                 changed("flow_control = [\"pfc\"]", "flow_control = [\"pfc\"]\n" + of_switch));
}

TEST(SchemeSlot, RefusesParametersOfAnotherRole) {
  const std::string point = "congestion_point = [{ scheme = \"hpcc\", telemetry_units = 4 }]";
  const std::string control = "congestion_control = { scheme = \"hpcc\", eta = 0.9 }";
  EXPECT_THAT(errors(with(point, control)), IsEmpty());
  EXPECT_THAT(errors(with("congestion_point = [{ scheme = \"hpcc\", eta = 0.9 }]", control)),
              ElementsAre("s.toml:15:46: switch.congestion_point.0.eta: has no effect on the congestion point of "
                          "\"hpcc\", expected in host.congestion_control"));
  EXPECT_THAT(errors(with(point, "congestion_control = { scheme = \"hpcc\", telemetry_units = 4 }")),
              ElementsAre(HasSubstr("host.congestion_control.telemetry_units: has no effect on the congestion control "
                                    "of \"hpcc\", expected in switch.congestion_point")));
  EXPECT_THAT(errors(with(point, "congestion_control = { scheme = \"hpcc\", telemetry_unit = 4 }")),
              ElementsAre(HasSubstr("unknown key")))
      << "a mistyped parameter of another role is unknown here";
}

TEST(SchemeSlot, TakesAParameterOfSeveralRolesInEachOfThem) {
  EXPECT_THAT(errors(with("congestion_point = [{ scheme = \"rocc\", rate_step = \"1 Mbit/s\" }]",
                          "congestion_control = { scheme = \"rocc\", rate_step = \"1 Mbit/s\" }")),
              IsEmpty());
}

TEST(SchemeSlot, ShowsParametersOfItsRoleOnly) {
  const ScenarioVariant variant = only(with("forwarding = \"ndp\"", "transport = \"ndp\"\nacknowledge_priority = 7"));
  const std::string& text = variant.settings.effective_configuration;
  const std::string of_switch = text.substr(0, text.find("[host]"));
  EXPECT_THAT(of_switch, Not(HasSubstr("initial_window")));
  EXPECT_THAT(of_switch, Not(HasSubstr("header_queue")));
  const std::string of_hosts = text.substr(text.find("[host.transport]"));
  EXPECT_THAT(of_hosts, HasSubstr("initial_window"));
  EXPECT_THAT(of_hosts, Not(HasSubstr("header_queue")));
  EXPECT_THAT(network_default_lines(variant.effective), ElementsAre(HasSubstr("host.transport.initial_window = ")));
  EXPECT_TRUE(variant.settings.switches.forwarding.parameters.of_network().empty());
  EXPECT_EQ(only(text).settings.effective_configuration, text) << "and again";
}

TEST(SchemeSlot, ShowsAParameterWithoutEffectOnlyIfItIsGiven) {
  const auto shown = [](const std::string& parameters) {
    return only(with("congestion_point = [{ scheme = \"rocc\"" + parameters + " }]", ""))
        .settings.effective_configuration;
  };
  EXPECT_THAT(shown(""), Not(HasSubstr("sample_every")));
  EXPECT_THAT(shown(", sample_every = 4"), HasSubstr("sample_every = 4"));
  EXPECT_THAT(shown(", flow_table = \"afd\""), HasSubstr("sample_every = 16"));
}

}  // namespace
}  // namespace weir::scheme_slot_test
