// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/path_finder.h"

#include <algorithm>
#include <set>

namespace weir::pyrrha {

std::size_t longest_path(const SwitchContext& context, PortId port, bool last_hop_only) {
  if (context.paths() == nullptr || context.port(port).peer.is_host()) return 0;
  if (last_hop_only) return 1;
  constexpr std::size_t kSamples = 64;  // in a network of tiers the paths beyond a port have few lengths
  const std::size_t step = std::max<std::size_t>(1, context.hosts() / kSamples);
  std::size_t longest = 1;
  for (std::size_t host = 0; host < context.hosts(); host += step) {
    const FlowKey key{HostId(0), HostId(host), 0};
    const auto start = [&](std::span<Hop> out) { return context.paths()->beyond(context.id(), port, key, out); };
    std::size_t hops = 0;
    for_each_hop(*context.paths(), key, false, start, [&](const Hop&, std::size_t) {
      ++hops;
      return false;
    });
    longest = std::max(longest, hops);
  }
  return longest;
}

std::size_t levels_of(const SwitchContext& context, PortId port, bool last_hop_only) {
  const PathView* paths = context.paths();
  if (paths == nullptr) return 0;
  const Peer& peer = context.port(port).peer;
  const bool hosts = peer.is_host() ? paths->drains_slowly(peer.host) : paths->any_drains_slowly();
  return std::min(kMostLevels, longest_path(context, port, last_hop_only) + (hosts ? 1 : 0));
}

std::vector<bool> possible_roots(const SwitchContext& context, const Settings& settings) {
  std::vector<bool> possible(context.ports(), !settings.last_hop_only && !settings.single_tier);
  std::set<SwitchId> of_hosts;  // switches with hosts
  for (std::size_t host = 0; settings.single_tier && host < context.hosts() && context.paths() != nullptr; ++host) {
    Hop last;
    const FlowKey key{HostId(0), HostId(host), 0};
    if (context.paths()->from_host(HostId(host), key, std::span(&last, 1)) != 0) of_hosts.insert(last.node);
  }
  for (std::size_t port = 0; port < context.ports(); ++port) {
    const auto& peer = context.port(PortId(port)).peer;
    if (peer.is_host() || (!settings.last_hop_only && of_hosts.contains(peer.neighbour))) possible[port] = true;
  }
  return possible;
}

}  // namespace weir::pyrrha
