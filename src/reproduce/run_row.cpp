// SPDX-License-Identifier: Apache-2.0
#include "reproduce/run_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "campaign/runner.h"
#include "check/check.h"
#include "config/scalar.h"
#include "criteria/measures.h"
#include "criteria/selection.h"
#include "reproduce/draw.h"
#include "reproduce/plan.h"
#include "reproduce/run_cache.h"
#include "sim/version.h"

namespace weir {
namespace {

void measure_for(const AskedOfRun& asked, MeasurementSettings& measurement) {
  for (const auto& [name, question] : asked) {
    if (bool MeasurementSettings::*needed = needed_for(question)) measurement.*needed = true;
  }
}

std::string cannot_be_run(const std::vector<std::string>& missing) {
  std::vector<std::string> named;
  for (const std::string& scheme : missing) named.push_back(fmt::format("no scheme \"{}\"", scheme));
  return fmt::format("cannot be run: {}", fmt::join(named, ", "));
}

/// One run of the row itself or of an alternative.
class RowRun final : public RunToMake {
 public:
  RowRun(const Row& row, const RowSetup& setup, RunPoint point, std::string name, std::string text)
      : configuration(std::move(text)), row_(row), setup_(setup), point_(std::move(point)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }

  /// Scenarios of all runs at once would not fit into memory.
  const Settings& settings() override {
    planned_ = plan_run(row_, setup_, point_);
    Settings& settings = planned_->scenario.variants.front().settings;
    measure_for(asked, settings.measurement);
    began_ = std::chrono::steady_clock::now();
    return settings;
  }

  void end(RunRecord record) override {
    if (record.interrupted) return;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began_;
    outcome.seconds = took.count();
    outcome.digest = record.digest;
    // A deadlock is a result: the row counts the flows that do not complete because of it.
    if (!record.failure.empty() && !record.deadlock) {
      failure = fmt::format("{} (seed {})", record.failure, record.seed);
    } else {
      outcome.measures = measure_run(asked, {record, planned_->scenario.variants.front().settings});
    }
    planned_.reset();
    complete = true;
  }

  const std::string configuration;
  AskedOfRun asked;
  bool complete = false;  // false at the end: it was interrupted
  PointOutcome outcome;
  std::string failure;

 private:
  const Row& row_;
  const RowSetup& setup_;
  RunPoint point_;
  std::string name_;
  std::optional<PlannedRun> planned_;  // while it is being run
  std::chrono::steady_clock::time_point began_;
};

/// Makes runs in parallel and stores their results.
void make_runs(const std::vector<std::unique_ptr<RowRun>>& runs, const RunCache& cache, const RunRowOptions& options) {
  std::vector<RunToMake*> to_make;
  for (const auto& run : runs) to_make.push_back(run.get());
  std::atomic<bool> stop{false};
  RunnerOptions how;
  how.threads = std::max<std::size_t>(options.jobs, 1);
  how.keep = [&](const std::vector<std::size_t>& finished) {
    for (const std::size_t number : finished) {
      RowRun& run = *runs[number];
      if (!run.complete || !run.failure.empty()) continue;
      if (const auto error = cache.keep(run.configuration, run.name(), run.outcome)) run.failure = *error;
    }
    return true;
  };
  how.watch = [&](std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    if (options.watch && !options.watch(done, total, underway)) stop = true;
  };
  how.stop = [&stop] { return stop.load(); };
  const std::vector<RunEnd> ends = run_side_by_side(to_make, how);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RowRun& run = *runs[i];
    if (!ends[i].error.empty()) {
      run.failure = ends[i].error;
      run.complete = true;
    }
    if (!run.failure.empty() && run.outcome.measures.empty())
      run.outcome.unavailable = fmt::format("failed: {}", run.failure);
  }
}

/// Missing requirements that prevent any run.
std::string what_is_needed(const Row& row) {
  return row.needs.empty() ? std::string() : fmt::format("cannot be run: needs {}", fmt::join(row.needs, ", "));
}

void add_missing(const std::string& what, std::vector<std::string>& missing) {
  if (std::find(missing.begin(), missing.end(), what) == missing.end()) missing.push_back(what);
}

}  // namespace

