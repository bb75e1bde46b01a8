// SPDX-License-Identifier: Apache-2.0
// Closed loops: the completion of a message of a pair of hosts starts the pair's next message.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traffic/arrivals.h"
#include "traffic/flow_size.h"
#include "traffic/hosts.h"
#include "traffic/source.h"
#include "units/deadline_heap.h"
#include "units/random.h"

namespace weir {

struct ClosedLoopSettings {
  SourceSettings flows;
  std::vector<HostPair> pairs;
  FlowSize size;
  std::uint32_t outstanding = 1;       ///< messages in flight per pair
  bool persistent_queue_pairs = true;  ///< one queue pair per pair of hosts; otherwise a new one per message
  ArrivalShape think{ArrivalShape::Kind::constant};
  double mean_think_picoseconds = 0.0;  ///< from a completion to the next start
  std::uint64_t messages_per_pair = std::numeric_limits<std::uint64_t>::max();
  Duration jitter;  ///< each first message starts after flows.start by a time uniform in [0, jitter]
};

/// Errors in the settings; empty if there are none.
std::vector<std::string> problems(const ClosedLoopSettings& settings);

/// Each pair keeps `outstanding` messages in flight. Each pair has its own random streams, so its sizes do not depend
/// on the completion times of other pairs.
class ClosedLoopSource final : public TrafficSource {
 public:
  /// `settings` must pass problems(); sources of one run need different seeds.
  ClosedLoopSource(ClosedLoopSettings settings, std::uint64_t seed);

  [[nodiscard]] Time next_start() const override { return due_.earliest(); }
  FlowSpec take() override;
  [[nodiscard]] bool follows_completions() const override { return true; }
  void on_completed(const FlowSpec& flow, Time now) override;
  [[nodiscard]] std::uint64_t connections() const override {
    return settings_.persistent_queue_pairs ? settings_.pairs.size() : 0;
  }
  /// Visits nothing, because its flows are elastic.
  void offered(const OfferedRate& visit) const override;

 private:
  void schedule(std::uint32_t slot, Time start);

  struct Pair {
    RandomStream sizes;
    RandomStream think_times;
    ArrivalProcess think;
    std::uint64_t messages = 0;  // started or scheduled
  };
  ClosedLoopSettings settings_;
  std::vector<Pair> pairs_;
  DeadlineHeap due_;  // by slot = pair x outstanding + index
  std::uint64_t taken_ = 0;
};

}  // namespace weir
