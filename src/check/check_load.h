// SPDX-License-Identifier: Apache-2.0
// The load that traffic offers to every link, before a run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "scenario/traffic_entry.h"

namespace weir {

/// The load offered to one direction of a link at the time of its maximum demand, as fractions of the link's rate. See
/// WireCost for what is counted.
struct CheckedLink {
  NodeId from;
  PortId port;
  double data = 0;
  double acknowledgements = 0;       ///< of data in the opposite direction
  double credits = 0;                ///< of the share of the rate that credits may take
  double pairs = 0;                  ///< number of host pairs of that data, as divided by routes
  Time at;                           ///< begin of the maximum
  std::vector<std::string> sources;  ///< the traffic that loads it at that time
  bool intended = false;             ///< some of that traffic sets overload = "intended"

  [[nodiscard]] double offered() const { return data + acknowledgements; }
  /// The load, or the part of the credits' share that is needed, whichever is higher.
  [[nodiscard]] double demand() const { return std::max(offered(), credits); }
  /// Whether the demand exceeds the link's rate, or the credits' share of it, by more than rounding errors.
  [[nodiscard]] bool overloaded() const { return demand() > 1 + 1e-9; }
};

/// The state of the network between two changes of its routes.
struct CheckedState {
  Time from;
  Time until = Time::never();
  std::vector<LinkId> failed;      ///< links that the routes avoid
  std::vector<CheckedLink> links;  ///< both directions of all links, highest demand first
  double undelivered = 0;          ///< upper bound, in bit/s on the wire, of the load without a path to its destination
};

/// One state for the start and one for each later change of routes, which happens `failure_detection` after links fail
/// or recover. The time between a failure and its detection is not checked.
///
/// Counted is load that does not depend on the network: flows that arrive at a given rate or load, while their source
/// is active; and single flows with a rate limit, at that limit or their line rate, from their start until they have
/// sent their size or are stopped. Other flows take the bandwidth that is available.
///
/// From `large` hosts on, pairs of hosts are not examined individually if there are no failures and weights.
std::vector<CheckedState> check_load(const Settings& settings, const std::vector<TrafficEntry>& traffic,
                                     std::size_t large = 4096);

}  // namespace weir
