#include "reproduce/run_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>

#include "reproduce/draw.h"
#include "reproduce/measures.h"
#include "reproduce/plan.h"
#include "reproduce/run_cache.h"
#include "reproduce/selection.h"
#include "scenario/check.h"
#include "sim/simulation.h"

namespace weir {
namespace {

/// A link's bytes and pauses over the whole run are there without a timeline.
bool is_needed(const RunMeasure& measure, const MeasureArguments& arguments) {
  if (measure.needs != &MeasurementSettings::timeline || measure.signature.list) return true;
  if (measure.signature.name == "recovery_time") return true;
  return arguments.find("since") != arguments.end() || arguments.find("until") != arguments.end();
}

void measure_for(const AskedOfRun& asked, MeasurementSettings& measurement) {
  for (const auto& [name, question] : asked) {
    const RunMeasure& measure = run_measure(*question.measure);
    if (measure.needs != nullptr && is_needed(measure, question.arguments)) measurement.*measure.needs = true;
  }
}

void measure_run(const AskedOfRun& asked, const RunView& view, PointOutcome& outcome) {
  for (const auto& [name, question] : asked) {
    Measured& measured = outcome.measures[name];
    try {
      measured.figure = run_measure(*question.measure).compute(view, question.arguments);
    } catch (const Unavailable& unavailable) {
      measured.unavailable = unavailable.what();
    }
  }
}

std::string cannot_be_run(const std::vector<std::string>& missing) {
  std::vector<std::string> named;
  for (const std::string& scheme : missing) named.push_back(fmt::format("no scheme \"{}\"", scheme));
  return fmt::format("cannot be run: {}", fmt::join(named, ", "));
}

/// One run of a row.
struct Job {
  RunPoint key;
  std::string name;
  const AskedOfRun* asked = nullptr;
  Progress progress;
  Time stop = Time::never();
  std::chrono::steady_clock::time_point began;
  enum class State : std::uint8_t { waiting, running, done };
  std::atomic<State> state{State::waiting};
  bool complete = false;  ///< false at the end: it was interrupted
  PointOutcome outcome;
  std::string failure;
};

/// Runs jobs on threads.
class Jobs {
 public:
  Jobs(const Row& row, const RowSetup& setup, const RunCache& cache, std::vector<std::unique_ptr<Job>>& jobs)
      : row_(row), setup_(setup), cache_(cache), jobs_(jobs) {}

  void run(const RunRowOptions& options) {
    const std::size_t threads = std::min(std::max<std::size_t>(options.jobs, 1), jobs_.size());
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i) running.emplace_back([this] { work(); });
    watch(options);
    for (std::thread& thread : running) thread.join();
  }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= jobs_.size()) return;
      Job& job = *jobs_[index];
      if (!stop_) run_one(job);
      {
        const std::lock_guard lock(mutex_);
        job.state = Job::State::done;
        ++done_;
      }
      changed_.notify_one();
    }
  }

  void run_one(Job& job) {
    PlannedRun planned = plan_run(row_, setup_, job.key);
    ScenarioVariant& variant = planned.scenario.variants.front();
    measure_for(*job.asked, variant.settings.measurement);
    job.stop = variant.settings.run.stop;
    job.began = std::chrono::steady_clock::now();
    job.state = Job::State::running;
    try {
      Simulation simulation(variant.settings);
      const RunRecord record = simulation.run(&job.progress);
      if (record.interrupted) return;
      job.outcome.digest = record.digest;
      // A deadlock is a result: of flows that wait in it, the row asks how many have not completed.
      if (!record.failure.empty() && !record.deadlock) {
        job.failure = fmt::format("{} (seed {})", record.failure, record.seed);
      } else {
        measure_run(*job.asked, {record, variant.settings}, job.outcome);
        if (const auto error = cache_.keep(job.name, job.outcome)) job.failure = *error;
      }
    } catch (const std::bad_alloc&) {
      job.failure = "there is not enough memory";
    } catch (const std::exception& exception) {
      job.failure = exception.what();
    }
    if (!job.failure.empty() && job.outcome.measures.empty())
      job.outcome.unavailable = fmt::format("failed: {}", job.failure);
    job.complete = true;
  }

  void watch(const RunRowOptions& options) {
    constexpr auto kInterval = std::chrono::milliseconds(100);
    std::unique_lock lock(mutex_);
    while (done_ < jobs_.size()) {
      changed_.wait_for(lock, kInterval);
      if (!options.watch) continue;
      std::vector<RunUnderway> underway;
      for (const auto& job : jobs_) {
        if (job->state == Job::State::running) underway.push_back({job->name, &job->progress, job->stop, job->began});
      }
      if (options.watch(done_, jobs_.size(), underway)) continue;
      stop_ = true;
      for (const auto& job : jobs_) job->progress.stop = true;
    }
  }

  const Row& row_;
  const RowSetup& setup_;
  const RunCache& cache_;
  std::vector<std::unique_ptr<Job>>& jobs_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t done_ = 0;  // under mutex_
};

/// What does not exist, and by which no run can be.
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
  for (const auto& [point, asked] : rehearse(row, form, setup).asked) {
    for (const std::string& scheme : missing_schemes(row, setup, point)) {
      add_missing(fmt::format("no scheme \"{}\"", scheme), out);
    }
  }
  return out;
}