std::vector<std::string> missing_in(const Row& row, RowForm form, const RowSetup& setup) {
  std::vector<std::string> out = row.needs;
  if (setup.analysis) {
    std::vector<std::string> errors;
    std::string unavailable;
    make_analysis(row, setup, errors, unavailable);
    if (!unavailable.empty()) add_missing(unavailable, out);
    return out;
  }
  for (const auto& [point, asked] : make_dry_run(row, form, setup).asked) {
    for (const std::string& scheme : missing_schemes(row, setup, point)) {
      add_missing(fmt::format("no scheme \"{}\"", scheme), out);
    }
  }
  return out;
}

std::vector<std::string> check_row(const Row& row, RowForm form, const RowSetup& setup) {
  const DryRun dry_run = make_dry_run(row, form, setup);
  std::vector<std::string> out = dry_run.errors;
  if (setup.analysis) {
    std::string unavailable;
    make_analysis(row, setup, out, unavailable);
    return out;
  }
  std::set<std::string> said;
  ErrorCheck check;
  for (const auto& [key, asked] : dry_run.asked) {
    if (key.seed != 0) continue;
    const PlannedRun planned = plan_run(row, setup, key);
    for (const std::string& error : planned.scenario.errors) {
      if (said.insert(error).second) out.push_back(error);
    }
    for (const ScenarioVariant& variant : planned.scenario.variants) {
      for (const auto& [name, question] : asked) {
        try {
          selection::check_names({RunRecord(), variant.settings}, question.arguments);
        } catch (const Unavailable& wrong) {
          const std::string error = fmt::format("{}: {}: {}", row.file, name, wrong.what());
          if (said.insert(error).second) out.push_back(error);
        }
      }
      // An error of several runs is reported for the first.
      for (const CheckedError& refused : check.of(variant)) {
        const std::string error = fmt::format("{}: {}", refused.key, refused.message);
        if (!said.insert(error).second) continue;
        out.push_back(fmt::format("{}: {}{}{}", row.file, planned.name, planned.name.empty() ? "" : ": ", error));
      }
    }
  }
  return out;
}

bool is_untried(const RowVerdict& verdict, const Assumption& assumption) {
  if (!assumption.alternative) return false;
  const AssumptionVerdict* tried = tried_choice(verdict, assumption);
  return tried == nullptr || tried->version != kVersion;
}

bool has_choice(const Assumption& assumption, std::string_view text) {
  return assumption.alternative && assumption.value.find(text) != std::string::npos;
}

namespace {

/// A setup with requested runs: the row itself, or an alternative.
struct Task {
  const Assumption* assumption = nullptr;  ///< nullptr: the row itself
  RowSetup setup;
  DryRun dry_run;
  std::map<RunPoint, PointOutcome> outcomes;
  std::vector<std::pair<RunPoint, const RowRun*>> awaited;
  bool complete = true;
  bool broken = false;
};

/// Runs the tasks of one row together. A run requested by several tasks is made once. `fresh`: the configurations of
/// runs that have been repeated already.
class TaskRunner {
 public:
  TaskRunner(const Row& row, const RunCache& cache, const RunRowOptions& options, std::set<std::string>& fresh)
      : row_(row), cache_(cache), options_(options), fresh_(fresh) {}

