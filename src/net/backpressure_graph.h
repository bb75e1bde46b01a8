// SPDX-License-Identifier: Apache-2.0
// Which egress port can hold which by hop-by-hop backpressure, and what must not be, so that none waits for ever
// (bfc appendix B).
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

/// `from` can hold `to`: frames that leave by `to` come in at `ingress` of the next switch, and leave it by `from`.
struct BackpressureEdge {
  Hop from;
  Hop to;
  PortId ingress;  ///< of from.node
  auto operator<=>(const BackpressureEdge&) const = default;
};

/// A way through a switch. What exempts turns from backpressure puts them into the switch's match-action table.
struct Turn {
  SwitchId node;
  PortId ingress;
  PortId egress;
  auto operator<=>(const Turn&) const = default;
};

/// The edges that frames on these routes (one entry a switch) can make, each once, in ascending order. A switch that
/// has a route to a host may hold frames for it, wherever they come from: a reroute may have left them there.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology, std::span<const Routes> routes);
/// The same where a frame may meet routes of any of several states at each switch, as during reroutes.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology, std::span<const std::vector<Routes>> states);
/// The edges that any frame could make, whatever routes and reroutes do: from each port to each port, itself too.
std::vector<BackpressureEdge> backpressure_edges(const Topology& topology);

/// The ports that may be held for ever: those that only others of them could let go. Empty exactly when the graph has
/// no cycle (theorem 1). Ascending.
std::vector<Hop> held_for_ever(std::span<const BackpressureEdge> edges);

/// The turns of a network of tiers from a link downwards to one upwards. Without backpressure on them no network in
/// which each link joins two tiers has a cycle, on whatever routes.
std::vector<Turn> down_up_turns(const Topology& topology);
/// Whether a turn may be exempted from backpressure to break a cycle.
enum class Exempting : std::uint8_t {
  never,
  if_need_be,  ///< where nothing else breaks it
  rather       ///< what costs least: a turn from down to up, in a network of tiers
};

/// The turns of edges that close a cycle, when one is put to the others after the other: first those that are never
/// exempted, last those that rather are, each kind in ascending order. Without them there is no cycle but those of
/// edges that are never exempted, and each of them would close one.
std::vector<Turn> break_cycles(std::span<const BackpressureEdge> edges,
                               const std::function<Exempting(const BackpressureEdge&)>& exempting);
/// The edges that are left. `turns` must be in ascending order.
std::vector<BackpressureEdge> without(std::span<const BackpressureEdge> edges, std::span<const Turn> turns);

}  // namespace weir
