// SPDX-License-Identifier: Apache-2.0
// What the pause watchdogs of the switches did in a run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "fabric/fabric.h"
#include "results/finding.h"

namespace weir {

/// Counts the storms that watchdogs found, by the gate, and the frames that they dropped.
class WatchdogTally {
 public:
  WatchdogTally(const Fabric& fabric, const Settings& settings) : fabric_(fabric), settings_(settings) {}

  void on_storm(const SwitchContext& context, PortId port, Priority priority, QueueId queue, bool begins);
  void on_drop(const SwitchContext& context, const Frame& frame, DropReason reason);
  /// Where they found storms, the most first, what they did, and when the first began; nothing: they found none.
  [[nodiscard]] std::optional<RunFinding> finding(Time end) const;

 private:
  struct Storms {
    std::uint64_t number = 0;
    Time first;
    Time since;      // while one goes on
    Duration total;  // of those that are over
    bool goes_on = false;
  };
  using Place = std::tuple<std::uint32_t, Priority, QueueId>;  // channel; no queue: the gate of the priority

  const Fabric& fabric_;
  const Settings& settings_;
  std::map<Place, Storms> storms_;
  std::map<std::uint32_t, std::uint64_t> dropped_;  // by channel
};

}  // namespace weir
