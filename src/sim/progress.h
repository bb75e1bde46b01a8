// SPDX-License-Identifier: Apache-2.0
// The progress of a run, for observation from another thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

/// Written by the simulation from time to time (not at every event) and readable by any thread; `stop` is written by
/// others. Never part of the result.
struct Progress {
  std::atomic<std::int64_t> simulated_picoseconds{0};
  std::atomic<std::uint64_t> packet_hops{0};
  std::atomic<std::uint64_t> flows_started{0};
  std::atomic<std::uint64_t> flows_completed{0};
  std::atomic<bool> stop{false};  ///< asks the run to end at the next safe point, marked interrupted
};

}  // namespace weir