  /// The task must not move.
  void add(Task& task) {
    const std::string needed = what_is_needed(row_);
    for (const auto& [point, asked] : task.dry_run.asked) {
      const std::vector<std::string> schemes = missing_schemes(row_, task.setup, point);
      if (schemes.empty() && needed.empty()) continue;
      task.outcomes[point].missing = true;
      task.outcomes[point].unavailable = schemes.empty() ? needed : cannot_be_run(schemes);
    }
    // Only runs of evaluable expressions are made.
    std::set<RunPoint> wanted;
    for (const std::set<RunPoint>* points : task.dry_run.all()) {
      if (missing_for(task.setup, *points, task.outcomes).empty()) wanted.insert(points->begin(), points->end());
    }
    for (const RunPoint& point : wanted) want(task, point);
    tasks_.push_back(&task);
  }

  /// Failed runs go to `failures`.
  void run(std::vector<std::string>& failures) {
    make_runs(runs_, cache_, options_);
    for (const std::unique_ptr<RowRun>& run : runs_) {
      if (run->failure.empty()) continue;
      failures.push_back(fmt::format("{}{}{}", run->name(), run->name().empty() ? "" : ": ", run->failure));
    }
    for (const auto& [configuration, run] : by_configuration_) fresh_.insert(configuration);
    for (Task* task : tasks_) {
      for (const auto& [point, run] : task->awaited) {
        if (!run->complete) task->complete = false;
        // A run whose results could not be stored is valid nevertheless.
        if (!run->failure.empty() && !run->outcome.unavailable.empty()) task->broken = true;
        task->outcomes[point] = run->outcome;
      }
    }
  }

 private:
  void want(Task& task, const RunPoint& point) {
    const AskedOfRun& asked = task.dry_run.asked.at(point);
    const std::string configuration = configuration_of(plan_run(row_, task.setup, point));
    if (by_configuration_.count(configuration) == 0 && (!options_.again || fresh_.count(configuration) > 0)) {
      if (auto kept = cache_.find(configuration, asked)) {
        task.outcomes[point] = std::move(*kept);
        return;
      }
    }
    RowRun*& run = by_configuration_[configuration];
    if (run == nullptr) {
      std::string name = run_name(task.setup, point);
      if (task.assumption != nullptr)
        name += fmt::format("{}with another choice for {}", name.empty() ? "" : ", ", task.assumption->value);
      runs_.push_back(std::make_unique<RowRun>(row_, task.setup, point, std::move(name), configuration));
      run = runs_.back().get();
    }
    run->asked.insert(asked.begin(), asked.end());
    task.awaited.emplace_back(point, run);
  }

