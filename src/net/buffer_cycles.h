// SPDX-License-Identifier: Apache-2.0
// Cyclic buffer dependencies: links whose buffers can wait for each other in a cycle.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "net/backpressure_graph.h"
#include "net/topology.h"
#include "policy/path_view.h"
#include "policy/routes.h"

namespace weir {

/// "tor1 -> spine0": the link that a port sends to.
std::string direction_name(const Topology& topology, const Hop& hop);

struct BufferCycles {
  std::size_t directions = 0;  ///< of links that are on some cycle
  /// One of the shortest cycles: each waits for the next, the last for the first. Empty: there is none.
  std::vector<Hop> shortest;
};

/// A direction u -> v depends on v -> w if some host's frames can take first the one and then the other: while v -> w
/// is paused, those frames fill v's buffer, and v pauses u -> v. Without a cycle of such dependencies no set of pauses
/// can keep itself in force (Dally and Seitz 1987; Hu et al., HotNets 2016). Whether that happens depends on the
/// traffic.
///
/// All shares of all next hops are taken into account, between all pairs of connected hosts. Routes do not depend on
/// priorities, so the result applies to each lossless one. `routes` has one entry per switch. `turns`, in ascending
/// order, are exempt from backpressure: v does not pause u for their frames, so they create no dependency.
BufferCycles find_buffer_cycles(const Topology& topology, std::span<const Routes> routes,
                                std::span<const Turn> turns = {});
/// The same while routes change: frames forwarded by the routes of one state meet those of the same or a later one at
/// the next switch. Frames buffered under earlier routes can block frames forwarded by later ones. `order` has the
/// numbers of the consecutive states in force; a state may recur.
BufferCycles find_buffer_cycles_of_reroutes(const Topology& topology, std::span<const std::vector<Routes>> states,
                                            std::span<const std::size_t> order, std::span<const Turn> turns = {});

}  // namespace weir
