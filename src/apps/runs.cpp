#include "apps/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/progress_text.h"
#include "capture/link_capture.h"
#include "sim/progress.h"
#include "sim/simulation.h"
#include "sim/version.h"

namespace weir::apps {
namespace {

using Clock = std::chrono::steady_clock;

/// Records that wait to be kept, at most: where runs are short they are kept together, and memory stays bounded.
constexpr std::size_t kWaitingRecords = 64;

/// One variant on its way.
struct Job {
  const ScenarioVariant* variant = nullptr;
  std::size_t number = 0;  ///< of the variant
  std::filesystem::path capture;
  const std::vector<RunFinding>* findings = nullptr;  ///< of the variant; null: none
  RunOutcome outcome;
  std::optional<RunRecord> record;  ///< until it is kept
  Progress progress;
  Clock::time_point began;
  enum class State : std::uint8_t { waiting, running, done };
  std::atomic<State> state{State::waiting};
};

/// Hands jobs to threads, watches them, and hands on what they give.
class Runner {
 public:
  Runner(const std::vector<ScenarioVariant>& variants, const std::vector<std::size_t>& numbers, std::size_t threads,
         const KeepRuns& keep, const CapturePath& capture_path, const FindingsByVariant& findings)
      : keep_(keep), outcomes_(variants.size()) {
    for (const std::size_t number : numbers) {
      jobs_.push_back(std::make_unique<Job>());
      jobs_.back()->variant = &variants[number];
      jobs_.back()->number = number;
      if (!findings.empty()) jobs_.back()->findings = &findings[number];
      if (capture_path && !variants[number].settings.capture.links.empty())
        jobs_.back()->capture = capture_path(number);
    }
    threads = std::min(threads, jobs_.size());
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  std::vector<RunOutcome> finish() {
    watch();
    for (std::thread& thread : threads_) thread.join();
    for (auto& job : jobs_) outcomes_[job->number] = std::move(job->outcome);
    return std::move(outcomes_);
  }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= jobs_.size()) return;
      Job& job = *jobs_[index];
      if (!stopped()) run(job);
      job.state = Job::State::done;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [this] { return finished_.size() < kWaitingRecords; });
        finished_.push_back(&job);
      }
      changed_.notify_one();
    }
  }

  static void run(Job& job) {
    job.began = Clock::now();
    job.outcome.started = true;
    job.state = Job::State::running;
    try {
      Simulation simulation(job.variant->settings);
      const std::unique_ptr<LinkCapture> capture = begin_capture(job, simulation);
      job.record = simulation.run(&job.progress);
      if (job.findings != nullptr) {
        job.record->findings.insert(job.record->findings.begin(), job.findings->begin(), job.findings->end());
      }
      if (capture) end_capture(*capture, job);
      job.outcome.summary = summarise(*job.record);
    } catch (const std::bad_alloc&) {
      job.outcome.error = "there is not enough memory";
    } catch (const std::exception& exception) {
      job.outcome.error = exception.what();
    }
    if (!job.outcome.error.empty()) job.record.reset();
  }

  static std::unique_ptr<LinkCapture> begin_capture(const Job& job, Simulation& simulation) {
    if (job.capture.empty()) return nullptr;
    const Settings& settings = job.variant->settings;
    std::error_code ignored;  // the file says it again
    std::filesystem::create_directories(job.capture.parent_path(), ignored);
    auto capture = std::make_unique<LinkCapture>(settings.network.topology, settings.capture, job.capture,
                                                 fmt::format("weir {}", kVersion));
    simulation.tap(settings.capture.links, *capture);
    return capture;
  }

  static void end_capture(LinkCapture& capture, Job& job) {
    job.outcome.capture_error = capture.commit().value_or("");
    if (capture.left_out() > 0) {
      job.outcome.capture_note = fmt::format("{}: {} frames more came after capture.frame_limit = {}",
                                             job.capture.string(), capture.left_out(), capture.written());
    } else if (capture.not_representable() > 0) {
      job.outcome.capture_note = fmt::format("{}: {} frames have no form on real links and were left out",
                                             job.capture.string(), capture.not_representable());
    }
  }

  /// Until all are done: passes interrupts on, shows progress, and keeps what is finished.
  void watch() {
    constexpr auto kInterval = std::chrono::milliseconds(100);
    const std::size_t width = stderr_width();
    while (done_ < jobs_.size()) {
      std::vector<Job*> finished;
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kInterval, [this] { return !finished_.empty(); });
        finished.swap(finished_);
      }
      room_.notify_all();
      keep(finished);
      done_ += finished.size();
      if (stopped()) {
        for (auto& job : jobs_) job->progress.stop = true;
      }
      // Short runs would have it drawn more often than anyone can read.
      if (width > 0 && Clock::now() - shown_ >= kInterval) show(width);
    }
    if (width > 0) show_line("");
  }

  void keep(const std::vector<Job*>& finished) {
    std::vector<FinishedRun> runs;
    for (const Job* job : finished) {
      if (job->record)
        runs.push_back({.variant = job->number, .record = &*job->record, .summary = &*job->outcome.summary});
    }
    if (keep_ && !runs.empty() && !keep_(runs)) refused_ = true;
    for (Job* job : finished) job->record.reset();
  }

  [[nodiscard]] bool stopped() const { return interrupted() || refused_; }

  void show(std::size_t width) {
    shown_ = Clock::now();
    std::vector<RunProgress> running;
    for (const auto& job : jobs_) {
      if (job->state != Job::State::running) continue;
      running.push_back({.name = job->variant->name,
                         .simulated = Duration::picoseconds(job->progress.simulated_picoseconds),
                         .stop = job->variant->settings.run.stop,
                         .packet_hops = job->progress.packet_hops,
                         .flows_started = job->progress.flows_started,
                         .flows_completed = job->progress.flows_completed,
                         .wall_seconds = std::chrono::duration<double>(Clock::now() - job->began).count()});
    }
    show_line(progress_line(done_, jobs_.size(), running, width - 1));
  }

  /// In place of the line before.
  static void show_line(const std::string& line) {
    const std::string text = "\r\x1b[K" + line;
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  }

  const KeepRuns& keep_;
  std::vector<RunOutcome> outcomes_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> refused_{false};  // nothing more is kept
  std::size_t done_ = 0;
  Clock::time_point shown_;
  std::mutex mutex_;
  std::condition_variable changed_;  // a run has finished
  std::condition_variable room_;     // finished_ was emptied
  std::vector<Job*> finished_;       // under mutex_: not yet kept
};

}  // namespace

std::vector<RunOutcome> run_all(const std::vector<ScenarioVariant>& variants, const std::vector<std::size_t>& numbers,
                                std::size_t jobs, const KeepRuns& keep, const CapturePath& capture_path,
                                const FindingsByVariant& findings) {
  if (jobs == 0) jobs = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  Runner runner(variants, numbers, jobs, keep, capture_path, findings);
  return runner.finish();
}

}  // namespace weir::apps
