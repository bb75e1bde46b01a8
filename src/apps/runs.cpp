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

/// One variant.
class VariantRun final : public RunToMake {
 public:
  VariantRun(const ScenarioVariant& variant, std::size_t number, const std::vector<RunFinding>* findings,
             std::filesystem::path capture)
      : variant_(variant), number_(number), findings_(findings), capture_path_(std::move(capture)) {}

  [[nodiscard]] const std::string& name() const override { return variant_.name; }
  const Settings& settings() override { return variant_.settings; }

  void begin(Simulation& simulation) override {
    if (capture_path_.empty()) return;
    const Settings& settings = variant_.settings;
    std::error_code ignored;  // the file says it again
    std::filesystem::create_directories(capture_path_.parent_path(), ignored);
    capture_ = std::make_unique<LinkCapture>(settings.network.topology, settings.capture, capture_path_,
                                             fmt::format("weir {}", kVersion));
    simulation.tap(settings.capture.links, *capture_);
  }

  void end(RunRecord record) override {
    if (findings_ != nullptr) record.findings.insert(record.findings.begin(), findings_->begin(), findings_->end());
    end_capture();
    outcome.summary = summarise(record);
    record_ = std::move(record);
  }

  /// Of a run that gave a record that is not yet kept.
  [[nodiscard]] std::optional<FinishedRun> finished() const {
    if (!record_) return std::nullopt;
    return FinishedRun{.variant = number_, .record = &*record_, .summary = &*outcome.summary};
  }
  void forget_record() { record_.reset(); }
  [[nodiscard]] std::size_t number() const { return number_; }

  RunOutcome outcome;

 private:
  void end_capture() {
    if (!capture_) return;
    outcome.capture_error = capture_->commit().value_or("");
    if (capture_->left_out() > 0) {
      outcome.capture_note = fmt::format("{}: {} frames more came after capture.frame_limit = {}",
                                         capture_path_.string(), capture_->left_out(), capture_->written());
    } else if (capture_->not_representable() > 0) {
      outcome.capture_note = fmt::format("{}: {} frames have no form on real links and were left out",
                                         capture_path_.string(), capture_->not_representable());
    }
    capture_.reset();
  }

  const ScenarioVariant& variant_;
  std::size_t number_;                       // of the variant
  const std::vector<RunFinding>* findings_;  // of the variant; null: none
  std::filesystem::path capture_path_;
  std::unique_ptr<LinkCapture> capture_;
  std::optional<RunRecord> record_;  // until it is kept
};

/// In place of the line before.
void show_line(const std::string& line) {
  const std::string text = "\r\x1b[K" + printable(line);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

/// Shows how far runs are, where stderr is a terminal.
class ProgressLine {
 public:
  void show(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    // Short runs would have it drawn more often than anyone can read.
    constexpr auto kInterval = std::chrono::milliseconds(100);
    if (width_ == 0 || Clock::now() - shown_ < kInterval) return;
    shown_ = Clock::now();
    std::vector<RunProgress> running;
    for (const RunUnderway& run : underway) running.push_back(progress_of(run, run.name));
    show_line(progress_line(done, total, running, width_ - 1));
  }
  void clear() const {
    if (width_ > 0) show_line("");
  }

 private:
  std::size_t width_ = stderr_width();
  Clock::time_point shown_;
};

/// Hands on the records of runs that have finished.
bool keep_finished(const std::vector<std::unique_ptr<VariantRun>>& runs, const std::vector<std::size_t>& finished,
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

std::vector<RunOutcome> run_all(const std::vector<ScenarioVariant>& variants, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const KeepRuns& keep, const CapturePath& capture_path,
                                const FindingsByVariant& findings) {
  std::vector<std::unique_ptr<VariantRun>> runs;
  std::vector<RunToMake*> to_make;
  for (const std::size_t number : numbers) {
    const bool captures = capture_path && !variants[number].settings.capture.links.empty();
    runs.push_back(std::make_unique<VariantRun>(variants[number], number,
                                                findings.empty() ? nullptr : &findings[number],
                                                captures ? capture_path(number) : std::filesystem::path()));
    to_make.push_back(runs.back().get());
  }
  ProgressLine line;
  RunnerOptions options;
  options.threads = jobs;
  options.keep = [&](const std::vector<std::size_t>& finished) { return keep_finished(runs, finished, keep); };
  options.watch = [&line](std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway) {
    line.show(done, total, underway);
  };
  options.stop = interrupted;
  const std::vector<RunEnd> ends = run_side_by_side(to_make, options);
  line.clear();
  std::vector<RunOutcome> outcomes(variants.size());
  for (std::size_t i = 0; i < runs.size(); ++i) {
    RunOutcome& outcome = outcomes[runs[i]->number()] = std::move(runs[i]->outcome);
    outcome.started = ends[i].started;
    outcome.error = ends[i].error;
  }
  return outcomes;
}

}  // namespace weir::apps
