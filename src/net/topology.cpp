// SPDX-License-Identifier: Apache-2.0
#include "net/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace weir {

NodeId Topology::add(Node node) {
  const NodeId id(nodes_.size());
  nodes_.push_back(std::move(node));
  ports_.emplace_back();
  return id;
}

NodeId Topology::add_host(std::string name, int pod, int rack) {
  const HostId host(host_nodes_.size());
  host_nodes_.push_back(add({NodeKind::host, std::move(name), host, SwitchId::none(), 0, pod, rack}));
  return host_nodes_.back();
}

NodeId Topology::add_switch(std::string name, int tier, int pod, int rack) {
  const SwitchId id(switch_nodes_.size());
  switch_nodes_.push_back(add({NodeKind::switching, std::move(name), HostId::none(), id, tier, pod, rack}));
  return switch_nodes_.back();
}

LinkId Topology::connect(NodeId a, NodeId b, const LinkSpec& spec) {
  const LinkId id(links_.size());
  const PortId a_port(ports_[a.index()].size());
  const PortId b_port(ports_[b.index()].size() + (a == b ? 1 : 0));
  ports_[a.index()].push_back({id, b, b_port});
  ports_[b.index()].push_back({id, a, a_port});
  links_.push_back({a, b, a_port, b_port, spec.rate, spec.delay, spec.error_rate});
  return id;
}

std::size_t Topology::direction_number(NodeId node, PortId port) const {
  std::size_t before = 0;
  for (std::size_t earlier = 0; earlier < node.index(); ++earlier) before += ports_[earlier].size();
  return before + port.index();
}

Peer Topology::peer(NodeId node, PortId port) const {
  const PortEnd& end = this->port(node, port);
  const Node& other = this->node(end.peer);
  Peer peer{end.peer, end.peer_port, other.host, other.switch_id};
  peer.above = other.tier > this->node(node).tier;
  peer.beside = other.tier == this->node(node).tier;
  return peer;
}

SwitchId Topology::edge_of(HostId host) const {
  const std::vector<PortEnd>& ports = this->ports(node_of(host));
  return ports.empty() ? SwitchId::none() : node(ports.front().peer).switch_id;
}

NodeId Topology::find(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(), [name](const Node& node) { return node.name == name; });
  return found == nodes_.end() ? NodeId::none() : NodeId(static_cast<std::size_t>(found - nodes_.begin()));
}

std::vector<LinkId> Topology::links_between(NodeId a, NodeId b) const {
  std::vector<LinkId> found;
  for (const PortEnd& end : ports(a)) {
    // A link from a node to itself has two ports there, next to each other.
    if (end.peer == b && (found.empty() || found.back() != end.link)) found.push_back(end.link);
  }
  return found;
}

void Topology::derive_tiers() {
  std::vector<NodeId> reached;
  for (const NodeId id : switch_nodes_) {
    Node& node = nodes_[id.index()];
    node.tier = 0;
    const auto& ports = ports_[id.index()];
    if (std::none_of(ports.begin(), ports.end(), [this](const PortEnd& end) { return this->node(end.peer).is_host(); }))
      continue;
    node.tier = 1;
    node.rack = static_cast<int>(reached.size());
    for (const PortEnd& end : ports) {
      if (this->node(end.peer).is_host()) nodes_[end.peer.index()].rack = node.rack;
    }
    reached.push_back(id);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const int above = node(reached[i]).tier + 1;
    for (const PortEnd& end : ports(reached[i])) {
      Node& peer = nodes_[end.peer.index()];
      if (peer.is_host() || peer.tier != 0) continue;
      peer.tier = above;
      reached.push_back(end.peer);
    }
  }
  for (const NodeId id : switch_nodes_) nodes_[id.index()].tier = std::max(nodes_[id.index()].tier, 1);
}

