// SPDX-License-Identifier: Apache-2.0
// weir check.
#include "check/check.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/json_text.h"
#include "apps/load.h"
#include "check/check_errors.h"
#include "check/check_text.h"
#include "pictures/scenario_pictures.h"
#include "scenario/network_defaults.h"

namespace weir::apps {
namespace {

int check_as_json(const Scenario& scenario) {
  std::vector<CheckedVariant> checked;
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic));
  }
  const std::vector<std::string> errors = check_errors(scenario, checked);
  const bool good = print(json_text(json_of_check(scenario, checked, errors)));
  if (!errors.empty()) return kWrongInput;
  return good ? kDone : kFailed;
}

}  // namespace

int check(const ScenarioCommand& command, bool links, bool entries, bool json) {
  const LoadedScenario loaded = load(command);
  if (loaded.status) return *loaded.status;
  const Scenario& scenario = loaded.scenario;
  const ScenarioPictures pictures(scenario);
  for (const std::string& error : pictures.errors()) complain(error);
  if (!pictures.errors().empty()) return kWrongInput;
  std::vector<CheckedVariant> checked;
  if (json) return check_as_json(scenario);
  bool good = print(heading_of(scenario));
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic));
    if (const std::string label = variant.label(); !label.empty()) {
      good = print(fmt::format("\n== {}\n", label)) && good;
    }
    good = print(check_report(checked.back(), variant.settings, links)) && good;
    for (const std::string& line : network_default_lines(variant.effective))
      good = print(fmt::format("\n{}\n", line)) && good;
    if (entries && !checked.back().exempt_turns.empty()) {
      good = print("\n" + entries_text(checked.back(), variant.settings.network.topology)) && good;
    }
  }
  const std::vector<std::string> errors = check_errors(scenario, checked);
  for (const std::string& error : errors) complain(error);
  if (!errors.empty()) return kWrongInput;
  return good ? kDone : kFailed;
}

}  // namespace weir::apps
