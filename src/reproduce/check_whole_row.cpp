// SPDX-License-Identifier: Apache-2.0
#include "reproduce/check_whole_row.h"

#include <fmt/format.h>

#include <set>

#include "check/check.h"
#include "config/scalar.h"
#include "reproduce/evaluate_row.h"
#include "reproduce/plan.h"
#include "reproduce/run_row.h"

namespace weir {
namespace {

/// Whether two runs differ. If a run names schemes that do not exist, only the text can be compared.
bool differ(const Row& row, const RowSetup& setup, const RowSetup& other, const RunPoint& point,
            const PlannedRun& planned) {
  if (!planned.missing.empty()) return laid_out(row, setup, point) != laid_out(row, other, point);
  return configuration_of(planned) != configuration_of(plan_run(row, setup, point));
}

struct OtherRuns {
  std::vector<std::string> errors;
  bool differ = false;  ///< any of them from the row itself
};

/// A form with the alternative of an assumption: its analysis, or the requested runs. Networks and loads, which take
/// long to check, are checked for the first run of each variant.
OtherRuns check_alternative(const Row& row, RowForm form, const RowSetup& setup, const DryRun& dry_run,
                            const Value& alternative) {
  OtherRuns out;
  Diagnostics diagnostics(row.file);
  const RowSetup other = with_assumption(setup, alternative, diagnostics);
  out.errors = diagnostics.lines();
  if (!out.errors.empty()) return out;
  if (setup.analysis) {
    out.errors = check_row(row, form, other);
    out.differ = written(*other.analysis) != written(*setup.analysis);
    return out;
  }
  std::set<std::size_t> variants;
  std::set<std::string> said;
  ErrorCheck check;
  const auto add = [&](const std::string& error) {
    if (said.insert(error).second) out.errors.push_back(error);
  };
  for (const auto& [point, asked] : dry_run.asked) {
    if (point.seed != 0) continue;
    const PlannedRun planned = plan_run(row, other, point);
    for (const std::string& error : planned.scenario.errors) add(error);
    if (!out.differ) out.differ = differ(row, setup, other, point, planned);
    if (!variants.insert(point.variant).second) continue;
    for (const ScenarioVariant& variant : planned.scenario.variants) {
      for (const CheckedError& refused : check.of(variant)) {
        add(fmt::format("{}: {}: {}: {}", row.file, planned.name, refused.key, refused.message));
      }
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> check_whole_row(const Row& row) {
  std::vector<std::string> out;
  bool forms_good = true;
  std::vector<bool> matters(row.assumed.size());
  for (const RowForm form : {RowForm::quick, RowForm::full}) {
    const RowSetup& setup = row.setup(form);
    if (!setup.exists) continue;
    const std::vector<std::string> errors = check_row(row, form, setup);
    for (const std::string& error : errors) out.push_back(fmt::format("{} ({} form)", error, name_of(form)));
    if (!errors.empty()) {  // consequential errors are not reported
      forms_good = false;
      continue;
    }
    const DryRun dry_run = make_dry_run(row, form, setup);
    for (std::size_t i = 0; i < row.assumed.size(); ++i) {
      if (!row.assumed[i].alternative) continue;
      const OtherRuns other = check_alternative(row, form, setup, dry_run, *row.assumed[i].alternative);
      for (const std::string& error : other.errors) {
        out.push_back(
            fmt::format("{} (claim.assumed \"{}\", alternative; {} form)", error, row.assumed[i].value, name_of(form)));
      }
      matters[i] = matters[i] || !other.errors.empty() || other.differ;
    }
  }
  for (std::size_t i = 0; forms_good && i < row.assumed.size(); ++i) {
    if (!row.assumed[i].alternative || matters[i]) continue;
    out.push_back(fmt::format(
        "{}: claim.assumed \"{}\": the alternative changes nothing, expected keys that no variant or sweep overrides",
        row.file, row.assumed[i].value));
  }
  return out;
}

}  // namespace weir
