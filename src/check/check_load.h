// SPDX-License-Identifier: Apache-2.0
// What traffic offers to every link, before a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "scenario/traffic_entry.h"

namespace weir {

/// What is offered to one direction of a link at the time when most is offered to it, as parts of its rate. See
/// WireCost for what is counted.
struct CheckedLink {
  NodeId from;
  PortId port;
  double data = 0;
  double acknowledgements = 0;       ///< of data that goes the other way
  double pairs = 0;                  ///< of hosts whose data that is, as routes divide them
  Time at;                           ///< from when
  std::vector<std::string> sources;  ///< the traffic that loads it then
  bool intended = false;             ///< some of that traffic says overload = "intended"

  [[nodiscard]] double offered() const { return data + acknowledgements; }
  /// Is offered more than its rate; what lies between is rounding.
  [[nodiscard]] bool overloaded() const { return offered() > 1 + 1e-9; }
};

/// The network between two changes of its routes.
struct CheckedState {
  Time from;
  Time until = Time::never();
  std::vector<LinkId> failed;      ///< links that the routes avoid
  std::vector<CheckedLink> links;  ///< both directions of all links, the one that is offered most first
  double undelivered = 0;          ///< bit/s on the wire that have no way to their destination, at most
};

/// One state for the start and one for each later change of routes: from its `failure_detection` after links fail or
/// come back. What happens between a failure and its detection is not looked at.
///
/// Counted is what does not depend on the network: flows that arrive at a stated rate or load, for as long as their
/// source is active; and single flows with a rate limit, at that limit or their line rate, from their start until they
/// have sent their size or are stopped. Other flows take what they get.
///
/// From `large` hosts on, pairs of hosts are not looked at one by one where there are no failures and weights.
std::vector<CheckedState> check_load(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                                     std::size_t large = 4096);

}  // namespace weir
