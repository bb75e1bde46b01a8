// SPDX-License-Identifier: Apache-2.0
// Parallel runs on threads, used by weir run, compare and reproduce.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "results/run_record.h"
#include "sim/progress.h"
#include "sim/simulation.h"

namespace weir {

/// A run to be made, and the consumer of its result. The runner calls settings(), begin() and end() at most once each,
/// in this order and from one thread. Exceptions that they throw become the run's error.
class RunToMake {
 public:
  RunToMake() = default;
  RunToMake(const RunToMake&) = delete;
  RunToMake& operator=(const RunToMake&) = delete;
  virtual ~RunToMake() = default;

  /// For messages. Other threads also read it.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// The settings of the run, computed when it is about to start. They must remain valid until end() has returned.
  virtual const Settings& settings() = 0;
  /// Called before the first event, for example to attach taps.
  virtual void begin(Simulation& /*simulation*/) {}
  /// Takes the record of a run that has ended or was interrupted (RunRecord::interrupted).
  virtual void end(RunRecord record) = 0;
};

/// A run in progress.
struct RunUnderway {
  std::string name;
  const Progress* progress = nullptr;
  Time stop = Time::never();
  std::chrono::steady_clock::time_point began;
};

struct RunnerOptions {
  std::size_t threads = 1;  ///< parallel runs; 0: one per core
  /// Takes the indices of the runs that have finished since the last call, in ascending order, whatever their outcome.
  /// Called by the thread that called run_side_by_side(). If it returns false, no more runs start, and those in
  /// progress are interrupted and passed to it too.
  std::function<bool(const std::vector<std::size_t>& finished)> keep;
  /// Called by the same thread several times per second, and after keep.
  std::function<void(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway)> watch;
  /// Whether to stop; called by all threads. Then no more runs start, and those in progress are interrupted at their
  /// next safe point. Complete runs remain complete.
  std::function<bool()> stop;
};

/// The outcome of a run.
struct RunEnd {
  bool started = false;  ///< false: a stop was requested before it started
  std::string error;     ///< why a run that started has no record
};

/// Makes the runs, in order as threads become free, and returns the outcome of each. Up to kMostUnkept finished runs
/// wait for RunnerOptions::keep, so memory is bounded even if runs are short.
std::vector<RunEnd> run_side_by_side(const std::vector<RunToMake*>& runs, const RunnerOptions& options);
inline constexpr std::size_t kMostUnkept = 64;

}  // namespace weir
