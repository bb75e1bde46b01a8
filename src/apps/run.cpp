// SPDX-License-Identifier: Apache-2.0
// weir run, weir compare.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/forms.h"
#include "apps/campaign.h"
#include "apps/commands.h"
#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/json_text.h"
#include "apps/load.h"
#include "apps/runs.h"
#include "apps/scenario_drawing.h"
#include "check/check.h"
#include "check/check_errors.h"
#include "check/check_text.h"
#include "check/findings.h"
#include "pictures/scenario_pictures.h"
#include "results/comparison.h"
#include "results/digest.h"
#include "results/output_file.h"
#include "results/replicates.h"
#include "results/run_text.h"
#include "results/summary.h"
#include "scenario/scenario.h"
#include "store/store.h"

namespace weir::apps {
namespace {

/// The warnings of schemes and possible deadlocks of pauses, each once for all variants.
void show_warnings(const Scenario& scenario, const std::vector<CheckedVariant>& checked) {
  std::set<std::string> said;
  const auto say = [&said](const std::string& line) {
    if (said.insert(line).second) print_diagnostic(line);
  };
  for (std::size_t i = 0; i < checked.size(); ++i) {
    for (const std::string& warning : checked[i].warnings) say(fmt::format("warning: {}", warning));
    for (const CheckedCycle& cycle : checked[i].cycles) {
      say(fmt::format("note: {}", cycle_text(scenario.variants[i].settings.network.topology, cycle)));
    }
  }
}

/// Prints the warnings of weir check and stops on its errors: then returns nullopt. Otherwise returns the findings of
/// each variant, computed once for any number of runs.
std::optional<FindingsByVariant> pass_check(const Scenario& scenario) {
  std::vector<CheckedVariant> checked;
  for (const ScenarioVariant& variant : scenario.variants) {
    checked.push_back(check_variant(variant.settings, variant.traffic));
  }
  show_warnings(scenario, checked);
  const std::vector<std::string> errors = check_errors(scenario, checked);
  for (const std::string& error : errors) print_diagnostic(error);
  if (!errors.empty()) return std::nullopt;
  FindingsByVariant findings;
  for (std::size_t i = 0; i < checked.size(); ++i) {
    findings.push_back(findings_of(checked[i], scenario.variants[i].settings.network.topology));
  }
  return findings;
}

/// The runs of this call: all, or those of a shard.
std::vector<ChosenRun> chosen_runs(const Scenario& scenario, const Shard& shard) {
  std::vector<ChosenRun> out;
  std::size_t number = 0;
  for (const ScenarioRun& run : runs_of(scenario)) {
    if (number++ % shard.count != shard.index - 1) continue;
    out.push_back({&scenario.variants[run.variant], run.variant, run.seed, static_cast<std::int64_t>(number)});
  }
  return out;
}

/// The runs with a summary.
std::vector<RunSummary> summaries_of(const std::vector<RunOutcome>& outcomes) {
  std::vector<RunSummary> out;
  for (const RunOutcome& outcome : outcomes) {
    if (outcome.summary) out.push_back(*outcome.summary);
  }
  return out;
}

/// Reports which runs have no result and which violated an invariant. Returns false if there are such runs.
bool report_failures(const std::vector<ChosenRun>& runs, const std::vector<RunOutcome>& outcomes) {
  bool good = true;
  std::size_t not_run = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const RunOutcome& outcome = outcomes[i];
    const std::string name = runs[i].name();
    constexpr std::size_t kNamed = 10;
    if (!outcome.started) {
      if (++not_run <= kNamed)
        print_diagnostic(fmt::format("weir: {}: not run{}", name, interrupted() ? ": interrupted" : ""));
    } else if (!outcome.error.empty()) {
      print_diagnostic(fmt::format("weir: {}: {}", name, outcome.error));
      good = false;
    } else if (!outcome.summary->failure.empty()) {
      print_diagnostic(
          fmt::format("weir: {}: failed: {} (seed {})", name, outcome.summary->failure, outcome.summary->seed));
      good = false;
    } else if (outcome.summary->interrupted) {
      print_diagnostic(fmt::format("weir: {}: {}", name, interrupted() ? "interrupted" : "stopped early"));
    }
    if (!outcome.capture_note.empty()) print_diagnostic(fmt::format("note: {}", outcome.capture_note));
    if (!outcome.capture_error.empty()) {
      print_diagnostic(fmt::format("weir: {}", outcome.capture_error));
      good = false;
    }
    if (i + 1 == outcomes.size() && not_run > kNamed)
      print_diagnostic(fmt::format("weir: {} runs in total were not run", not_run));
  }
  return good;
}

/// One line per run; if there are many runs, one line for all, which depends only on the runs and not on how they were
/// made.
std::string digests_of(const Scenario& scenario, const std::vector<ChosenRun>& runs,
                       const std::vector<RunOutcome>& outcomes) {
  std::string out;
  std::string all;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].summary) continue;
    // The digest of an interrupted run does not cover the whole run.
    const std::string line = fmt::format("digest {} {}{}\n", runs[i].name(), outcomes[i].summary->digest,
                                         outcomes[i].summary->interrupted ? " INTERRUPTED" : "");
    out += line;
    if (!outcomes[i].summary->interrupted) all += line;
  }
  if (!scenario.has_replicates()) return out;
  const auto complete = std::count(all.begin(), all.end(), '\n');
  return fmt::format("digest of {} of {} runs {}\n", complete, runs.size(), content_digest(all));
}

