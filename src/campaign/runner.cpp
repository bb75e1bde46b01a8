// SPDX-License-Identifier: Apache-2.0
#include "campaign/runner.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

namespace weir {
namespace {

/// One run in progress.
struct Job {
  RunToMake* run = nullptr;
  RunEnd end;
  Progress progress;
  Time stop = Time::never();
  std::chrono::steady_clock::time_point began;
  enum class State : std::uint8_t { waiting, running, done };
  std::atomic<State> state{State::waiting};
};

/// Assigns jobs to threads, monitors them, and passes on the finished ones.
class Runner {
 public:
  Runner(const std::vector<RunToMake*>& runs, const RunnerOptions& options) : options_(options) {
    for (RunToMake* run : runs) {
      jobs_.push_back(std::make_unique<Job>());
      jobs_.back()->run = run;
    }
  }

  std::vector<RunEnd> run() {
    const std::size_t wanted = options_.threads > 0 ? options_.threads : std::thread::hardware_concurrency();
    const std::size_t count = std::min(std::max<std::size_t>(wanted, 1), jobs_.size());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    watch();
    for (std::thread& thread : threads) thread.join();
    std::vector<RunEnd> out;
    for (const auto& job : jobs_) out.push_back(std::move(job->end));
    return out;
  }

 private:
  void work() {
    for (;;) {
      const std::size_t index = next_.fetch_add(1);
      if (index >= jobs_.size()) return;
      Job& job = *jobs_[index];
      if (!stopped()) make(job);
      job.state = Job::State::done;
      {
        std::unique_lock lock(mutex_);
        room_.wait(lock, [this] { return finished_.size() < kMostUnkept; });
        finished_.push_back(index);
      }
      changed_.notify_one();
    }
  }

  static void make(Job& job) {
    job.end.started = true;
    try {
      const Settings& settings = job.run->settings();
      job.stop = settings.run.stop;
      job.began = std::chrono::steady_clock::now();
      job.state = Job::State::running;
      Simulation simulation(settings);
      job.run->begin(simulation);
      job.run->end(simulation.run(&job.progress));
    } catch (const std::bad_alloc&) {
      job.end.error = "not enough memory";
    } catch (const std::exception& exception) {
      job.end.error = exception.what();
    }
  }

  /// Until all runs are done: forwards stop requests to them, and reports progress to the caller.
  void watch() {
    constexpr auto kInterval = std::chrono::milliseconds(100);
    std::size_t done = 0;
    while (done < jobs_.size()) {
      std::vector<std::size_t> finished;
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kInterval, [this] { return !finished_.empty(); });
        finished.swap(finished_);
      }
      room_.notify_all();
      done += finished.size();
      std::sort(finished.begin(), finished.end());
      if (options_.keep && !finished.empty() && !options_.keep(finished)) refused_ = true;
      if (options_.watch) options_.watch(done, jobs_.size(), underway());
      if (stopped()) {
        for (auto& job : jobs_) job->progress.stop = true;
      }
    }
  }

  [[nodiscard]] bool stopped() const { return refused_ || (options_.stop && options_.stop()); }

  [[nodiscard]] std::vector<RunUnderway> underway() const {
    std::vector<RunUnderway> out;
    for (const auto& job : jobs_) {
      if (job->state == Job::State::running) out.push_back({job->run->name(), &job->progress, job->stop, job->began});
    }
    return out;
  }

  const RunnerOptions& options_;
  std::vector<std::unique_ptr<Job>> jobs_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> refused_{false};  // no more runs are accepted
  std::mutex mutex_;
  std::condition_variable changed_;    // a run has finished
  std::condition_variable room_;       // finished_ was emptied
  std::vector<std::size_t> finished_;  // under mutex_: not yet passed on
};

}  // namespace

std::vector<RunEnd> run_side_by_side(const std::vector<RunToMake*>& runs, const RunnerOptions& options) {
  return Runner(runs, options).run();
}

}  // namespace weir
