// SPDX-License-Identifier: Apache-2.0
// Which egress port can block which by hop-by-hop backpressure, and which backpressure must be omitted to prevent
// deadlock (bfc appendix B).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/path_view.h"
#include "policy/routes.h"

namespace weir {

/// `from` can block `to`: frames that leave by `to` arrive at `ingress` of the next switch, and leave it by `from`.
struct BackpressureEdge {
  Hop from;
  Hop to;
  PortId ingress;  ///< of from.node
  auto operator<=>(const BackpressureEdge&) const = default;
};

/// A pair of an ingress and an egress port of a switch. A scheme that exempts turns from backpressure puts them into
/// the switch's match-action table.
struct Turn {
  SwitchId node;
  PortId ingress;
  PortId egress;
  auto operator<=>(const Turn&) const = default;
};

/// The edges that frames on these routes (one entry per switch) can create, ascending, without duplicates. A switch
/// with a route to a host may hold frames for it from any origin, because a reroute may have left them there.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology, std::span<const Routes> routes);
/// The same if a frame may meet routes of any of several states at each switch, as during reroutes.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology, std::span<const std::vector<Routes>> states);
/// The edges that any frame can create, for all routes and reroutes: from each port to each port, including itself.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology);

/// The ports that may be blocked permanently: those that only others of them could unblock. Empty if and only if the
/// graph has no cycle (theorem 1). Ascending.
std::vector<Hop> held_for_ever(std::span<const BackpressureEdge> edges);

/// The turns of a network of tiers from a downward to an upward link. Without backpressure on them, a network in which
/// each link joins two tiers has no cycle on any routes.
std::vector<Turn> down_up_turns(const Topology& topology);
/// Whether a turn may be exempted from backpressure to break a cycle.
enum class Exempting : std::uint8_t {
  never,
  if_need_be,  ///< if no other turn breaks it
  rather       ///< with preference: a turn from down to up, in a network of tiers
};

/// The turns of the edges that close a cycle when the edges are added one by one: first those that are never exempted,
/// last those that are exempted with preference, each kind in ascending order. Without these turns the only cycles left
/// consist of edges that are never exempted; each of these turns would close a cycle.
std::vector<Turn> break_cycles(std::span<const BackpressureEdge> edges,
                               const std::function<Exempting(const BackpressureEdge&)>& exempting);
/// The edges without those of `turns`, which must be in ascending order.
std::vector<BackpressureEdge> without(std::span<const BackpressureEdge> edges, std::span<const Turn> turns);

}  // namespace weir
