// SPDX-License-Identifier: Apache-2.0
// The load on links of a network with too many pairs of hosts to examine individually.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "check/offers.h"
#include "net/switch_loads.h"

namespace weir {

/// The load that one source offers: individual pairs of hosts, and runs of equal destinations.
struct LargeOffer : OfferTimes {
  struct Pair {
    HostId source;
    HostId destination;
    double data = 0;
    double acknowledgements = 0;
    double credits = 0;
  };
  struct Run {
    TrafficRun run;   ///< its share is in bit/s of payload
    double data = 0;  ///< bit/s on the wire to each destination
    double acknowledgements = 0;
    double credits = 0;
  };
  void add(HostId from, HostId to, double payload, const WireCost& cost) {
    if (from == to) return;
    pairs.push_back({from, to, payload * cost.data, payload * cost.acknowledgements, payload * cost.credits});
  }
  void add_run(const TrafficRun& run, const WireCost& cost) {
    runs.push_back({run, run.share * cost.data, run.share * cost.acknowledgements, run.share * cost.credits});
  }
  /// Keeps the source whose destinations the runs refer to.
  void keep(std::unique_ptr<TrafficSource> source) { kept.push_back(std::move(source)); }

  std::vector<Pair> pairs;
  std::vector<Run> runs;
  std::vector<std::unique_ptr<TrafficSource>> kept;
};

/// The load on one direction of a link, in bit/s, see WireCost; pairs of hosts are counted.
struct LargeLoad {
  NodeId from;
  PortId port;
  double data = 0;
  double acknowledgements = 0;
  double credits = 0;
  double pairs = 0;
};

/// With all links up and next hops without weights. Contains each direction with offered load once.
std::vector<LargeLoad> large_load(const Topology& topology, SwitchLoads& loads, const LargeOffer& offer);

}  // namespace weir
