// SPDX-License-Identifier: Apache-2.0
// weir check.
#include "check/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/json_text.h"
#include "apps/load.h"
#include "check/check_errors.h"
#include "check/check_text.h"
#include "check/recommendation.h"
#include "check/verdict.h"
#include "pictures/scenario_pictures.h"
#include "scenario/network_defaults.h"

namespace weir::apps {
namespace {

/// Reports of variants. Variants with identical reports share one, under all their names.
class Reports {
 public:
  void add(const std::string& variant, std::string text) {
    for (auto& [names, known] : reports_) {
      if (known != text) continue;
      names.push_back(variant);
      return;
    }
    reports_.push_back({{variant}, std::move(text)});
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [names, report] : reports_) {
      const bool alone = names.size() == 1 && names.front().empty();
      if (!alone) out += fmt::format("\n== {}\n", fmt::join(names, ", "));
      out += report;
    }
    return out;
  }

 private:
  std::vector<std::pair<std::vector<std::string>, std::string>> reports_;
};

std::string report_of(const CheckedVariant& checked, const ScenarioVariant& variant, bool links, bool entries) {
  std::string out = check_report(checked, variant.settings, links);
  for (const std::string& line : network_default_lines(variant.effective)) out += fmt::format("\n{}\n", line);
  if (entries && !checked.exempt_turns.empty()) {
    out += "\n" + entries_text(checked, variant.settings.network.topology);
  }
  return out;
}

}  // namespace

int check(const ScenarioCommand& command, bool links, bool entries, bool json) {
  const LoadedScenario loaded = load(command);
  if (loaded.status) return *loaded.status;
  const Scenario& scenario = loaded.scenario;
  const ScenarioPictures pictures(scenario);
  for (const std::string& error : pictures.errors()) print_diagnostic(error);
  if (!pictures.errors().empty()) return kWrongInput;
  std::vector<CheckedVariant> checked;
  Reports reports;
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic, false));
    if (!json) reports.add(variant.label(), report_of(checked.back(), variant, links, entries));
  }
  const std::vector<std::string> errors = check_errors(scenario, checked);
  bool good = true;
  const std::string recommended = recommendation(scenario.variants, checked);
  const Verdict verdict = verdict_of(scenario, checked, check_failures(scenario.variants, checked));
  if (json) {
    good = print(json_text(json_of_check(scenario, checked, errors, verdict, recommended, links)));
  } else {
    good = print(fmt::format("{}{}\n{}\n{}", heading_of(scenario), reports.text(), recommended,
                             verdict_text(scenario, verdict)));
    for (const std::string& error : errors) print_diagnostic(error);
  }
  if (!errors.empty()) return kWrongInput;
  return good ? kDone : kFailed;
}

}  // namespace weir::apps
