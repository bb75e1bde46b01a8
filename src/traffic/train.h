// SPDX-License-Identifier: Apache-2.0
// Trains: sequences of back-to-back flows.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traffic/hosts.h"
#include "traffic/source.h"
#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/deadline_heap.h"

namespace weir {

struct TrainSettings {
  SourceSettings flows;
  std::vector<HostPair> pairs;  ///< each with its own train
  Bytes size;                   ///< per flow
  /// Payload rate of each train: flow n of a train starts n sizes later at this rate. For a train that fills a link it
  /// is the link's rate times the ratio of payload to wire bytes of a packet.
  BitRate rate;
  std::uint64_t flows_per_train = std::numeric_limits<std::uint64_t>::max();
  Duration jitter;  ///< each train is shifted as a whole by a time uniform in [0, jitter]
};

/// Errors in the settings; empty if there are none.
std::vector<std::string> problems(const TrainSettings& settings);

/// Each pair's source starts flows of one size back to back from flows.start to flows.stop, open loop, each on a new
/// queue pair: no flow lasts long enough for end-to-end congestion control to slow it down. For example, in spfc III N
/// hosts send 64 KB flows (5.5 us at 100 Gbit/s) from 1 ms on for 11 ms. Without jitter the trains are in step.
class TrainSource final : public TrafficSource {
 public:
  /// `settings` must pass problems(); sources of one run need different seeds.
  TrainSource(TrainSettings settings, std::uint64_t seed);

  [[nodiscard]] Time next_start() const override { return due_.earliest(); }
  FlowSpec take() override;
  void offered(const OfferedRate& visit) const override;

 private:
  void schedule(std::uint32_t train);

  struct Train {
    Time first;
    std::uint64_t flows = 0;  // taken
  };
  TrainSettings settings_;
  std::vector<Train> trains_;
  DeadlineHeap due_;  // by train
  std::uint64_t taken_ = 0;
};

}  // namespace weir
