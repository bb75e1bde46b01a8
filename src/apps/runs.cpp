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
#include <thread>

#include "apps/console.h"
#include "apps/interrupt.h"
#include "apps/progress_text.h"
#include "sim/progress.h"
#include "sim/simulation.h"

namespace weir::apps {
namespace {

using Clock = std::chrono::steady_clock;

/// One variant on its way.
struct Job {
  const ScenarioVariant* variant = nullptr;
  RunOutcome outcome;
  Progress progress;
  Clock::time_point began;
  enum class State : std::uint8_t { waiting, running, done };
  std::atomic<State> state{State::waiting};
};

/// Hands jobs to threads and watches them.
class Runner {
 public:
  Runner(const std::vector<ScenarioVariant>& variants, std::size_t threads) {
    for (const ScenarioVariant& variant : variants) {
      jobs_.push_back(std::make_unique<Job>());
      jobs_.back()->variant = &variant;
    }
    threads = std::min(threads, jobs_.size());
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }

  std::vector<RunOutcome> finish() {
    watch();
    for (std::thread& thread : threads_) thread.join();
    std::vector<RunOutcome> out;
    for (auto& job : jobs_) out.push_back(std::move(job->outcome));
    return out;
  }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= jobs_.size()) return;
      Job& job = *jobs_[index];
      if (!interrupted()) run(job);
      {
        const std::lock_guard lock(mutex_);
        job.state = Job::State::done;
        ++done_;
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
      job.outcome.record = simulation.run(&job.progress);
    } catch (const std::bad_alloc&) {
      job.outcome.error = "there is not enough memory";
    } catch (const std::exception& exception) {
      job.outcome.error = exception.what();
    }
  }

  /// Until all are done: passes interrupts on and shows progress.
  void watch() {
    constexpr auto kInterval = std::chrono::milliseconds(100);
    const std::size_t width = stderr_width();
    std::unique_lock lock(mutex_);
    while (done_ < jobs_.size()) {
      changed_.wait_for(lock, kInterval);
      if (interrupted()) {
        for (auto& job : jobs_) job->progress.stop = true;
      }
      if (width > 0) show(width);
    }
    if (width > 0) show_line("");
  }

  void show(std::size_t width) const {
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

  std::vector<std::unique_ptr<Job>> jobs_;
  std::vector<std::thread> threads_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t done_ = 0;  // under mutex_
};

}  // namespace

std::vector<RunOutcome> run_all(const std::vector<ScenarioVariant>& variants, std::size_t jobs) {
  if (jobs == 0) jobs = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  Runner runner(variants, jobs);
  return runner.finish();
}

}  // namespace weir::apps