std::vector<std::string> check_row(const Row& row, RowForm form, const RowSetup& setup) {
  const Rehearsal rehearsal = rehearse(row, form, setup);
  std::vector<std::string> out = rehearsal.errors;
  if (setup.analysis) {
    std::string unavailable;
    make_analysis(row, setup, out, unavailable);
    return out;
  }
  std::set<std::string> said;
  ErrorCheck check;
  for (const auto& [key, asked] : rehearsal.asked) {
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
      // What is wrong with several runs is said of the first.
      for (const CheckedError& refused : check.of(variant)) {
        const std::string error = fmt::format("{}: {}", refused.key, refused.message);
        if (!said.insert(error).second) continue;
        out.push_back(fmt::format("{}: {}{}{}", row.file, planned.name, planned.name.empty() ? "" : ": ", error));
      }
    }
  }
  return out;
}

namespace {

RowResult run_setup(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options) {
  RowResult out;
  out.errors = check_row(row, form, setup);
  if (!out.errors.empty()) return out;
  if (setup.analysis) {
    std::string unavailable;
    const std::unique_ptr<Analysis> analysis = make_analysis(row, setup, out.errors, unavailable);
    out.verdict = judge(row, form, setup, {}, analysis.get(), unavailable);
    out.verdict.missing = missing_in(row, form, setup);
    out.pictures = draw(row, form, setup, {}, analysis.get(), unavailable, out.failures);
    return out;
  }
  const Rehearsal rehearsal = rehearse(row, form, setup);
  const RunCache cache(options.folder, row, form);
  const std::string needed = what_is_needed(row);
  std::map<RunPoint, PointOutcome> outcomes;
  for (const auto& [point, asked] : rehearsal.asked) {
    const std::vector<std::string> schemes = missing_schemes(row, setup, point);
    if (schemes.empty() && needed.empty()) continue;
    outcomes[point].missing = true;
    outcomes[point].unavailable = schemes.empty() ? needed : cannot_be_run(schemes);
  }
  // What can be judged decides what is run.
  std::set<RunPoint> wanted;
  for (const std::set<RunPoint>& points : rehearsal.by_expression) {
    if (missing_for(setup, points, outcomes).empty()) wanted.insert(points.begin(), points.end());
  }
  std::vector<std::unique_ptr<Job>> jobs;
  for (const RunPoint& point : wanted) {
    const AskedOfRun& asked = rehearsal.asked.at(point);
    const std::string name = run_name(setup, point);
    if (auto kept = cache.find(name, asked)) {
      outcomes[point] = std::move(*kept);
      continue;
    }
    jobs.push_back(std::make_unique<Job>());
    jobs.back()->key = point;
    jobs.back()->name = name;
    jobs.back()->asked = &asked;
  }
  Jobs(row, setup, cache, jobs).run(options);
  for (const std::unique_ptr<Job>& job : jobs) {
    if (!job->complete) out.interrupted = true;
    if (!job->failure.empty()) {
      out.failures.push_back(fmt::format("{}{}{}", job->name, job->name.empty() ? "" : ": ", job->failure));
      // One that could not be written is good all the same.
      if (!job->outcome.unavailable.empty()) out.broken = true;
    }
    outcomes[job->key] = std::move(job->outcome);
  }
  if (out.interrupted) return out;
  out.verdict = judge(row, form, setup, outcomes, nullptr, {});
  out.verdict.missing = missing_in(row, form, setup);
  out.pictures = draw(row, form, setup, outcomes, nullptr, {}, out.failures);
  if (!out.broken) cache.remove();
  return out;
}

/// How the verdict moves when one assumption does.
AssumptionVerdict moved(const Assumption& assumption, const RowVerdict& as_is, const RowVerdict& otherwise) {
  AssumptionVerdict out;
  out.value = assumption.value;
  out.otherwise = written(*assumption.otherwise);
  out.state = name_of(otherwise.state);
  for (std::size_t i = 0; i < as_is.criteria.size(); ++i) {
    const CriterionVerdict& criterion = otherwise.criteria[i];
    if (criterion.state == as_is.criteria[i].state) continue;
    out.moved.push_back(fmt::format("{}: {}", criterion.name, name_of(criterion.state)));
    out.findings.insert(out.findings.end(), criterion.findings.begin(), criterion.findings.end());
    if (!criterion.reason.empty()) out.findings.push_back(criterion.reason);
  }
  return out;
}

}  // namespace

RowResult run_row(const Row& row, RowForm form, const RowSetup& setup, const RunRowOptions& options) {
  RowResult out = run_setup(row, form, setup, options);
  if (!options.assumptions || !out.errors.empty() || out.interrupted) return out;
  for (const Assumption& assumption : row.assumed) {
    if (!assumption.otherwise) continue;
    Diagnostics diagnostics(row.file);
    const RowSetup other = with_assumption(setup, *assumption.otherwise, diagnostics);
    RunRowOptions uncached = options;
    uncached.folder.clear();
    RowResult result = run_setup(row, form, other, uncached);
    out.errors = diagnostics.lines();
    out.errors.insert(out.errors.end(), result.errors.begin(), result.errors.end());
    out.failures.insert(out.failures.end(), result.failures.begin(), result.failures.end());
    out.interrupted = result.interrupted;
    if (!out.errors.empty() || out.interrupted) return out;
    if (result.broken) continue;
    out.verdict.assumptions.push_back(moved(assumption, out.verdict, result.verdict));
  }
  return out;
}

}  // namespace weir
