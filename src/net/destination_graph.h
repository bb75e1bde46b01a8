// SPDX-License-Identifier: Apache-2.0
// The possible paths of traffic towards one destination: the installed routes as a graph, for sums over all paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// Hosts of one switch with the same next hops at every other switch: results for one of them hold for all.
struct DestinationClass {
  SwitchId edge;
  std::vector<HostId> hosts;  ///< in ascending order, never empty
};

/// Divides the hosts into classes; without failed host links there is one per switch with hosts. `routes` has one entry
/// per switch.
std::vector<DestinationClass> destination_classes(const Topology& topology, std::span<const Routes> routes);

/// Whether the host's switch has a route to the host's link: false if that link has failed.
bool is_connected(const Topology& topology, std::span<const Routes> routes, HostId host);

/// The next hops of every switch towards one destination, with shares.
class DestinationGraph {
 public:
  /// One next hop: `to` is a switch, `share` its share of the traffic, in (0, 1].
  struct NextHop {
    PortId port;
    SwitchId to;
    double share;
  };

  /// Both must outlive this object; `routes` has one entry per switch.
  DestinationGraph(const Topology& topology, std::span<const Routes> routes);

  /// Builds the graph towards `host`. It ends at the host's switch. Cycles of routes, which may exist during a reroute,
  /// are cut where they close: that share of the traffic is lost.
  void aim(HostId host);

  /// All switches, each after all its next hops.
  [[nodiscard]] std::span<const SwitchId> order() const { return order_; }
  /// The share of a switch's traffic that ends there without having arrived: 1 without next hops, the share of a cut
  /// cycle, otherwise exactly 0.
  [[nodiscard]] double lost_share(SwitchId node) const { return lost_[node.index()]; }
  [[nodiscard]] std::span<const NextHop> next_hops(SwitchId node) const {
    return {hops_.data() + first_[node.index()], count_[node.index()]};
  }

 private:
  struct Visit {
    SwitchId node;
    std::uint32_t done;  // next hops already processed
  };
  enum class Mark : std::uint8_t { unseen, open, closed };

  void enter(SwitchId node);
  void drop_loops(SwitchId node);

  const Topology& topology_;
  std::span<const Routes> routes_;
  HostId host_;
  SwitchId edge_;
  std::vector<SwitchId> order_;
  std::vector<NextHop> hops_;
  std::vector<std::uint32_t> first_;  // by switch
  std::vector<std::uint32_t> count_;
  std::vector<double> lost_;
  std::vector<std::size_t> first_port_;  // by switch: of its port 0 in peers_
  std::vector<SwitchId> peers_;          // none: a host
  std::vector<Mark> marks_;
  std::vector<Visit> visits_;
};

}  // namespace weir
