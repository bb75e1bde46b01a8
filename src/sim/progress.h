// SPDX-License-Identifier: Apache-2.0
// How far a run is, for whoever watches it from another thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir {

/// Written by the simulation now and then (not at every event), read by anyone; `stop` goes the other way. Never part
/// of the result.
struct Progress {
  std::atomic<std::int64_t> simulated_picoseconds{0};
  std::atomic<std::uint64_t> packet_hops{0};
  std::atomic<std::uint64_t> flows_started{0};
  std::atomic<std::uint64_t> flows_completed{0};
  std::atomic<bool> stop{false};  ///< asks the run to end at the next safe point, marked interrupted
};

}  // namespace weir
