// SPDX-License-Identifier: Apache-2.0
// What a scenario's [[traffic]] becomes: a source of flows, and what is known of it beforehand.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traffic/flow_size.h"
#include "traffic/source.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir {

/// One source of traffic of a scenario.
struct TrafficEntry {
  std::string name;
  std::string kind;
  bool enabled = true;             ///< false: a variant has left it out
  bool overload_intended = false;  ///< links that it loads may be offered more than they carry
  bool endless = false;            ///< it ends by the run's stop only
  Priority priority = 3;           ///< of its data, where `list` does not say
  Time start;
  Time stop = Time::never();
  std::vector<HostId> incast_destinations;
  /// Of kinds that draw their flows: their size between two hosts that this payload rate in bit/s is offered to.
  std::function<FlowSize(double payload_rate)> size;
  /// Of kinds that list their flows: the list for the seed of a run.
  std::function<std::vector<FlowSpec>(std::uint64_t seed)> list;
  Duration load_window;  ///< over which the list counts as offered load; zero: its flows take what they get
  /// Makes the source for the seed of a run.
  std::function<std::unique_ptr<TrafficSource>(std::uint64_t seed)> make;
};

}  // namespace weir