/// Frames that lossless priorities lost and what pause watchdogs did, at the very end of the output, where nobody
/// overlooks them.
std::string alarms_of(const std::vector<ChosenRun>& runs, const std::vector<RunOutcome>& outcomes) {
  std::string out;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].summary) continue;
    for (const RunFinding& finding : outcomes[i].summary->findings) {
      if (finding.kind == FindingKind::lossless_drops) {
        out += fmt::format("DROPS ON A LOSSLESS PRIORITY in {}: {}\n", runs[i].name(), finding.text);
      } else if (finding.kind == FindingKind::watchdog) {
        out += fmt::format("PAUSE WATCHDOG in {}: {}\n", runs[i].name(), finding.text);
      }
    }
  }
  return out;
}

/// Makes the runs that the campaign does not have; without a campaign, all runs.
std::vector<RunOutcome> outcomes_of(const std::vector<ChosenRun>& runs, std::size_t jobs, Campaign* campaign,
                                    RunHandling handling) {
  std::vector<std::size_t> numbers;
  std::map<std::size_t, RunSummary> kept;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::optional<RunSummary> summary = campaign == nullptr ? std::nullopt : campaign->kept(i, handling.see);
    if (summary) {
      kept.emplace(i, std::move(*summary));
    } else {
      numbers.push_back(i);
    }
  }
  if (!kept.empty()) {
    print_diagnostic(fmt::format("note: {} of {} runs were already stored", kept.size(), runs.size()));
  }
  if (campaign != nullptr) {
    handling.keep = [campaign](const std::vector<FinishedRun>& finished) { return campaign->keep(finished); };
    handling.capture_path = [campaign](std::size_t run) { return campaign->capture_path(run); };
  }
  std::vector<RunOutcome> outcomes = run_all(runs, numbers, jobs, handling);
  for (auto& [i, summary] : kept) {
    outcomes[i].started = true;
    outcomes[i].summary = std::move(summary);
  }
  return outcomes;
}

/// Reports what is missing in the folder, and how to continue.
void report_missing(const Campaign& campaign, const std::string& out) {
  const std::size_t missing = campaign.missing();
  if (missing == 0) return;
  print_diagnostic(fmt::format("weir: {}: {} of {} runs are missing: repeat the command with --continue to run them",
                               out, missing, campaign.planned()));
}

/// Quoted if a shell would not read it as one word.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The command that shows the stored results as a page; without a folder, the command that stores them.
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
  std::optional<FindingsByVariant> findings = pass_check(scenario);
  if (!findings) return kWrongInput;
  ScenarioPictures pictures(scenario);
  // If only some variants are run, a picture may belong to others.
  const bool some = !command.scenario.options.variants.empty();
  for (const std::string& error : pictures.errors()) {
    print_diagnostic(some ? fmt::format("note: no pictures: {}", error) : error);
  }
  if (!pictures.errors().empty() && !some) return kWrongInput;
  const std::vector<ChosenRun> runs = chosen_runs(scenario, command.shard);
  std::optional<Campaign> campaign;
  if (!command.out.empty()) {
    try {
      campaign.emplace(command.out, WithOldResults{command.resume, command.set_aside}, scenario, runs);
    } catch (const StoreError& error) {
      print_diagnostic(fmt::format("weir: {}", error.what()));
      return kWrongInput;
    }
  }
  const bool captures = std::any_of(scenario.variants.begin(), scenario.variants.end(),
                                    [](const ScenarioVariant& v) { return !v.settings.capture.links.empty(); });
  if (!pictures.empty() && !campaign)
    print_diagnostic("note: picture: no picture is written without --out, which names the results folder");
  if (captures && !campaign)
    print_diagnostic("note: capture: no frames are captured without --out, which names the results folder");
  catch_interrupts();
  RunHandling handling;
  handling.findings = std::move(*findings);
  if (campaign && !pictures.empty()) {
    handling.see = [&](std::size_t run, const RunRecord& record) {
      pictures.see(runs[run].number, runs[run].seed, record);
    };
  }
  const std::vector<RunOutcome> outcomes =
      outcomes_of(runs, command.jobs, campaign ? &*campaign : nullptr, std::move(handling));
  const std::vector<RunSummary> summaries = summaries_of(outcomes);
  bool good = true;
  if (command.json) {
    good = print(json_text(json_of_runs(scenario, summaries)));
  } else {
    good = print(fmt::format("{}\n{}\n", heading_of(scenario), format(summaries, stdout_width())));
    good = print(digests_of(scenario, runs, outcomes)) && good;
  }
  good = report_failures(runs, outcomes) && good;
  if (!command.json) {
    good = print(alarms_of(runs, outcomes)) && good;
    if (with_report_line) good = print(report_line(command)) && good;
  }
  if (campaign) {
    campaign->write_tables(summaries);
    // A part of the runs would give a different picture; weir merge followed by --continue has all runs.
    if (command.shard.count == 1) good = write_pictures(pictures, command.out) && good;
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
        // Tables of each run are not useful if there are many runs.
        if (are_replicates(runs)) return format_replicates(runs, width);
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
