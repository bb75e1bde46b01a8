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

/// A host or a switch, and its position. Tier, pod and rack are for output and for traffic patterns; routing does not
/// use them.
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

/// On slower links a PAUSE could last longer than Time can represent; on faster ones a byte would take less than a
/// picosecond, the unit of Time. Delays are limited as well.
inline constexpr BitRate kSlowestLink = BitRate(1'000'000);
inline constexpr BitRate kFastestLink = BitRate(8'000'000'000'000);
inline constexpr Duration kLongestDelay = Duration::picoseconds(1'000'000'000'000);

/// The properties of a link, the same in both directions.
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

/// The other end of a port of a node.
struct PortEnd {
  LinkId link;
  NodeId peer;
  PortId peer_port;
};

/// A network under construction or complete. Ports are numbered from 0 on each node in the order in which links were
/// added; hosts and switches in the order in which they were added, each kind from 0. Nothing is rejected during
/// construction: errors() reports the errors of the whole.
class Topology {
 public:
  NodeId add_host(std::string name, int pod = Node::kNowhere, int rack = Node::kNowhere);
  NodeId add_switch(std::string name, int tier, int pod = Node::kNowhere, int rack = Node::kNowhere);
  /// Adds a link; parallel links are permitted. Both nodes must exist.
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
  /// The number of the direction of a link that leaves a port: nodes in their order, the ports of each in theirs. The
  /// links of a run record have these numbers.
  [[nodiscard]] std::size_t direction_number(NodeId node, PortId port) const;
  /// The other end of a port, as known to the node at this end.
  [[nodiscard]] Peer peer(NodeId node, PortId port) const;
  /// The switch to which a host is attached, none() if it has no link or its first link leads to another host.
  [[nodiscard]] SwitchId edge_of(HostId host) const;

  /// The node of this name, or none().
  [[nodiscard]] NodeId find(std::string_view name) const;
  /// The links between two nodes, in their order.
  [[nodiscard]] std::vector<LinkId> links_between(NodeId a, NodeId b) const;

  /// Sets the tier of each switch to one more than its distance from the nearest switch with hosts, and numbers the
  /// racks: for networks that were read without this information.
  void derive_tiers();

  /// The reasons why this network cannot run: a host without a link, with two, or linked to a host; hosts that cannot
  /// reach each other through switches; a link from a node to itself; a rate of zero or below, a delay below zero, an
  /// error rate outside 0..1; two nodes of one name; more ports than PortId can number. Empty if there are none, which
  /// the other parts of this folder require.
  [[nodiscard]] std::vector<std::string> errors() const;

 private:
  NodeId add(Node node);

  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<PortEnd>> ports_;  // by node
  std::vector<NodeId> host_nodes_;
  std::vector<NodeId> switch_nodes_;
};

/// The capacity of a switch's ports towards lower tiers divided by that towards higher tiers: 2 for a 2:1
/// oversubscribed top of rack. 0 if there is no higher tier.
double oversubscription(const Topology& topology, SwitchId id);

}  // namespace weir
