// SPDX-License-Identifier: Apache-2.0
// A small valid scenario for the tests of this folder, and the errors of changed ones.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenario/scenario.h"

namespace weir::testing_scenario {

/// Two racks of two hosts, two spines. Tests refer to line numbers: change with care.
inline const std::string kGood = R"([scenario]
title = "Small"

[topology]
kind = "leaf_spine"
tors = 2
hosts_per_tor = 2
spines = 2
host_link = { rate = "100 Gbit/s", delay = "1 us" }
fabric_link = { rate = "100 Gbit/s", delay = "1 us" }

[switch]
buffer = "12 MB"
flow_control = ["pfc"]

[host]
payload = 1000

[[traffic]]
name = "background"
kind = "poisson"
size = "64 KB"
load = 0.5

[run]
seed = 7
stop = "1 ms"
)";

/// `kGood` with the only occurrence of `from` replaced.
inline std::string changed(const std::string& from, const std::string& to, const std::string& text = kGood) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  EXPECT_EQ(text.find(from, at + 1), std::string::npos) << from << " occurs twice";
  std::string out = text;
  return out.replace(at, from.size(), to);
}

/// The valid scenario with groups of switches after [switch]; the first line of `lines` is line 16.
inline std::string with_groups(const std::string& lines) {
  return changed("flow_control = [\"pfc\"]", "flow_control = [\"pfc\"]\n\n" + lines);
}

inline Scenario read(const std::string& text, const ScenarioOptions& options = {}) {
  return read_scenario(text, "s.toml", ".", options);
}

/// The errors of a text.
inline std::vector<std::string> errors(const std::string& text, const ScenarioOptions& options = {}) {
  return read(text, options).errors;
}

/// The configuration of a scenario that must be valid and have no variants.
inline ScenarioVariant only(const std::string& text, const ScenarioOptions& options = {}) {
  Scenario scenario = read(text, options);
  EXPECT_TRUE(scenario.ok()) << scenario.errors.front();
  EXPECT_EQ(scenario.variants.size(), 1U);
  return scenario.variants.empty() ? ScenarioVariant() : std::move(scenario.variants.front());
}

}  // namespace weir::testing_scenario
