// SPDX-License-Identifier: Apache-2.0
// weir run, weir compare.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/campaign.h"
#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/load.h"
#include "apps/runs.h"
#include "check/check.h"
#include "check/check_errors.h"
#include "check/check_text.h"
#include "check/findings.h"
#include "results/comparison.h"
#include "results/run_text.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "store/store.h"

namespace weir::apps {
namespace {

/// What schemes warn of and which pauses can deadlock, each thing once, whatever the variant.
void show_warnings(const Scenario& scenario, const std::vector<CheckedVariant>& checked) {
  std::set<std::string> said;
  const auto say = [&said](const std::string& line) {
    if (said.insert(line).second) complain(line);
  };
  for (std::size_t i = 0; i < checked.size(); ++i) {
    for (const std::string& warning : checked[i].warnings) say(fmt::format("warning: {}", warning));
    for (const CheckedCycle& cycle : checked[i].cycles) {
      say(fmt::format("note: {}", cycle_text(scenario.variants[i].settings.network.topology, cycle)));
    }
  }
}

/// Shows the warnings of weir check, and refuses what it refuses: nothing is given then. Else what it found of each
/// variant, worked out once however many runs the variant has.
std::optional<FindingsByVariant> pass_check(const Scenario& scenario) {
  std::vector<CheckedVariant> checked;
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic));
  }
  show_warnings(scenario, checked);
  const std::vector<std::string> errors = check_errors(scenario, checked);
  for (const std::string& error : errors) complain(error);
  if (!errors.empty()) return std::nullopt;
  FindingsByVariant findings;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    findings.push_back(findings_of(checked[i], scenario.variants[i].settings.network.topology));
  }
  return findings;
}

std::string name_of(const ScenarioVariant& variant) {
  return variant.name.empty() ? "run" : variant.name;
}

/// The runs there is something to say of.
std::vector<RunSummary> summaries_of(const std::vector<RunOutcome>& outcomes) {
  std::vector<RunSummary> out;
  for (const RunOutcome& outcome : outcomes) {
    if (outcome.summary) out.push_back(*outcome.summary);
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
      complain(fmt::format("weir: {}: not run{}", name, interrupted() ? ": interrupted" : ""));
    } else if (!outcome.error.empty()) {
      complain(fmt::format("weir: {}: {}", name, outcome.error));
      good = false;
    } else if (!outcome.summary->failure.empty()) {
      complain(fmt::format("weir: {}: failed: {} (seed {})", name, outcome.summary->failure, outcome.summary->seed));
      good = false;
    } else if (outcome.summary->interrupted) {
      complain(fmt::format("weir: {}: {}", name, interrupted() ? "interrupted" : "stopped before its end"));
    }
    if (!outcome.capture_note.empty()) complain(fmt::format("note: {}", outcome.capture_note));
    if (!outcome.capture_error.empty()) {
      complain(fmt::format("weir: {}", outcome.capture_error));
      good = false;
    }
  }
  return good;
}

std::string digests_of(const Scenario& scenario, const std::vector<RunOutcome>& outcomes) {
  std::string out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].summary) continue;
    // An interrupted run's says nothing of the whole.
    out += fmt::format("digest {} {}{}\n", name_of(scenario.variants[i]), outcomes[i].summary->digest,
                       outcomes[i].summary->interrupted ? " INTERRUPTED" : "");
  }
  return out;
}

/// Frames that a lossless priority lost, once more where nobody overlooks them.
std::string drops_of(const Scenario& scenario, const std::vector<RunOutcome>& outcomes) {
  std::string out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].summary) continue;
    for (const RunFinding& finding : outcomes[i].summary->findings) {
      if (finding.kind != FindingKind::lossless_drops) continue;
      out += fmt::format("DROPS ON A LOSSLESS PRIORITY in {}: {}\n", name_of(scenario.variants[i]), finding.text);
    }
  }
  return out;
}

