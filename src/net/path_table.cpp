// SPDX-License-Identifier: Apache-2.0
#include "net/path_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir {

PathTable::PathTable(const Topology& topology, std::vector<Routes> routes, std::vector<const Forwarding*> forwarding)
    : routes_(std::move(routes)), forwarding_(std::move(forwarding)) {
  first_port_.push_back(0);
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    for (const PortEnd& end : topology.ports(topology.node_of(SwitchId(i)))) {
      neighbours_.push_back(topology.node(end.peer).switch_id);
    }
    first_port_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }
  for (std::size_t i = 0; i < topology.hosts(); ++i) edges_.push_back(topology.edge_of(HostId(i)));
}

void PathTable::set_slow_hosts(std::vector<bool> slow) {
  slow_ = std::move(slow);
  if (std::find(slow_.begin(), slow_.end(), true) == slow_.end()) slow_.clear();
}

SwitchId PathTable::neighbour(SwitchId node, PortId port) const {
  const std::size_t at = first_port_[node.index()] + port.index();
  return at < first_port_[node.index() + 1] ? neighbours_[at] : SwitchId::none();
}

std::size_t PathTable::beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const {
  return onward(neighbour(node, egress), key, out);
}

std::size_t PathTable::from_host(HostId source, const FlowKey& key, std::span<Hop> out) const {
  return source.index() < edges_.size() ? onward(edges_[source.index()], key, out) : 0;
}

std::size_t PathTable::onward(SwitchId next, const FlowKey& key, std::span<Hop> out) const {
  std::size_t hops = 0;
  while (next.exists() && hops < out.size()) {
    const Routes& routes = routes_[next.index()];
    const Routes::Way way = routes.way_to(key.destination);
    PortId port;
    if (way.is_port()) {
      port = way.port();  // without a look at the groups, which are other cache lines
    } else if (const NextHops choices = routes.choices(way); choices.ports.size() == 1) {
      port = choices.ports.front();
    } else if (!choices.ports.empty() && forwarding_[next.index()] != nullptr) {
      port = forwarding_[next.index()]->predict(key, choices);
    }
    if (!port.exists()) break;
    out[hops++] = {next, port};
    next = neighbour(next, port);
  }
  return hops;
}

std::vector<Hop> path_of(const PathView& paths, const FlowKey& key) {
  std::array<Hop, kMaximumHops> hops;
  const std::size_t count = paths.from_host(key.source, key, hops);
  return {hops.begin(), hops.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace weir
