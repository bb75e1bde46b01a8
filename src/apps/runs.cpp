// SPDX-License-Identifier: Apache-2.0
#include "apps/runs.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/progress_text.h"
#include "campaign/runner.h"
#include "capture/link_capture.h"
#include "sim/version.h"

namespace weir::apps {
namespace {

using Clock = std::chrono::steady_clock;

/// One run.
class OneRun final : public RunToMake {
 public:
  OneRun(const ChosenRun& run, std::size_t number, const RunHandling& handling, std::filesystem::path capture)
      : run_(run),
        number_(number),
        handling_(handling),
        name_(run_name(*run.variant, run.seed)),
        capture_path_(std::move(capture)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  /// Settings of all runs at once would not fit into memory.
  const Settings& settings() override {
    if (run_.seed == run_.variant->settings.run.seed) return run_.variant->settings;
    return settings_.emplace(settings_of(*run_.variant, run_.seed));
  }

  void begin(Simulation& simulation) override {
    if (capture_path_.empty()) return;
    const Settings& settings = run_.variant->settings;
    std::error_code ignored;  // writing the file reports the error again
    std::filesystem::create_directories(capture_path_.parent_path(), ignored);
    capture_ = std::make_unique<LinkCapture>(settings.network.topology, settings.capture, capture_path_,
                                             fmt::format("weir {}", kVersion));
    simulation.tap(settings.capture.links, *capture_);
  }

  void end(RunRecord record) override {
    record.parameters = run_.variant->parameters;
    if (!handling_.findings.empty()) {
      const std::vector<RunFinding>& findings = handling_.findings[run_.number];
      record.findings.insert(record.findings.begin(), findings.begin(), findings.end());
    }
    end_capture();
    outcome.summary = summarise(record);
    if (handling_.see) handling_.see(number_, record);
    record_ = std::move(record);
  }

  /// The record of a finished run that is not yet stored.
  [[nodiscard]] std::optional<FinishedRun> finished() const {
    if (!record_) return std::nullopt;
    return FinishedRun{.run = number_, .record = &*record_, .summary = &*outcome.summary};
  }
  void forget_record() {
    record_.reset();
    settings_.reset();
  }
  [[nodiscard]] std::size_t number() const { return number_; }

  RunOutcome outcome;

 private:
  void end_capture() {
    if (!capture_) return;
    outcome.capture_error = capture_->commit().value_or("");
    if (capture_->left_out() > 0) {
      outcome.capture_note = fmt::format("{}: {} further frames were not captured: capture.frame_limit is {}",
                                         capture_path_.string(), capture_->left_out(), capture_->written());
    } else if (capture_->not_representable() > 0) {
      outcome.capture_note = fmt::format("{}: {} frames have no encoding on real links and were omitted",
                                         capture_path_.string(), capture_->not_representable());
    }
    capture_.reset();
  }

  const ChosenRun& run_;
  std::size_t number_;  // index among the chosen runs
  const RunHandling& handling_;
  std::string name_;
  std::optional<Settings> settings_;  // if they differ from those of the variant
  std::filesystem::path capture_path_;
  std::unique_ptr<LinkCapture> capture_;
  std::optional<RunRecord> record_;  // until it is stored
};

/// Shows the progress of runs: on one line of a terminal, or periodically as lines of a log.
class ProgressLine {
 public:
  void show(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    // Limits the update rate for short runs.
    constexpr auto kInterval = std::chrono::milliseconds(100);
    constexpr auto kLogInterval = std::chrono::minutes(1);
    const auto now = Clock::now();
    if (now - shown_ < (width_ == 0 ? Clock::duration(kLogInterval) : Clock::duration(kInterval))) return;
    shown_ = now;
    std::vector<RunProgress> running;
    for (const RunUnderway& run : underway) running.push_back(progress_of(run, run.name));
    const std::chrono::duration<double> elapsed = now - began_;
    const std::optional<double> left = seconds_left(done, total, running, elapsed.count());
    if (width_ > 0) {
      show_line(progress_line(done, total, running, width_ - 1, left));
    } else if (total > 1) {
      print_diagnostic(fmt::format("note: {}", done_text(done, total, left)));
    }
  }
  void clear() const {
    if (width_ > 0) show_line("");
  }

 private:
  std::size_t width_ = stderr_width();
  Clock::time_point began_ = Clock::now();
  Clock::time_point shown_ = width_ > 0 ? Clock::time_point() : began_;
};

/// Passes on the records of finished runs.
bool keep_finished(const std::vector<std::unique_ptr<OneRun>>& runs, const std::vector<std::size_t>& finished,
                   const KeepRuns& keep) {
  std::vector<FinishedRun> given;
  for (const std::size_t run : finished) {
    if (const auto record = runs[run]->finished()) given.push_back(*record);
  }
  const bool good = !keep || given.empty() || keep(given);
  for (const std::size_t run : finished) runs[run]->forget_record();
  return good;
}

}  // namespace

std::string ChosenRun::name() const {
  const std::string name = run_name(*variant, seed);
  return name.empty() ? "run" : name;
}

std::vector<RunOutcome> run_all(const std::vector<ChosenRun>& chosen, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const RunHandling& handling) {
  std::vector<std::unique_ptr<OneRun>> runs;
  std::vector<RunToMake*> to_make;
  for (const std::size_t number : numbers) {
    const ChosenRun& run = chosen[number];
    const bool captures = handling.capture_path && !run.variant->settings.capture.links.empty();
    runs.push_back(std::make_unique<OneRun>(run, number, handling,
                                            captures ? handling.capture_path(number) : std::filesystem::path()));
    to_make.push_back(runs.back().get());
  }
  ProgressLine line;
  RunnerOptions options;
  options.threads = jobs;
  options.keep = [&](const std::vector<std::size_t>& finished) { return keep_finished(runs, finished, handling.keep); };
  options.watch = [&line](std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    line.show(done, total, underway);
  };
  options.stop = interrupted;
  const std::vector<RunEnd> ends = run_side_by_side(to_make, options);
  line.clear();
  std::vector<RunOutcome> outcomes(chosen.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunOutcome& outcome = outcomes[runs[i]->number()] = std::move(runs[i]->outcome);
    outcome.started = ends[i].started;
    outcome.error = ends[i].error;
  }
  return outcomes;
}

}  // namespace weir::apps
