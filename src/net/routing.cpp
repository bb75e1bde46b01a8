// SPDX-License-Identifier: Apache-2.0
#include "net/routing.h"

#include <algorithm>
#include <limits>
#include <map>

namespace weir {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

struct Neighbour {
  PortId port;
  std::uint32_t node;  // a switch
};

struct LocalHost {
  HostId host;
  PortId port;
};

// The links that are up, from the switches' side.
struct LiveSwitches {
  std::vector<std::vector<Neighbour>> neighbours;
  std::vector<std::vector<LocalHost>> hosts;

  LiveSwitches(const Topology& topology, const std::vector<LinkId>& failed_links)
      : neighbours(topology.switches()), hosts(topology.switches()) {
    std::vector<bool> failed(topology.links().size(), false);
    for (const LinkId link : failed_links) failed[link.index()] = true;
    for (std::size_t at = 0; at < topology.switches(); ++at) {
      const std::vector<PortEnd>& ports = topology.ports(topology.node_of(SwitchId(at)));
      for (std::size_t port = 0; port < ports.size(); ++port) {
        if (failed[ports[port].link.index()]) continue;
        const Node& peer = topology.node(ports[port].peer);
        if (peer.is_host()) {
          hosts[at].push_back({peer.host, PortId(port)});
        } else {
          neighbours[at].push_back({PortId(port), peer.switch_id.value});
        }
      }
    }
  }
};

// The table of one switch under construction: one group per set of ports.
class TableBuilder {
 public:
  TableBuilder(std::size_t hosts, std::size_t ports) : routes_(hosts), weight_(ports, 1) {}

  void set_weight(PortId port, std::uint16_t weight) { weight_[port.index()] = weight; }
  void set_group(HostId host, std::uint16_t group) { routes_.set_group(host, group); }

  // The group of `ports`, which must be non-empty and ascending.
  std::uint16_t group(const std::vector<PortId>& ports) {
    if (last_ != nullptr && last_->first == ports) return last_->second;
    const auto [entry, is_new] = groups_.try_emplace(ports, std::uint16_t{0});
    if (is_new) entry->second = add(ports);
    last_ = &*entry;
    return entry->second;
  }

  Routes take() {
    routes_.pack();
    return std::move(routes_);
  }

 private:
  std::uint16_t add(const std::vector<PortId>& ports) {
    std::vector<PortId> used;
    std::vector<std::uint32_t> weights;
    for (const PortId port : ports) {
      if (weight_[port.index()] == 0) continue;
      used.push_back(port);
      weights.push_back(weight_[port.index()]);
    }
    if (used.empty()) return routes_.add_group(ports);
    const bool alike = std::all_of(weights.begin(), weights.end(), [&](std::uint32_t w) { return w == weights[0]; });
    return alike ? routes_.add_group(used) : routes_.add_group(used, weights);
  }

  Routes routes_;
  std::vector<std::uint16_t> weight_;  // by port
  using Groups = std::map<std::vector<PortId>, std::uint16_t>;
  Groups groups_;                             // by the ports on shortest paths, whatever their weight
  const Groups::value_type* last_ = nullptr;  // the last one requested, which is usually requested again
};

}  // namespace

std::vector<Routes> compute_routes(const Topology& topology, const RoutingOptions& options) {
  const LiveSwitches live(topology, options.failed_links);
  std::vector<TableBuilder> tables;
  tables.reserve(topology.switches());
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    tables.emplace_back(topology.hosts(), topology.ports(topology.node_of(SwitchId(at))).size());
  }
  for (const PortWeight& weight : options.weights) tables[weight.node.index()].set_weight(weight.port, weight.weight);

  std::vector<std::uint32_t> distance;
  std::vector<std::uint32_t> reached;
  std::vector<PortId> ports;
  for (std::uint32_t target = 0; target < topology.switches(); ++target) {
    if (live.hosts[target].empty()) continue;
    for (const LocalHost& local : live.hosts[target]) {
      ports.assign(1, local.port);
      tables[target].set_group(local.host, tables[target].group(ports));
    }
    distance.assign(topology.switches(), kUnreached);
    reached.assign(1, target);
    distance[target] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t at = reached[i];
      ports.clear();
      for (const Neighbour& next : live.neighbours[at]) {
        if (distance[next.node] == kUnreached) {
          distance[next.node] = distance[at] + 1;
          reached.push_back(next.node);
        } else if (distance[next.node] + 1 == distance[at]) {  // all nearer ones have been reached
          ports.push_back(next.port);
        }
      }
      if (at == target) continue;
      const std::uint16_t group = tables[at].group(ports);
      for (const LocalHost& local : live.hosts[target]) tables[at].set_group(local.host, group);
    }
  }

  std::vector<Routes> routes;
  routes.reserve(tables.size());
  for (TableBuilder& table : tables) routes.push_back(table.take());
  return routes;
}

}  // namespace weir
