// SPDX-License-Identifier: Apache-2.0
#include "scenario/switch_schemes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "policy/scheme.h"

namespace weir::switch_schemes_test {
namespace {

PolicyChoice chosen(std::string_view name) {
  const Scheme* scheme = find_scheme(name);
  return {scheme, Parameters(scheme->parameters)};
}

Settings pfc_alone() {
  Settings settings;
  settings.switches.flow_control = {chosen("pfc")};
  settings.hosts.congestion_control = chosen("line_rate");
  settings.hosts.loss_recovery = chosen("go_back_n");
  return settings;
}

TEST(SwitchSchemes, AreThoseThatSwitchesCanRun) {
  const std::vector<const Scheme*> schemes = schemes_of_real_switches();
  const auto has = [&](std::string_view name) {
    return std::find(schemes.begin(), schemes.end(), find_scheme(name)) != schemes.end();
  };
  for (const char* name : {"pfc", "bfc", "floodgate", "red", "ecmp", "dynamic_threshold", "ndp"})
    EXPECT_TRUE(has(name));
  for (const char* name : {"ideal_fq", "go_back_n", "dcqcn"}) EXPECT_FALSE(has(name));
}

TEST(SwitchSchemes, AFlowControlComesFirstAndOnce) {
  const Settings both = with_scheme_in_switches(pfc_alone(), chosen("floodgate"));
  ASSERT_EQ(both.switches.flow_control.size(), 2u);
  EXPECT_EQ(both.switches.flow_control[0].scheme, find_scheme("floodgate"));
  EXPECT_EQ(both.switches.flow_control[1].scheme, find_scheme("pfc"));
  EXPECT_EQ(with_scheme_in_switches(pfc_alone(), chosen("pfc")).switches.flow_control.size(), 1u);
}

TEST(SwitchSchemes, HaveAllTheirRoles) {
  EXPECT_EQ(with_scheme_in_switches(pfc_alone(), chosen("red")).switches.congestion_point.at(0).scheme,
            find_scheme("red"));
  EXPECT_EQ(with_scheme_in_switches(pfc_alone(), chosen("spray")).switches.forwarding.scheme, find_scheme("spray"));
  EXPECT_EQ(with_scheme_in_switches(pfc_alone(), chosen("static_threshold")).switches.buffer_policy.scheme,
            find_scheme("static_threshold"));
  const Settings ndp = with_scheme_in_switches(pfc_alone(), chosen("ndp"));
  EXPECT_EQ(ndp.hosts.transport.scheme, find_scheme("ndp"));
  EXPECT_EQ(ndp.hosts.congestion_control.scheme, nullptr);
  EXPECT_EQ(ndp.hosts.loss_recovery.scheme, nullptr);
}

}  // namespace
}  // namespace weir::switch_schemes_test
