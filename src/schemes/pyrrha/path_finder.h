// SPDX-License-Identifier: Apache-2.0
// The ports that a packet will pass after it has left this switch.
#pragma once

#include <array>
#include <cstddef>
#include <span>

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

/// The number of hops beyond a port at most: its levels. [PYRRHA-IQ-2]
std::size_t longest_path(const SwitchContext& context, PortId port, bool last_hop_only);

}  // namespace weir::pyrrha
