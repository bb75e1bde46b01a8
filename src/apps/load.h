// SPDX-License-Identifier: Apache-2.0
// Reading the scenario that a command is about.
#pragma once

#include <optional>
#include <string>

#include "apps/commands.h"
#include "scenario/scenario.h"

namespace weir::apps {

struct LoadedScenario {
  Scenario scenario;
  std::optional<int> status;  ///< given: all is said, the command ends with it
};

/// Reads the scenario and shows its notes, or all that is wrong with it. Shows the configuration when asked to.
LoadedScenario load(const ScenarioCommand& command);

/// The title, and the question below it.
std::string heading_of(const Scenario& scenario);

}  // namespace weir::apps
