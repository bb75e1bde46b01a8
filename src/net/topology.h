// SPDX-License-Identifier: Apache-2.0
// The nodes and links of a network.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/switch_state.h"
#include "units/bit_rate.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir {

using LinkId = Id<struct LinkTag, std::uint32_t>;  ///< a full-duplex link of a network, 0..links-1

enum class NodeKind : std::uint8_t { host, switching };

/// A host or a switch, and where it stands. Tier, pod and rack are for people and for traffic patterns; nothing in
/// routing looks at them.
struct Node {
  static constexpr int kNowhere = -1;

  NodeKind kind = NodeKind::host;
  std::string name;    ///< unique in its network
  HostId host;         ///< none for a switch
  SwitchId switch_id;  ///< none for a host
  int tier = 0;        ///< 0 host, 1 top of rack, 2 above it, ...
  int pod = kNowhere;
  int rack = kNowhere;

  [[nodiscard]] bool is_host() const { return kind == NodeKind::host; }
};

/// Links are neither slower, or a PAUSE would outlast what Time can tell, nor faster, or a byte would take less than
/// the picosecond that Time counts in; nor are they longer.
inline constexpr BitRate kSlowestLink = BitRate(1'000'000);
inline constexpr BitRate kFastestLink = BitRate(8'000'000'000'000);
inline constexpr Duration kLongestDelay = Duration::picoseconds(1'000'000'000'000);

/// What a link is made of. Both directions are alike.
struct LinkSpec {
  BitRate rate;
  Duration delay;         ///< propagation, one way
  double error_rate = 0;  ///< probability that a frame is damaged, 0..1
};

/// A full-duplex link between two ports.
struct Link {
  NodeId a;
  NodeId b;
  PortId a_port;
  PortId b_port;
  BitRate rate;
  Duration delay;         ///< propagation, one way
  double error_rate = 0;  ///< probability that a frame is damaged, 0..1
};

/// What a port of a node is plugged into.
struct PortEnd {
  LinkId link;
  NodeId peer;
  PortId peer_port;
};

/// A network under construction or complete. Ports are numbered on each node in the order in which links were added,
/// from 0; hosts and switches in the order in which they were added, each kind from 0. Nothing is refused while it
/// grows: errors() says what is wrong with the whole.
class Topology {
 public:
  NodeId add_host(std::string name, int pod = Node::kNowhere, int rack = Node::kNowhere);
  NodeId add_switch(std::string name, int tier, int pod = Node::kNowhere, int rack = Node::kNowhere);
  /// Adds a link; parallel links are links like any other. Both nodes must exist.
  LinkId connect(NodeId a, NodeId b, const LinkSpec& spec);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  [[nodiscard]] std::size_t hosts() const { return host_nodes_.size(); }
  [[nodiscard]] std::size_t switches() const { return switch_nodes_.size(); }
  [[nodiscard]] const Node& node(NodeId node) const { return nodes_[node.index()]; }
  [[nodiscard]] const Link& link(LinkId link) const { return links_[link.index()]; }
  [[nodiscard]] NodeId node_of(HostId host) const { return host_nodes_[host.index()]; }
  [[nodiscard]] NodeId node_of(SwitchId id) const { return switch_nodes_[id.index()]; }

  /// The ports of a node, in their order.
  [[nodiscard]] const std::vector<PortEnd>& ports(NodeId node) const { return ports_[node.index()]; }
  [[nodiscard]] const PortEnd& port(NodeId node, PortId port) const { return ports_[node.index()][port.index()]; }
  [[nodiscard]] const Link& link_at(NodeId node, PortId port) const { return link(this->port(node, port).link); }
  /// The number of the direction of a link that leaves a port: nodes in their order, the ports of each in theirs. A
  /// run's record has links so.
  [[nodiscard]] std::size_t direction_number(NodeId node, PortId port) const;
  /// The other end of a port, as the node at this end knows it.
  [[nodiscard]] Peer peer(NodeId node, PortId port) const;
  /// The switch a host is plugged into, none() if it has no link or its first link leads to another host.
  [[nodiscard]] SwitchId edge_of(HostId host) const;

  /// The node of this name, or none().
  [[nodiscard]] NodeId find(std::string_view name) const;
  /// The links between two nodes, in their order.
  [[nodiscard]] std::vector<LinkId> links_between(NodeId a, NodeId b) const;

  /// Sets the tier of each switch to one more than its distance from the nearest switch that has hosts, and numbers
  /// the racks: for networks that were read without such knowledge.
  void derive_tiers();

  /// What keeps this from being a network to run: a host without a link, with two, or linked to a host; hosts that
  /// cannot reach each other through switches; a link from a node to itself; a rate of zero or below, a delay below
  /// zero, an error rate outside 0..1; two nodes of one name; more ports than PortId can number. Empty when all is
  /// well; the other parts of this folder ask that it is.
  [[nodiscard]] std::vector<std::string> errors() const;

 private:
  NodeId add(Node node);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<PortEnd>> ports_;  // by node
  std::vector<NodeId> host_nodes_;
  std::vector<NodeId> switch_nodes_;
};

/// The capacity of a switch's ports towards lower tiers over that towards higher tiers: 2 for a 2:1 oversubscribed
/// top of rack. 0 when nothing is above it.
double oversubscription(const Topology& topology, SwitchId id);

}  // namespace weir
