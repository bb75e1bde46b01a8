// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/path_finder.h"

#include <algorithm>

namespace weir::pyrrha {

std::size_t longest_path(const SwitchContext& context, PortId port, bool last_hop_only) {
  if (context.paths() == nullptr || context.port(port).peer.is_host()) return 0;
  if (last_hop_only) return 1;
  constexpr std::size_t kSamples = 64;  // in a network of tiers the paths beyond a port have few lengths
  const std::size_t step = std::max<std::size_t>(1, context.hosts() / kSamples);
  std::size_t longest = 1;
  OnwardPath hops;
  for (std::size_t host = 0; host < context.hosts(); host += step) {
    const FlowKey key{HostId(0), HostId(host), 0};
    longest = std::max(longest, context.paths()->beyond(context.id(), port, key, hops));
  }
  return longest;
}

}  // namespace weir::pyrrha
