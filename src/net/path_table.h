// SPDX-License-Identifier: Apache-2.0
// The paths of headers through a network, as computed by a controller that knows its tables and hash functions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/path_view.h"
#include "policy/routes.h"
#include "policy/switch_policy.h"

namespace weir {

/// A PathView over the routes installed at every switch. Routes must not change during a look-up; look-ups may run
/// concurrently and allocate nothing. Some schemes look up a path for every packet at every switch. Therefore an index
/// that fits into a cache is in front of the routing tables: the hosts of one edge switch usually have the same way at
/// every other switch, hence one entry serves them all.
class PathTable final : public PathView {
 public:
  /// `routes` and `forwarding` have one entry per switch, by SwitchId. With a null forwarding only single next hops are
  /// followed; the others must outlive this object.
  PathTable(const Topology& topology, std::vector<Routes> routes, std::vector<const Forwarding*> forwarding);

  /// Replaces the routes at a switch: a reroute.
  void set_routes(SwitchId node, Routes routes);
  [[nodiscard]] const Routes& routes(SwitchId node) const { return routes_[node.index()]; }

  [[nodiscard]] bool exists(Hop hop) const override {
    const std::size_t node = hop.node.index();
    return node + 1 < first_port_.size() && hop.port.index() < first_port_[node + 1] - first_port_[node];
  }
  /// The hosts that drain slowly, by HostId. Without this call there are none.
  void set_slow_hosts(std::vector<bool> slow);
  [[nodiscard]] bool drains_slowly(HostId host) const override {
    return host.index() < slow_.size() && slow_[host.index()];
  }
  [[nodiscard]] bool any_drains_slowly() const override { return !slow_.empty(); }
  std::size_t beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const override;
  std::size_t from_host(HostId source, const FlowKey& key, std::span<Hop> out) const override;
  [[nodiscard]] std::uint64_t version() const override { return version_; }

 private:
  std::size_t onward(SwitchId next, const FlowKey& key, std::span<Hop> out) const;
  [[nodiscard]] SwitchId neighbour(SwitchId node, PortId port) const;
  [[nodiscard]] Routes::Way way(SwitchId node, HostId destination) const;
  void index(SwitchId node);

  /// What an entry of the index says if the routing table must be asked: its hosts have different ways.
  static constexpr Routes::Way kAsk{0xffff};
  /// A larger index would not stay in a cache.
  static constexpr std::size_t kLargestIndex = std::size_t{1} << 21;  // entries

  struct Destination {
    SwitchId edge;
    std::uint16_t column = 0;    // of its edge switch in the index; 0: it has none
    Routes::Way at_edge = kAsk;  // its way at its edge switch
  };

  std::vector<Routes> routes_;                 // by switch
  std::vector<const Forwarding*> forwarding_;  // by switch
  std::vector<std::uint32_t> first_port_;      // by switch, with one more element: start of its ports in neighbours_
  std::vector<SwitchId> neighbours_;           // by port; none: a host
  std::vector<Destination> destinations_;      // by host
  std::vector<Routes::Way> index_;             // by switch and column; empty: too large
  std::size_t columns_ = 1;                    // the first is that of hosts without an edge switch; 0: no index
  std::vector<bool> slow_;                     // by host; empty: none drains slowly
  std::uint64_t version_ = 0;                  // counts calls of set_routes()
};

/// The path of `key` from its source: the egress port of each switch on the path, as far as `paths` can predict it.
std::vector<Hop> path_of(const PathView& paths, const FlowKey& key);

}  // namespace weir
