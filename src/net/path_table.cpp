// SPDX-License-Identifier: Apache-2.0
#include "net/path_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace weir {
namespace {

constexpr std::uint32_t kNoColumn = ~std::uint32_t{0};
constexpr std::size_t kMostColumns = std::size_t{1} << 16;

}  // namespace

PathTable::PathTable(const Topology& topology, std::vector<Routes> routes, std::vector<const Forwarding*> forwarding)
    : routes_(std::move(routes)), forwarding_(std::move(forwarding)) {
  first_port_.push_back(0);
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    for (const PortEnd& end : topology.ports(topology.node_of(SwitchId(i)))) {
      neighbours_.push_back(topology.node(end.peer).switch_id);
    }
    first_port_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
  }
  std::vector<std::uint32_t> column_of(topology.switches(), kNoColumn);
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    const SwitchId edge = topology.edge_of(HostId(i));
    destinations_.push_back({edge});
    if (!edge.exists()) continue;  // the routing tables are asked
    std::uint32_t& column = column_of[edge.index()];
    if (column == kNoColumn) column = static_cast<std::uint32_t>(columns_++);
    destinations_.back().column = static_cast<std::uint16_t>(column);
  }
  if (columns_ > kMostColumns || columns_ * routes_.size() > kLargestIndex) columns_ = 0;
  index_.resize(columns_ * routes_.size(), kAsk);
  for (std::size_t i = 0; i < routes_.size(); ++i) index(SwitchId(i));
}

void PathTable::set_routes(SwitchId node, Routes routes) {
  routes_[node.index()] = std::move(routes);
  index(node);
  ++version_;
}

void PathTable::index(SwitchId node) {
  if (columns_ == 0) return;
  const std::span<Routes::Way> row = std::span(index_).subspan(node.index() * columns_, columns_);
  std::vector<bool> seen(columns_);
  for (std::size_t i = 0; i < destinations_.size(); ++i) {
    Destination& destination = destinations_[i];
    if (destination.column == 0) continue;
    const Routes::Way way = routes_[node.index()].way_to(HostId(i));
    if (destination.edge == node) {
      destination.at_edge = way;
    } else if (!seen[destination.column]) {
      seen[destination.column] = true;
      row[destination.column] = way;
    } else if (row[destination.column] != way) {
      row[destination.column] = kAsk;
    }
  }
}

Routes::Way PathTable::way(SwitchId node, HostId destination) const {
  if (columns_ != 0 && destination.index() < destinations_.size()) {
    const Destination& to = destinations_[destination.index()];
    const Routes::Way way = node == to.edge ? to.at_edge : index_[node.index() * columns_ + to.column];
    if (way != kAsk) return way;
  }
  return routes_[node.index()].way_to(destination);
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
  return source.index() < destinations_.size() ? onward(destinations_[source.index()].edge, key, out) : 0;
}

std::size_t PathTable::onward(SwitchId next, const FlowKey& key, std::span<Hop> out) const {
  std::size_t hops = 0;
  while (next.exists() && hops < out.size()) {
    const Routes::Way way = this->way(next, key.destination);
    PortId port;
    if (way.is_port()) {
      port = way.port();  // without a look at the groups, which are other cache lines
    } else if (const NextHops choices = routes_[next.index()].choices(way); choices.ports.size() == 1) {
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
