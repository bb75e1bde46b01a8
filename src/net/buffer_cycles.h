// SPDX-License-Identifier: Apache-2.0
// Cyclic buffer dependencies: links whose buffers can come to wait for each other in a cycle.
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
  std::size_t directions = 0;  ///< of links, that lie on some cycle
  /// One of the shortest cycles: each waits for the next, the last for the first. Empty: there is none.
  std::vector<Hop> shortest;
};

/// A direction u -> v depends on v -> w when some host's frames can take first the one and then the other: while v -> w
/// is paused, those frames fill v's buffer, and v pauses u -> v. Without a cycle of such dependencies no set of pauses
/// can hold itself up (Dally and Seitz 1987; Hu et al., HotNets 2016). Whether one ever does is the traffic's affair.
///
/// Counted are all shares of all next hops, between all hosts that have a way to each other. Routes know no priorities,
/// so it is the same for each lossless one. `routes` has one entry a switch. What `turns` name, in ascending order,
/// depends on nothing: these are exempt from backpressure, and v does not pause u for such frames.
BufferCycles find_buffer_cycles(const Topology& topology, std::span<const Routes> routes,
                                std::span<const Turn> turns = {});
/// The same while routes change: frames that were sent on by the routes of one state meet those of the same or a later
/// one at the next switch. What lies in the buffers of the routes before can hold what comes by the new ones. `order`
/// has the numbers of the states in force behind each other; one may come again.
BufferCycles find_buffer_cycles_of_reroutes(const Topology& topology, std::span<const std::vector<Routes>> states,
                                            std::span<const std::size_t> order, std::span<const Turn> turns = {});

}  // namespace weir
