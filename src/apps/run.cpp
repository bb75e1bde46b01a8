// weir run, weir compare.
#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/load.h"
#include "apps/output_folder.h"
#include "apps/runs.h"
#include "results/comparison.h"
#include "results/run_text.h"
#include "results/summary.h"
#include "scenario/check.h"
#include "scenario/scenario.h"

namespace weir::apps {
namespace {

/// Refuses what weir check refuses. False: it did.
bool passes_check(const Scenario& scenario) {
  bool good = true;
  for (const ScenarioVariant& variant : scenario.variants) {
    for (const std::string& error : check_variant(variant.settings, variant.traffic).errors) {
      complain(fmt::format("{}: {}{}", scenario.file,
                           variant.name.empty() ? "" : fmt::format("variant {}: ", variant.name), error));
      good = false;
    }
  }
  return good;
}

std::string name_of(const ScenarioVariant& variant) {
  return variant.name.empty() ? "run" : variant.name;
}

/// Writes the files of all runs. False when something could not be written.
bool write_files(const Scenario& scenario, const std::vector<RunOutcome>& outcomes, const std::string& out) {
  std::vector<std::string> names;
  for (const ScenarioVariant& variant : scenario.variants) names.push_back(variant.name);
  const std::vector<std::string> folders = folder_names(names);
  bool good = true;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].started || !outcomes[i].error.empty()) continue;
    // One run has the folder for itself.
    const std::filesystem::path folder =
        outcomes.size() == 1 && names[i].empty() ? std::filesystem::path(out) : std::filesystem::path(out) / folders[i];
    for (const std::string& error : write_run(outcomes[i].record, folder)) {
      complain(fmt::format("weir: {}", error));
      good = false;
    }
  }
  return good;
}

/// The runs there is something to say of.
std::vector<RunSummary> summaries_of(const std::vector<RunOutcome>& outcomes) {
  std::vector<RunSummary> out;
  for (const RunOutcome& outcome : outcomes) {
    if (outcome.started && outcome.error.empty()) out.push_back(summarise(outcome.record));
  }
  return out;
}

/// Says which variants have no result and which broke an invariant. False: there are such.
bool report_failures(const Scenario& scenario, const std::vector<RunOutcome>& outcomes) {
  bool good = true;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const RunOutcome& outcome = outcomes[i];
    const std::string name = name_of(scenario.variants[i]);
    if (!outcome.started) {
      complain(fmt::format("weir: {}: not run: interrupted", name));
    } else if (!outcome.error.empty()) {
      complain(fmt::format("weir: {}: {}", name, outcome.error));
      good = false;
    } else if (!outcome.record.failure.empty()) {
      complain(fmt::format("weir: {}: failed: {} (seed {})", name, outcome.record.failure, outcome.record.seed));
      good = false;
    } else if (outcome.record.interrupted) {
      complain(fmt::format("weir: {}: interrupted", name));
    }
  }
  return good;
}

std::string digests_of(const Scenario& scenario, const std::vector<RunOutcome>& outcomes) {
  std::string out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].started || !outcomes[i].error.empty()) continue;
    out += fmt::format("digest {} {}\n", name_of(scenario.variants[i]), outcomes[i].record.digest);
  }
  return out;
}

using Format = std::string (*)(const std::vector<RunSummary>&, std::size_t width);

int run_and_print(const RunCommand& command, Format format) {
  const LoadedScenario loaded = load(command.scenario);
  if (loaded.status) return *loaded.status;
  const Scenario& scenario = loaded.scenario;
  if (!passes_check(scenario)) return kWrongInput;
  catch_interrupts();
  const std::vector<RunOutcome> outcomes = run_all(scenario.variants, command.jobs);
  bool good = print(fmt::format("{}\n{}\n", heading_of(scenario), format(summaries_of(outcomes), stdout_width())));
  good = print(digests_of(scenario, outcomes)) && good;
  if (!command.out.empty()) good = write_files(scenario, outcomes, command.out) && good;
  good = report_failures(scenario, outcomes) && good;
  if (interrupted()) return kInterrupted;
  return good ? kDone : kFailed;
}

}  // namespace

int run(const RunCommand& command) {
  return run_and_print(command, [](const std::vector<RunSummary>& runs, std::size_t width) {
    std::string out;
    for (const RunSummary& run : runs) {
      if (!out.empty()) out += "\n";
      if (!run.variant.empty()) out += fmt::format("== {}\n", run.variant);
      out += format_run(run, width);
    }
    return out;
  });
}

int compare(const RunCommand& command) {
  return run_and_print(command, format_comparison);
}

}  // namespace weir::apps