namespace {

// The connected part of the switches to which each switch belongs, identified by its lowest number. Hosts do not
// forward.
std::vector<std::size_t> parts_of_switches(const Topology& topology) {
  constexpr std::size_t kUnseen = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> part(topology.switches(), kUnseen);
  std::vector<SwitchId> pending;
  for (std::size_t first = 0; first < part.size(); ++first) {
    if (part[first] != kUnseen) continue;
    part[first] = first;
    pending.emplace_back(first);
    while (!pending.empty()) {
      const SwitchId at = pending.back();
      pending.pop_back();
      for (const PortEnd& end : topology.ports(topology.node_of(at))) {
        const SwitchId next = topology.node(end.peer).switch_id;
        if (!next.exists() || part[next.index()] != kUnseen) continue;
        part[next.index()] = first;
        pending.push_back(next);
      }
    }
  }
  return part;
}

void check_names(const Topology& topology, std::vector<std::string>& errors) {
  std::vector<std::string_view> names;
  for (const Node& node : topology.nodes()) names.emplace_back(node.name);
  std::sort(names.begin(), names.end());
  for (auto at = names.begin(); (at = std::adjacent_find(at, names.end())) != names.end();) {
    errors.push_back(fmt::format("two nodes are named {}", *at));
    at = std::upper_bound(at, names.end(), *at);
  }
}

void check_links(const Topology& topology, std::vector<std::string>& errors) {
  for (const Link& link : topology.links()) {
    const std::string name = fmt::format("link {} - {}", topology.node(link.a).name, topology.node(link.b).name);
    if (link.a == link.b) errors.push_back(fmt::format("{}: a link from a node to itself", name));
    if (link.rate < kSlowestLink || link.rate > kFastestLink) {
      errors.push_back(fmt::format("{}: rate is {} bit/s, expected {} to {} bit/s", name, link.rate.bits_per_second(),
                                   kSlowestLink.bits_per_second(), kFastestLink.bits_per_second()));
    }
    if (link.delay < Duration() || link.delay > kLongestDelay) {
      errors.push_back(fmt::format("{}: delay is {} ps, expected 0 to {} ps", name, link.delay.picoseconds(),
                                   kLongestDelay.picoseconds()));
    }
    if (!(link.error_rate >= 0 && link.error_rate <= 1)) {
      errors.push_back(fmt::format("{}: error rate is {}, expected 0 to 1", name, link.error_rate));
    }
  }
}

void check_ports(const Topology& topology, std::vector<std::string>& errors) {
  for (std::size_t i = 0; i < topology.nodes().size(); ++i) {
    const NodeId id(i);
    const Node& node = topology.node(id);
    const std::size_t ports = topology.ports(id).size();
    if (ports > PortId::none().index()) {
      errors.push_back(fmt::format("{} has {} ports, expected at most {}", node.name, ports, PortId::none().index()));
    }
    if (!node.is_host() && ports == 0) {
      errors.push_back(fmt::format("switch {} has no link, expected at least one", node.name));
    }
    if (!node.is_host()) continue;
    if (ports != 1) errors.push_back(fmt::format("host {} has {} links, expected one", node.name, ports));
    for (const PortEnd& end : topology.ports(id)) {
      const Node& peer = topology.node(end.peer);
      if (peer.is_host() && id < end.peer) {
        errors.push_back(fmt::format("host {} is connected to host {}, expected a switch", node.name, peer.name));
      }
    }
  }
}

void check_reach(const Topology& topology, std::vector<std::string>& errors) {
  const std::vector<std::size_t> part_of_switch = parts_of_switches(topology);
  std::vector<std::vector<HostId>> hosts_of_part(topology.switches());
  for (std::size_t i = 0; i < topology.hosts(); ++i) {
    const SwitchId edge = topology.edge_of(HostId(i));
    if (edge.exists()) hosts_of_part[part_of_switch[edge.index()]].emplace_back(i);
  }
  const auto name = [&](HostId host) { return topology.node(topology.node_of(host)).name; };
  HostId first;
  for (const std::vector<HostId>& hosts : hosts_of_part) {
    if (hosts.empty()) continue;
    if (!first.exists()) {
      first = hosts.front();
    } else if (hosts.size() == 1) {
      errors.push_back(fmt::format("hosts {} and {} cannot reach each other", name(first), name(hosts.front())));
    } else {
      errors.push_back(fmt::format("hosts {} and {} cannot reach each other (nor can {} others with {})", name(first),
                                   name(hosts.front()), hosts.size() - 1, name(first)));
    }
  }
}

}  // namespace

std::vector<std::string> Topology::errors() const {
  std::vector<std::string> errors;
  if (hosts() == 0) errors.emplace_back("the network has no hosts");
  check_names(*this, errors);
  check_links(*this, errors);
  check_ports(*this, errors);
  check_reach(*this, errors);
  return errors;
}

double oversubscription(const Topology& topology, SwitchId id) {
  const NodeId at = topology.node_of(id);
  double down = 0;
  double up = 0;
  for (const PortEnd& end : topology.ports(at)) {
    const int tier = topology.node(end.peer).tier;
    const auto rate = static_cast<double>(topology.link(end.link).rate.bits_per_second());
    if (tier < topology.node(at).tier) down += rate;
    if (tier > topology.node(at).tier) up += rate;
  }
  return up > 0 ? down / up : 0;
}

}  // namespace weir
