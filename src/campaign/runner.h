// SPDX-License-Identifier: Apache-2.0
// Runs side by side on threads: what weir run, compare and reproduce have in common.
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

/// A run that is to be made, and what is done with what it gives. The runner calls settings(), begin() and end() once
/// each at most, in this order and from one thread. What they throw becomes the run's error.
class RunToMake {
 public:
  RunToMake() = default;
  RunToMake(const RunToMake&) = delete;
  RunToMake& operator=(const RunToMake&) = delete;
  virtual ~RunToMake() = default;

  /// For messages. Read by other threads too.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// What is run, worked out when it is the run's turn. It must stay until end() has returned.
  virtual const Settings& settings() = 0;
  /// Before the first event: taps.
  virtual void begin(Simulation& /*simulation*/) {}
  /// Takes the record of a run that has ended or was interrupted (RunRecord::interrupted).
  virtual void end(RunRecord record) = 0;
};

/// A run that is on its way.
struct RunUnderway {
  std::string name;
  const Progress* progress = nullptr;
  Time stop = Time::never();
  std::chrono::steady_clock::time_point began;
};

struct RunnerOptions {
  std::size_t threads = 1;  ///< runs side by side; 0: one a core
  /// Takes the numbers of the runs that have finished since the last call, ascending, whatever became of them. Called
  /// by the thread that called run_side_by_side(). False: no more runs start, and those under way are interrupted and
  /// given to it too.
  std::function<bool(const std::vector<std::size_t>& finished)> keep;
  /// Called by the same thread several times a second, and after keep.
  std::function<void(std::size_t done, std::size_t total, const std::vector<RunUnderway>& underway)> watch;
  /// Whether the end is asked for. All threads ask. Then no more runs start, and those under way are interrupted at
  /// their next safe point. What is complete stays complete.
  std::function<bool()> stop;
};

/// What became of a run.
struct RunEnd {
  bool started = false;  ///< false: the end was asked for before its turn came
  std::string error;     ///< why a run that started gave no record
};

/// Makes the runs, in their order as threads are free, and says what became of each. Up to kMostUnkept finished runs
/// wait for RunnerOptions::keep, so that memory stays bounded where runs are short.
std::vector<RunEnd> run_side_by_side(const std::vector<RunToMake*>& runs, const RunnerOptions& options);
inline constexpr std::size_t kMostUnkept = 64;

}  // namespace weir
