// SPDX-License-Identifier: Apache-2.0
// The paths of headers through a network, as a controller that knows its tables and hash functions computes them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/path_view.h"
#include "policy/routes.h"
#include "policy/switch_policy.h"

namespace weir {

/// A PathView over the routes installed at every switch. A change of routes must not run beside a look-up; look-ups
/// may run beside each other and allocate nothing.
class PathTable final : public PathView {
 public:
  /// `routes` and `forwarding` have one entry a switch, by SwitchId. A null forwarding foresees nothing (single next
  /// hops are followed all the same); the others must outlive this.
  PathTable(const Topology& topology, std::vector<Routes> routes, std::vector<const Forwarding*> forwarding);

  /// Replaces what is installed at a switch: a reroute.
  void set_routes(SwitchId node, Routes routes) { routes_[node.index()] = std::move(routes); }
  [[nodiscard]] const Routes& routes(SwitchId node) const { return routes_[node.index()]; }

  std::size_t beyond(SwitchId node, PortId egress, const FlowKey& key, std::span<Hop> out) const override;
  std::size_t from_host(HostId source, const FlowKey& key, std::span<Hop> out) const override;

 private:
  std::size_t onward(SwitchId next, const FlowKey& key, std::span<Hop> out) const;
  [[nodiscard]] SwitchId neighbour(SwitchId node, PortId port) const;

  std::vector<Routes> routes_;                 // by switch
  std::vector<const Forwarding*> forwarding_;  // by switch
  std::vector<std::uint32_t> first_port_;      // by switch, and one more: where its ports start in neighbours_
  std::vector<SwitchId> neighbours_;           // by port; none: a host
  std::vector<SwitchId> edges_;                // by host
};

/// The path of `key` from its source: the egress port of each switch on the way, as far as `paths` foresees it.
std::vector<Hop> path_of(const PathView& paths, const FlowKey& key);

}  // namespace weir
