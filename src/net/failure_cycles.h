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

/// A link, or a switch with all its links: one of the two exists.
struct FailedElement {
  LinkId link;
  SwitchId node;
};

/// The links that are down with an element.
std::vector<LinkId> links_of(const Topology& topology, const FailedElement& element);

struct OneFailureCycles {
  /// Of the first state that has any: all links up; then without each link in turn; then without each switch. Empty: no
  /// state has a cycle.
  BufferCycles found;
  /// What is down in that state. None: all links are up.
  std::optional<FailedElement> failed;
};

/// Whether find_buffer_cycles() finds any on the routes that compute_routes() gives with all links up, or with any one
/// link or one switch down. The answer is exact.
///
/// Without a link, or a switch, the routes to a destination lose next hops and gain none, unless all shortest paths
/// from some switch that has hosts lead over it (its dominators in the graph of next hops). So dependencies with all
/// links up are looked at once, and what a failure adds only for the destinations it moves hosts' paths to. Time O(edge
/// switches x links) where each pair of them has two disjoint shortest paths.
///
/// `turns` as for find_buffer_cycles(). States while routes change, in which old and new ones meet, are not looked at.
OneFailureCycles find_cycles_with_one_failure(const Topology& topology, const std::vector<PortWeight>& weights = {},
                                              std::span<const Turn> turns = {});

/// Whether find_buffer_cycles() finds none on the routes with all links up, whatever their weights. False: it may, or
/// may not. Faster than routes and their graph.
bool surely_free_of_cycles(const Topology& topology, std::span<const Turn> turns = {});

}  // namespace weir
