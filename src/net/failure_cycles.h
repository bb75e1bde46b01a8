// SPDX-License-Identifier: Apache-2.0
// Cyclic buffer dependencies with all links up, and with any one link or switch down.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "net/backpressure_graph.h"
#include "net/buffer_cycles.h"
#include "net/routing.h"
#include "net/topology.h"

namespace weir {

/// A failed link, or a failed switch with all its links: exactly one of the two exists.
struct FailedElement {
  LinkId link;
  SwitchId node;
};

/// The links that are down with an element.
std::vector<LinkId> links_of(const Topology& topology, const FailedElement& element);

struct OneFailureCycles {
  /// The cycles of the first state that has any, in the order: all links up; without each link; without each switch.
  /// Empty: no state has a cycle.
  BufferCycles found;
  /// The element that is down in that state. None: all links are up.
  std::optional<FailedElement> failed;
};

/// Whether find_buffer_cycles() finds any cycle on the routes of compute_routes() with all links up, or with any one
/// link or one switch down. The answer is exact.
///
/// Without a link, or a switch, the routes to a destination lose next hops and gain none, unless all shortest paths
/// from some switch with hosts use it (its dominators in the graph of next hops). The dependencies with all links up
/// are therefore computed once, and those added by a failure only for the destinations for which it changes paths from
/// hosts. Time O(edge switches x links) if each pair of them has two disjoint shortest paths.
///
/// `turns` as for find_buffer_cycles(). States during a change of routes, with a mixture of old and new ones, are not
/// considered.
OneFailureCycles find_cycles_with_one_failure(const Topology& topology, const std::vector<PortWeight>& weights = {},
                                              std::span<const Turn> turns = {});

/// True: find_buffer_cycles() finds no cycle on the routes with all links up, whatever their weights. False: unknown.
/// Faster than computing routes and their graph.
bool surely_free_of_cycles(const Topology& topology, std::span<const Turn> turns = {});

}  // namespace weir
