// SPDX-License-Identifier: Apache-2.0
// What an offer comes to on links of a network whose pairs of hosts are too many to look at one by one.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "check/offers.h"
#include "net/switch_loads.h"

namespace weir {

/// What one source offers: single pairs of hosts, and runs of destinations alike.
struct LargeOffer : OfferTimes {
  struct Pair {
    HostId source;
    HostId destination;
    double data = 0;
    double acknowledgements = 0;
  };
  struct Run {
    TrafficRun run;   ///< its share is bit/s of payload
    double data = 0;  ///< bit/s on the wire to each destination
    double acknowledgements = 0;
  };
  void add(HostId from, HostId to, double data, double acknowledgements) {
    if (from != to) pairs.push_back({from, to, data, acknowledgements});
  }
  void add_run(const TrafficRun& run, const WireCost& cost) {
    runs.push_back({run, run.share * cost.data, run.share * cost.acknowledgements});
  }
  /// What the runs are of.
  void keep(std::unique_ptr<TrafficSource> source) { kept.push_back(std::move(source)); }

  std::vector<Pair> pairs;
  std::vector<Run> runs;
  std::vector<std::unique_ptr<TrafficSource>> kept;
};

/// On one direction of a link, in bit/s; pairs of hosts are counted.
struct LargeLoad {
  NodeId from;
  PortId port;
  double data = 0;
  double acknowledgements = 0;
  double pairs = 0;
};

/// With all links up and next hops without weights. Each direction that is offered anything once.
std::vector<LargeLoad> large_load(const Topology& topology, SwitchLoads& loads, const LargeOffer& offer);

}  // namespace weir
