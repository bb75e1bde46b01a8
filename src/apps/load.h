// SPDX-License-Identifier: Apache-2.0
// Reads the scenario of a command.
#pragma once

#include <optional>
#include <string>

#include "apps/commands.h"
#include "scenario/scenario.h"

namespace weir::apps {

struct LoadedScenario {
  Scenario scenario;
  std::optional<int> status;  ///< if set, all messages are printed and the command ends with this status
};

/// Reads the scenario and prints its notes, or all errors. Prints the configuration if requested.
LoadedScenario load(const ScenarioCommand& command);

/// The title, followed by the question.
std::string heading_of(const Scenario& scenario);

}  // namespace weir::apps