/// Runs what the campaign does not have. Without a campaign, everything.
std::vector<RunOutcome> outcomes_of(const Scenario& scenario, std::size_t jobs, Campaign* campaign,
                                    const FindingsByVariant& findings) {
  std::vector<std::size_t> numbers;
  std::map<std::size_t, RunSummary> kept;
  for (std::size_t i = 0; i < scenario.variants.size(); ++i) {
    std::optional<RunSummary> summary = campaign == nullptr ? std::nullopt : campaign->kept(i);
    if (summary) {
      kept.emplace(i, std::move(*summary));
    } else {
      numbers.push_back(i);
    }
  }
  if (!kept.empty()) {
    complain(fmt::format("note: {} of {} runs were there already", kept.size(), scenario.variants.size()));
  }
  KeepRuns keep;
  if (campaign != nullptr) keep = [campaign](const std::vector<FinishedRun>& runs) { return campaign->keep(runs); };
  CapturePath capture_path;
  if (campaign != nullptr) capture_path = [campaign](std::size_t variant) { return campaign->capture_path(variant); };
  std::vector<RunOutcome> outcomes = run_all(scenario.variants, numbers, jobs, keep, capture_path, findings);
  for (auto& [i, summary] : kept) {
    outcomes[i].started = true;
    outcomes[i].summary = std::move(summary);
  }
  return outcomes;
}

/// Says what is missing in the folder, and how to go on.
void report_missing(const Campaign& campaign, const std::string& out) {
  const std::size_t missing = campaign.missing();
  if (missing == 0) return;
  complain(fmt::format("weir: {}: {} of {} runs are missing: the same command with --continue runs them", out, missing,
                       campaign.planned()));
}

/// In quotes where a shell would not take it as one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The command that shows what was kept as a page; without a folder, the one that keeps it.
std::string report_line(const RunCommand& command) {
  if (!command.out.empty()) return fmt::format("report: weir report {}\n", shell_word(command.out));
  return fmt::format("report: weir compare {} --out results && weir report results\n",
                     shell_word(command.scenario.file));
}

using Format = std::string (*)(const std::vector<RunSummary>&, std::size_t width);

int run_and_print(const RunCommand& command, Format format, bool with_report_line) {
  const LoadedScenario loaded = load(command.scenario);
  if (loaded.status) return *loaded.status;
  const Scenario& scenario = loaded.scenario;
  const std::optional<FindingsByVariant> findings = pass_check(scenario);
  if (!findings) return kWrongInput;
  std::optional<Campaign> campaign;
  if (!command.out.empty()) {
    try {
      campaign.emplace(command.out, WithOldResults{command.resume, command.set_aside}, scenario);
    } catch (const StoreError& error) {
      complain(fmt::format("weir: {}", error.what()));
      return kWrongInput;
    }
  }
  const bool captures = std::any_of(scenario.variants.begin(), scenario.variants.end(),
                                    [](const ScenarioVariant& v) { return !v.settings.capture.links.empty(); });
  if (captures && !campaign) complain("note: capture: frames are kept in the folder of results: --out names one");
  catch_interrupts();
  const std::vector<RunOutcome> outcomes =
      outcomes_of(scenario, command.jobs, campaign ? &*campaign : nullptr, *findings);
  bool good = print(fmt::format("{}\n{}\n", heading_of(scenario), format(summaries_of(outcomes), stdout_width())));
  good = print(digests_of(scenario, outcomes)) && good;
  good = report_failures(scenario, outcomes) && good;
  good = print(drops_of(scenario, outcomes)) && good;
  if (with_report_line) good = print(report_line(command)) && good;
  if (campaign) {
    report_missing(*campaign, command.out);
    good = campaign->good() && good;
  }
  if (interrupted()) return kInterrupted;
  return good ? kDone : kFailed;
}

}  // namespace

int run(const RunCommand& command) {
  return run_and_print(
      command,
      [](const std::vector<RunSummary>& runs, std::size_t width) {
        std::string out;
        for (const RunSummary& run : runs) {
          if (!out.empty()) out += "\n";
          if (!run.variant.empty()) out += fmt::format("== {}\n", run.variant);
          out += format_run(run, width);
        }
        return out;
      },
      false);
}

int compare(const RunCommand& command) {
  return run_and_print(command, format_comparison, true);
}

}  // namespace weir::apps
