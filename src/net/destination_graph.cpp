// SPDX-License-Identifier: Apache-2.0
#include "net/destination_graph.h"

#include <algorithm>

namespace weir {
namespace {

bool alike(std::span<const Routes> routes, SwitchId edge, HostId a, HostId b) {
  for (std::size_t at = 0; at < routes.size(); ++at) {
    if (at != edge.index() && routes[at].group_of(a) != routes[at].group_of(b)) return false;
  }
  return true;
}

/// For each host, whether it is equivalent to the first of its switch; nearly all are. Iterates table by table, so that
/// a table stays in the cache for all hosts.
std::vector<bool> alike_with_first(const Topology& topology, std::span<const Routes> routes) {
  std::vector<HostId> first_of_edge(topology.switches());
  std::vector<HostId> first(topology.hosts());
  std::vector<SwitchId> edges(topology.hosts());
  for (std::size_t host = 0; host < first.size(); ++host) {
    edges[host] = topology.edge_of(HostId(host));
    if (!edges[host].exists()) continue;
    HostId& of_edge = first_of_edge[edges[host].index()];
    if (!of_edge.exists()) of_edge = HostId(host);
    first[host] = of_edge;
  }
  std::vector<bool> alike(topology.hosts(), true);
  for (std::size_t at = 0; at < routes.size(); ++at) {
    for (std::size_t host = 0; host < first.size(); ++host) {
      if (!first[host].exists() || edges[host].index() == at) continue;
      if (routes[at].group_of(HostId(host)) != routes[at].group_of(first[host])) alike[host] = false;
    }
  }
  return alike;
}

}  // namespace

std::vector<DestinationClass> destination_classes(const Topology& topology, std::span<const Routes> routes) {
  const std::vector<bool> with_first = alike_with_first(topology, routes);
  std::vector<std::vector<DestinationClass>> classes_of_edge(topology.switches());
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    const HostId host(i);
    const SwitchId edge = topology.edge_of(host);
    if (!edge.exists()) continue;
    std::vector<DestinationClass>& classes = classes_of_edge[edge.index()];
    if (classes.empty() || with_first[i]) {
      if (classes.empty()) classes.push_back({edge, {}});
      classes.front().hosts.push_back(host);
      continue;
    }
    const auto found = std::find_if(classes.begin() + 1, classes.end(), [&](const DestinationClass& candidate) {
      return alike(routes, edge, candidate.hosts.front(), host);
    });
    if (found != classes.end()) {
      found->hosts.push_back(host);
    } else {
      classes.push_back({edge, {host}});
    }
  }
  std::vector<DestinationClass> all;
  for (std::vector<DestinationClass>& classes : classes_of_edge) {
    for (DestinationClass& one : classes) all.push_back(std::move(one));
  }
  return all;
}

bool is_connected(const Topology& topology, std::span<const Routes> routes, HostId host) {
  const SwitchId edge = topology.edge_of(host);
  if (!edge.exists()) return false;
  const PortId port = topology.ports(topology.node_of(host)).front().peer_port;
  const NextHops hops = routes[edge.index()].to(host);
  return std::find(hops.ports.begin(), hops.ports.end(), port) != hops.ports.end();
}

DestinationGraph::DestinationGraph(const Topology& topology, std::span<const Routes> routes)
    : topology_(topology),
      routes_(routes),
      first_(topology.switches()),
      count_(topology.switches()),
      lost_(topology.switches()),
      marks_(topology.switches()) {
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    first_port_.push_back(peers_.size());
    for (const PortEnd& end : topology.ports(topology.node_of(SwitchId(i)))) {
      peers_.push_back(topology.node(end.peer).switch_id);
    }
  }
}

void DestinationGraph::aim(HostId host) {
  host_ = host;
  edge_ = topology_.edge_of(host);
  order_.clear();
  hops_.clear();
  std::fill(marks_.begin(), marks_.end(), Mark::unseen);
  // Depth-first search without recursion, because a chain of switches may be long.
  for (std::size_t start = 0; start < marks_.size(); ++start) {
    if (marks_[start] == Mark::unseen) enter(SwitchId(start));
    while (!visits_.empty()) {
      const SwitchId node = visits_.back().node;
      if (visits_.back().done < count_[node.index()]) {
        NextHop& hop = hops_[first_[node.index()] + visits_.back().done++];
        if (marks_[hop.to.index()] == Mark::unseen) {
          enter(hop.to);
        } else if (marks_[hop.to.index()] == Mark::open) {
          hop.to = SwitchId::none();
        }
      } else {
        drop_loops(node);
        marks_[node.index()] = Mark::closed;
        order_.push_back(node);
        visits_.pop_back();
      }
    }
  }
}

void DestinationGraph::enter(SwitchId node) {
  marks_[node.index()] = Mark::open;
  first_[node.index()] = static_cast<std::uint32_t>(hops_.size());
  if (node != edge_) {
    const NextHops choices = routes_[node.index()].to(host_);
    double total = static_cast<double>(choices.ports.size());
    if (!choices.weights.empty()) {
      total = 0;
      for (const std::uint32_t weight : choices.weights) total += weight;
    }
    const double equal = 1.0 / total;
    for (std::size_t i = 0; i < choices.ports.size(); ++i) {
      const SwitchId next = peers_[first_port_[node.index()] + choices.ports[i].index()];
      const double share = choices.weights.empty() ? equal : choices.weights[i] / total;
      if (next.exists() && share > 0) hops_.push_back({choices.ports[i], next, share});
    }
  }
  count_[node.index()] = static_cast<std::uint32_t>(hops_.size()) - first_[node.index()];
  visits_.push_back({node, 0});
}

void DestinationGraph::drop_loops(SwitchId node) {
  const auto first = hops_.begin() + first_[node.index()];
  const auto last = first + count_[node.index()];
  double& lost = lost_[node.index()];
  lost = first == last && node != edge_ ? 1.0 : 0.0;
  for (auto hop = first; hop != last; ++hop) {
    if (!hop->to.exists()) lost += hop->share;
  }
  const auto kept = std::remove_if(first, last, [](const NextHop& hop) { return !hop.to.exists(); });
  count_[node.index()] = static_cast<std::uint32_t>(kept - first);
}

}  // namespace weir
