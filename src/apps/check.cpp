// weir check.
#include "scenario/check.h"

#include <fmt/format.h>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/load.h"

namespace weir::apps {

int check(const ScenarioCommand& command, bool links) {
  const LoadedScenario loaded = load(command);
  if (loaded.status) return *loaded.status;
  const Scenario& scenario = loaded.scenario;
  bool good = print(heading_of(scenario));
  std::size_t errors = 0;
  for (const ScenarioVariant& variant : scenario.variants) {
    const CheckedVariant checked = check_variant(variant.settings, variant.traffic);
    if (!variant.name.empty()) good = print(fmt::format("\n== {}\n", variant.name)) && good;
    good = print(check_report(checked, variant.settings, links)) && good;
    for (const std::string& error : checked.errors) {
      complain(fmt::format("{}: {}{}", scenario.file,
                           variant.name.empty() ? "" : fmt::format("variant {}: ", variant.name), error));
      ++errors;
    }
  }
  if (errors > 0) return kWrongInput;
  return good ? kDone : kFailed;
}

}  // namespace weir::apps
