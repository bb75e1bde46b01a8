// SPDX-License-Identifier: Apache-2.0
#include "campaign/run_scenario.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "check/check.h"
#include "check/check_errors.h"
#include "check/findings.h"
#include "sim/simulation.h"

namespace weir {
namespace {

void refuse(const std::vector<std::string>& errors) {
  if (!errors.empty()) throw std::invalid_argument(fmt::format("{}", fmt::join(errors, "\n")));
}

}  // namespace

std::vector<RunRecord> run_scenario(const Scenario& scenario) {
  refuse(scenario.errors);
  std::vector<CheckedVariant> checked;
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic));
  }
  refuse(check_errors(scenario, checked));
  std::vector<RunRecord> records;
  for (const ScenarioRun& run : runs_of(scenario)) {
    const ScenarioVariant& variant = scenario.variants[run.variant];
    const Settings settings = settings_of(variant, run.seed);
    RunRecord& record = records.emplace_back(Simulation(settings).run());
    record.parameters = variant.parameters;
    const std::vector<RunFinding> found = findings_of(checked[run.variant], settings.network.topology);
    record.findings.insert(record.findings.begin(), found.begin(), found.end());
  }
  return records;
}

std::vector<RunRecord> run_scenario(const std::string& path, const ScenarioOptions& options) {
  return run_scenario(load_scenario(path, options));
}

}  // namespace weir
