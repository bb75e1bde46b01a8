// SPDX-License-Identifier: Apache-2.0
// The ports that a packet will pass after it has left this switch.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "policy/switch_context.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

using OnwardPath = std::array<Hop, kMostLevels>;

/// [PYRRHA-PATH-1] The onward path of a packet, by the hash functions, seeds and forwarding tables of the switches
/// downstream (SwitchContext::paths), up to the first hop that does not follow from them. [PYRRHA-PATH-2] With
/// `last_hop_only` it is the last hop alone, which follows from the destination. Returns the number of hops.
inline std::size_t find_path(const SwitchContext& context, const Frame& frame, bool last_hop_only, OnwardPath& out) {
  const PathView* paths = context.paths();
  if (paths == nullptr || context.port(frame.egress).peer.is_host()) return 0;
  const FlowKey key = FlowKey::of(frame);
  if (!last_hop_only) return paths->beyond(context.id(), frame.egress, key, out);
  // From the destination's own switch there is only one hop to it.
  return paths->from_host(frame.destination, key, std::span(out).first(1));
}

/// The number of switches' hops beyond a port at most. [PYRRHA-IQ-2]
std::size_t longest_path(const SwitchContext& context, PortId port, bool last_hop_only);

/// The levels of a port: its hops, and a last one for hosts if any host beyond it drains slowly. [PYRRHA-IQ-2]
std::size_t levels_of(const SwitchContext& context, PortId port, bool last_hop_only);

/// [PYRRHA-ONE-1] Of an onward path, the hops at most two hops from the destination. If the path does not end there,
/// because it could not be predicted to its end, only the last hop, which follows from the destination.
inline std::span<const Hop> last_two(const PathView& paths, HostId destination, const FlowKey& key,
                                     std::span<const Hop> path, Hop& last) {
  if (paths.from_host(destination, key, std::span(&last, 1)) == 0) return {};
  if (path.empty() || path.back() != last) return {&last, 1};
  return path.last(std::min<std::size_t>(2, path.size()));
}

/// Which ports of a switch may be roots: all; with one tier, those to hosts and to switches of hosts [PYRRHA-ONE-1];
/// on request, those to hosts only [PYRRHA-PATH-2].
std::vector<bool> possible_roots(const SwitchContext& context, const Settings& settings);

}  // namespace weir::pyrrha
