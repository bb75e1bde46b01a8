// SPDX-License-Identifier: Apache-2.0
// The routing tables a controller would install: all shortest paths, by hop count, over the links that are up.
#pragma once

#include <cstdint>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// How much of the traffic a port attracts against its equals. Ports that are not named have weight 1: of four
/// uplinks, one of weight 3 gets half. A port of weight 0 is used only where it has no equal with another weight.
struct PortWeight {
  SwitchId node;
  PortId port;
  std::uint16_t weight = 1;
};

struct RoutingOptions {
  std::vector<LinkId> failed_links;
  std::vector<PortWeight> weights;  ///< the last word on a port counts
};

/// The Routes of each switch, by SwitchId: to each host the ports on the shortest paths (by number of links), in
/// ascending order. Paths go through switches only. A host that cannot be reached has no route. `topology` must have no
/// errors. Breadth-first search from each switch that has hosts: time O(edge switches x links + switches x hosts).
std::vector<Routes> compute_routes(const Topology& topology, const RoutingOptions& options = {});

}  // namespace weir
