// SPDX-License-Identifier: Apache-2.0
#include "apps/load.h"

#include <fmt/format.h>

#include "apps/console.h"
#include "config/effective.h"

namespace weir::apps {

LoadedScenario load(const ScenarioCommand& command) {
  LoadedScenario loaded = {load_scenario(command.file, command.options), std::nullopt};
  const Scenario& scenario = loaded.scenario;
  for (const std::string& error : scenario.errors) print_diagnostic(error);
  if (!scenario.ok()) {
    loaded.status = kWrongInput;
    return loaded;
  }
  for (const std::string& note : scenario.notes) print_diagnostic(fmt::format("note: {}", note));
  if (!command.print_config) return loaded;
  std::string out;
  for (const ScenarioVariant& variant : scenario.variants) {
    if (!out.empty()) out += "\n";
    if (const std::string label = variant.label(); !label.empty()) out += fmt::format("# ---- variant {}\n\n", label);
    out += to_toml(variant.effective, Annotation::origins, scenario.file);
  }
  loaded.status = print(out) ? kDone : kFailed;
  return loaded;
}

std::string heading_of(const Scenario& scenario) {
  return scenario.question.empty() ? fmt::format("{}\n", scenario.title)
                                   : fmt::format("{}\n{}\n", scenario.title, scenario.question);
}

}  // namespace weir::apps
