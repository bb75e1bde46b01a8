// SPDX-License-Identifier: Apache-2.0
// The ports that a packet will pass after it has left this switch.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

/// The most hops that are predicted of a path. A longer one is a loop of routes that are being changed.
inline constexpr std::size_t kMostHops = 64;
/// The distance of a last hop to which not all hops can be predicted.
inline constexpr std::size_t kUnknownDistance = kMostHops;

/// [PYRRHA-PATH-1] Calls visit(hop, distance) for the hops of an onward path from near to far, until visit returns
/// true. They follow from the hash functions, seeds and forwarding tables of the switches, up to the first hop that
/// does not. `start(hops)` writes the first ones and returns their number, as PathView does. [PYRRHA-PATH-3] The
/// last hop follows from the destination, whatever is before it. [PYRRHA-PATH-2] With `last_hop_only` it is the only
/// one, at distance 0.
template <class Start, class Visit>
void for_each_hop(const PathView& paths, const FlowKey& key, bool last_hop_only, Start start, Visit visit) {
  Hop last;
  // From the destination's own switch there is only one hop to it.
  const bool has_last = paths.from_host(key.destination, key, std::span(&last, 1)) != 0;
  if (last_hop_only) {
    if (has_last) visit(last, std::size_t{0});
    return;
  }
  std::array<Hop, 8> hops;  // more than most paths have
  std::size_t count = start(std::span<Hop>(hops));
  for (std::size_t distance = 0; distance < kMostHops;) {
    for (const Hop& hop : std::span(hops).first(count)) {
      if (visit(hop, distance++) || (has_last && hop == last)) return;
    }
    if (count < hops.size()) break;
    const Hop from = hops.back();
    count = paths.beyond(from.node, from.port, key, hops);
  }
  if (has_last) visit(last, kUnknownDistance);
}

/// The same for the onward path of a packet in a switch. [PYRRHA-PATH-4] It ends where the packet comes back, as can
/// happen while routes change; then returns false.
template <class Visit>
bool for_each_hop(const SwitchContext& context, const Frame& frame, bool last_hop_only, Visit visit) {
  const PathView* paths = context.paths();
  if (paths == nullptr || context.port(frame.egress).peer.is_host()) return true;
  const FlowKey key = FlowKey::of(frame);
  bool leaves = true;
  for_each_hop(
      *paths, key, last_hop_only,
      [&](std::span<Hop> out) { return paths->beyond(context.id(), frame.egress, key, out); },
      [&](const Hop& hop, std::size_t distance) {
        leaves = hop.node != context.id();
        return !leaves || visit(hop, distance);
      });
  return leaves;
}

/// [PYRRHA-ONE-1] The hops of a path that are at most two hops from the destination.
struct LastTwo {
  Hop near{};  ///< none: the path is not predicted to its end, or has one hop
  Hop last{};  ///< none: no hop is predicted. While its link is down, the last hop that is

  /// A visitor of for_each_hop().
  bool operator()(const Hop& hop, std::size_t distance) {
    near = distance == kUnknownDistance ? Hop{} : last;
    last = hop;
    return false;
  }
};

/// The number of hops beyond a port at most, or one more than those that can be predicted. [PYRRHA-IQ-2]
std::size_t longest_path(const SwitchContext& context, PortId port, bool last_hop_only);

/// The levels of a port: its hops, and a last one for hosts if any host beyond it drains slowly. [PYRRHA-IQ-2]
std::size_t levels_of(const SwitchContext& context, PortId port, bool last_hop_only);

/// Which ports of a switch may be roots: all; with one tier, those to hosts and to switches of hosts [PYRRHA-ONE-1];
/// on request, those to hosts only [PYRRHA-PATH-2].
std::vector<bool> possible_roots(const SwitchContext& context, const Settings& settings);

}  // namespace weir::pyrrha