  const Row& row_;
  const RunCache& cache_;
  const RunRowOptions& options_;
  std::set<std::string>& fresh_;
  std::vector<Task*> tasks_;
  std::vector<std::unique_ptr<RowRun>> runs_;
  std::map<std::string, RowRun*> by_configuration_;
};

/// Evaluates the row itself.
void run_as_it_stands(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options,
                      const RunCache& cache, std::set<std::string>& fresh, RowResult& out) {
  if (setup.analysis) {
    std::string unavailable;
    const std::unique_ptr<Analysis> analysis = make_analysis(row, setup, out.errors, unavailable);
    out.verdict = evaluate(row, form, setup, {}, analysis.get(), unavailable);
    out.pictures = draw(row, form, setup, {}, analysis.get(), unavailable, out.failures);
  } else {
    Task task;
    task.setup = setup;
    task.dry_run = make_dry_run(row, form, setup);
    TaskRunner runner(row, cache, options, fresh);
    runner.add(task);
    runner.run(out.failures);
    out.broken = task.broken;
    out.interrupted = !task.complete;
    if (out.interrupted) return;
    out.verdict = evaluate(row, form, setup, task.outcomes, nullptr, {});
    out.pictures = draw(row, form, setup, task.outcomes, nullptr, {}, out.failures);
  }
  out.verdict.missing = missing_in(row, form, setup);
}

/// The effect of one alternative on the verdict.
AssumptionVerdict moved(const Assumption& assumption, const RowVerdict& as_is, const RowVerdict& alternative) {
  AssumptionVerdict out;
  out.value = assumption.value;
  out.alternative = written(*assumption.alternative);
  out.version = kVersion;
  out.state = name_of(alternative.state);
  for (std::size_t i = 0; i < as_is.criteria.size(); ++i) {
    const CriterionVerdict& criterion = alternative.criteria[i];
    if (criterion.state == as_is.criteria[i].state) continue;
    out.moved.push_back(fmt::format("{}: {}", criterion.name, name_of(criterion.state)));
    out.findings.insert(out.findings.end(), criterion.findings.begin(), criterion.findings.end());
    if (!criterion.reason.empty()) out.findings.push_back(criterion.reason);
  }
  return out;
}

/// The alternatives to be evaluated. Errors go to `errors`.
std::vector<Task> other_choices(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options,
                                std::vector<std::string>& errors) {
  std::vector<Task> out;
  if (options.choices == OtherChoices::none) return out;
  for (const Assumption& assumption : row.assumed) {
    if (!has_choice(assumption, options.assumption)) continue;
    if (options.known != nullptr && !is_untried(*options.known, assumption)) continue;
    Diagnostics diagnostics(row.file);
    Task task;
    task.assumption = &assumption;
    task.setup = with_assumption(setup, *assumption.alternative, diagnostics);
    for (std::string& error : diagnostics.lines()) errors.push_back(std::move(error));
    for (std::string& error : check_row(row, form, task.setup)) errors.push_back(std::move(error));
    out.push_back(std::move(task));
  }
  return out;
}

/// Evaluates the row with each of the alternatives.
void try_choices(const Row& row, RowForm form, std::vector<Task>& tasks, const RunRowOptions& options,
                 const RunCache& cache, std::set<std::string>& fresh, RowResult& out) {
  TaskRunner runner(row, cache, options, fresh);
  for (Task& task : tasks) {
    if (task.setup.analysis) continue;
    task.dry_run = make_dry_run(row, form, task.setup, RowScope::criteria);
    runner.add(task);
  }
  runner.run(out.failures);
  for (const Task& task : tasks) {
    if (!task.complete) out.choices_left = true;
    if (!task.complete || task.broken) continue;
    std::string unavailable;
    std::unique_ptr<Analysis> analysis;
    if (task.setup.analysis) analysis = make_analysis(row, task.setup, out.errors, unavailable);
    const RowVerdict alternative =
        evaluate(row, form, task.setup, task.outcomes, analysis.get(), unavailable, RowScope::criteria);
    AssumptionVerdict tried = moved(*task.assumption, out.verdict, alternative);
    std::erase_if(out.verdict.assumptions, [&](const AssumptionVerdict& before) {
      return before.value == tried.value && before.alternative == tried.alternative;
    });
    out.verdict.assumptions.push_back(std::move(tried));
  }
}

}  // namespace

RowResult run_row(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options) {
  RowResult out;
  out.errors = check_row(row, form, setup);
  if (!out.errors.empty()) return out;
  std::vector<Task> choices = other_choices(row, form, setup, options, out.errors);
  if (!out.errors.empty()) return out;
  const RunCache cache(options.folder, row, form);
  std::set<std::string> fresh;
  if (options.known != nullptr) {
    out.verdict = *options.known;
  } else {
    run_as_it_stands(row, form, setup, options, cache, fresh, out);
    if (!out.errors.empty() || out.interrupted) return out;
  }
  const RowVerdict::State as_it_stands = state_of(out.verdict.criteria);
  const bool worth_it = options.choices == OtherChoices::all ? as_it_stands != RowVerdict::State::cannot_be_run
                                                             : as_it_stands == RowVerdict::State::does_not_hold;
  if (worth_it && !out.broken) try_choices(row, form, choices, options, cache, fresh, out);
  settle(out.verdict, row);
  if (!out.broken && !out.choices_left) cache.remove_outdated();
  return out;
}

}  // namespace weir
