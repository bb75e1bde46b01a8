// SPDX-License-Identifier: Apache-2.0
// What a user sees while runs go on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/runner.h"
#include "units/time.h"

namespace weir::apps {

/// How far one run is.
struct RunProgress {
  std::string name;  ///< of the variant; may be empty
  Duration simulated;
  Time stop = Time::never();  ///< when no more flows start; never: unknown
  std::uint64_t packet_hops = 0;
  std::uint64_t flows_started = 0;
  std::uint64_t flows_completed = 0;
  double wall_seconds = 0;
};

/// How far a run is now, with the name that it is shown by.
RunProgress progress_of(const RunUnderway& run, const std::string& name);

/// "pfc: 1.2 of 10 ms, 340 of 400 flows, 12.1 M hops/s, 3 s left". The time left is what the part of the simulated time
/// up to `stop` suggests; after it the run drains.
std::string progress_of(const RunProgress& run);

/// "40 s", "12 min", "3.4 h"
std::string duration_text(double seconds);

/// How long all runs that are not done will still take, when those that are underway have the parts done that their
/// progress tells: nothing as long as too little is done to say it.
std::optional<double> seconds_left(std::size_t done, std::size_t all, const std::vector<RunProgress>& running,
                                   double elapsed_seconds);

/// "12 of 80 done, 3 min left"
std::string done_text(std::size_t done, std::size_t all, std::optional<double> seconds_left);

/// One line for all: how many are done, then each that runs; in fewer words, and then cut, to fit `width` columns.
std::string progress_line(std::size_t done, std::size_t all, const std::vector<RunProgress>& running, std::size_t width,
                          std::optional<double> seconds_left = std::nullopt);

}  // namespace weir::apps
