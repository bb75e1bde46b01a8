// SPDX-License-Identifier: Apache-2.0
// The routing tables that a controller would install: all shortest paths, by hop count, over the links that are up.
#pragma once

#include <cstdint>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// The share of traffic of a port relative to its equal-cost ports. The default weight is 1: of four uplinks, one of
/// weight 3 gets half. A port of weight 0 is used only if no equal-cost port has another weight.
struct PortWeight {
  SwitchId node;
  PortId port;
  std::uint16_t weight = 1;
};

struct RoutingOptions {
  std::vector<LinkId> failed_links;
  std::vector<PortWeight> weights;  ///< the last entry for a port takes effect
};

/// The Routes of each switch, by SwitchId: for each host the ports on the shortest paths (by number of links), in
/// ascending order. Paths go through switches only. A host that cannot be reached has no route. `topology` must have no
/// errors. Breadth-first search from each switch with hosts: time O(edge switches x links + switches x hosts).
std::vector<Routes> compute_routes(const Topology& topology, const RoutingOptions& options = {});

}  // namespace weir
