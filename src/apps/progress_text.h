// SPDX-License-Identifier: Apache-2.0
// The progress of runs, shown to the user.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/runner.h"
#include "units/time.h"

namespace weir::apps {

/// The progress of one run.
struct RunProgress {
  std::string name;  ///< of the variant; may be empty
  Duration simulated;
  Time stop = Time::never();  ///< no flows start from then on; never: unknown
  std::uint64_t packet_hops = 0;
  std::uint64_t flows_started = 0;
  std::uint64_t flows_completed = 0;
  double wall_seconds = 0;
};

/// The current progress of a run, with the name under which it is shown.
RunProgress progress_of(const RunUnderway& run, const std::string& name);

/// "pfc: 1.2 of 10 ms, 340 of 400 flows, 12.1 M hops/s, 3 s left". The remaining time is extrapolated from the part of
/// the simulated time up to `stop`; after it the run drains.
std::string progress_of(const RunProgress& run);

/// "40 s", "12 min", "3.4 h"
std::string duration_text(double seconds);

/// Estimated remaining time of all unfinished runs, given the progress of those in progress; nullopt while too little
/// is done for an estimate.
std::optional<double> seconds_left(std::size_t done, std::size_t all, const std::vector<RunProgress>& running,
                                   double elapsed_seconds);

/// "12 of 80 done, 3 min left"
std::string done_text(std::size_t done, std::size_t all, std::optional<double> seconds_left);

/// One line for all runs: how many are done, then each run in progress; abbreviated, and then cut, to fit `width`
/// columns.
std::string progress_line(std::size_t done, std::size_t all, const std::vector<RunProgress>& running, std::size_t width,
                          std::optional<double> seconds_left = std::nullopt);

}  // namespace weir::apps
