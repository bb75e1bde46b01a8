// SPDX-License-Identifier: Apache-2.0
// Background traffic: flows whose arrival does not depend on the network.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "traffic/arrivals.h"
#include "traffic/flow_size.h"
#include "traffic/source.h"
#include "traffic/traffic_matrix.h"
#include "units/bit_rate.h"
#include "units/random.h"

namespace weir {

struct OpenLoopSettings {
  SourceSettings flows;
  TrafficMatrix matrix;
  FlowSize size;
  ArrivalShape arrivals;
  BitRate offered;  ///< mean payload rate of the whole source; see load.h
  /// One queue pair per pair of hosts: flows are messages that wait for each other (rocc 6.3). Otherwise one per flow.
  bool persistent_queue_pairs = false;
};

/// Errors in the settings; empty if there are none.
std::vector<std::string> problems(const OpenLoopSettings& settings);

/// One aggregate arrival process; the pair and size of each flow are drawn independently.
///
/// With exponential intervals this is statistically equivalent to one independent Poisson process per pair (floodgate,
/// pyrrha) or per host (spfc VII.C), with much less state. With lognormal intervals (bfc 6.2.1) the paper specifies the
/// aggregate. The first flow arrives one interval after flows.start.
class OpenLoopSource final : public TrafficSource {
 public:
  /// `settings` must pass problems(); sources of one run need different seeds.
  OpenLoopSource(OpenLoopSettings settings, std::uint64_t seed);

  [[nodiscard]] Time next_start() const override { return next_; }
  FlowSpec take() override;
  [[nodiscard]] std::uint64_t connections() const override;
  void offered(const OfferedRate& visit) const override;
  /// The same, one source at a time: TrafficRun::share is the payload rate in bit/s to each destination.
  void offered_runs(const std::function<void(const TrafficRun&)>& visit) const;

 private:
  void advance(Time from);

  OpenLoopSettings settings_;
  ArrivalProcess arrivals_;
  RandomStream intervals_;
  RandomStream pairs_;
  RandomStream sizes_;
  Time next_;
  std::uint64_t taken_ = 0;
};

}  // namespace weir
