// SPDX-License-Identifier: Apache-2.0
// The parsed form of a [[traffic]] table: a source of flows, and its properties known before the run.
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
  bool enabled = true;             ///< false: omitted by a variant
  bool overload_intended = false;  ///< the links that it loads may be overloaded
  bool endless = false;            ///< ends only when the run stops
  Priority priority = 3;           ///< of its data, unless `list` gives one
  Time start;
  Time stop = Time::never();
  std::vector<HostId> incast_destinations;
  /// For kinds that draw their flows: the sizes between two hosts that are offered this payload rate in bit/s; at zero,
  /// if their rate depends on the network.
  std::function<FlowSize(double payload_rate)> size;
  /// For kinds that list their flows: the list for a run's seed.
  std::function<std::vector<FlowSpec>(std::uint64_t seed)> list;
  Duration load_window;  ///< period over which the list counts as offered load; zero: no stated load
  /// Creates the source for a run's seed.
  std::function<std::unique_ptr<TrafficSource>(std::uint64_t seed)> make;
};

}  // namespace weir
