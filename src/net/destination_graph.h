// SPDX-License-Identifier: Apache-2.0
// Where traffic towards one destination can go: the installed routes as a graph, for sums over all paths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/routes.h"

namespace weir {

/// Hosts behind one switch whose next hops are the same at every other switch: what is worked out for one of them
/// holds for all.
struct DestinationClass {
  SwitchId edge;
  std::vector<HostId> hosts;  ///< in ascending order, never empty
};

/// Parts the hosts into classes; in a network without failed host links that is one a switch that has hosts. `routes`
/// has one entry a switch.
std::vector<DestinationClass> destination_classes(const Topology& topology, std::span<const Routes> routes);

/// Whether the host's switch has a route onto the host's link: false when that link has failed.
bool is_connected(const Topology& topology, std::span<const Routes> routes, HostId host);

/// The next hops of every switch towards one destination, with shares.
class DestinationGraph {
 public:
  /// One next hop: `to` is a switch, `share` the part of the traffic that takes it, in (0, 1].
  struct NextHop {
    PortId port;
    SwitchId to;
    double share;
  };

  /// Both must outlive this; `routes` has one entry a switch.
  DestinationGraph(const Topology& topology, std::span<const Routes> routes);

  /// Draws the graph towards `host`. It ends at the host's switch. Routes that run in a cycle, as may be while a
  /// reroute is half done, are cut where the cycle closes: that share of the traffic is lost.
  void aim(HostId host);

  /// All switches, each after all its next hops.
  [[nodiscard]] std::span<const SwitchId> order() const { return order_; }
  /// The part of a switch's traffic that ends there without having arrived: 1 without next hops, what a cut cycle
  /// took, exactly 0 otherwise.
  [[nodiscard]] double lost_share(SwitchId node) const { return lost_[node.index()]; }
  [[nodiscard]] std::span<const NextHop> next_hops(SwitchId node) const {
    return {hops_.data() + first_[node.index()], count_[node.index()]};
  }

 private:
  struct Visit {
    SwitchId node;
    std::uint32_t done;  // next hops already looked at
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
