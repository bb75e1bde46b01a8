// SPDX-License-Identifier: Apache-2.0
#include "net/alike_racks.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace weir {
namespace {

/// The relevant properties of a link, with the switch at its other end; none for a host.
using LinkKind = std::tuple<SwitchId, BitRate, Duration>;

}  // namespace

Topology without_repeated_racks(const Topology& topology) {
  constexpr std::size_t kKept = 2;
  std::map<std::vector<LinkKind>, std::size_t> alike;  // by their links, and the number kept
  Topology out;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const Node& node = topology.node(topology.node_of(SwitchId(i)));
    switches.push_back(out.add_switch(node.name, node.tier, node.pod, node.rack));
  }
  for (const Link& link : topology.links()) {
    const Node& a = topology.node(link.a);
    const Node& b = topology.node(link.b);
    if (a.is_host() || b.is_host()) continue;
    out.connect(switches[a.switch_id.index()], switches[b.switch_id.index()], {link.rate, link.delay, link.error_rate});
  }
  for (std::size_t i = 0; i < topology.switches(); ++i) {
    const NodeId at = topology.node_of(SwitchId(i));
    std::vector<LinkKind> kinds;
    std::map<std::pair<BitRate, Duration>, std::size_t> hosts;
    std::vector<std::pair<NodeId, LinkSpec>> kept;
    for (const PortEnd& end : topology.ports(at)) {
      const Link& link = topology.link(end.link);
      const Node& peer = topology.node(end.peer);
      if (peer.is_host() && ++hosts[{link.rate, link.delay}] > kKept) continue;
      if (peer.is_host()) kept.push_back({end.peer, {link.rate, link.delay, link.error_rate}});
      kinds.emplace_back(peer.switch_id, link.rate, link.delay);
    }
    if (kept.empty()) continue;
    std::sort(kinds.begin(), kinds.end());
    if (++alike[std::move(kinds)] > kKept) continue;
    for (const auto& [host, spec] : kept) out.connect(out.add_host(topology.node(host).name), switches[i], spec);
  }
  return out;
}

}  // namespace weir
