// SPDX-License-Identifier: Apache-2.0
#include "net/switch_loads.h"

#include <algorithm>
#include <limits>

namespace weir {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

}  // namespace

SwitchLoads::SwitchLoads(const Topology& topology) : flow_(topology.switches()), distance_(topology.switches()) {
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    first_.push_back(edges_.size());
    const std::vector<PortEnd>& ports = topology.ports(topology.node_of(SwitchId(at)));
    for (std::size_t port = 0; port < ports.size(); ++port) {
      const Node& peer = topology.node(ports[port].peer);
      if (peer.is_host()) continue;
      edges_.push_back({peer.switch_id.value, static_cast<std::uint32_t>(directions_.size())});
      directions_.push_back({SwitchId(at), PortId(port), 0});
    }
  }
  first_.push_back(edges_.size());
  sums_.resize(directions_.size());
}

std::vector<SwitchLoad> SwitchLoads::split(std::span<const SwitchDemand> demands) {
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (std::size_t i = 0; i < demands.size();) {
    const SwitchId target = demands[i].target;
    std::fill(flow_.begin(), flow_.end(), 0.0);
    for (; i < demands.size() && demands[i].target == target; ++i)
      flow_[demands[i].source.index()] += demands[i].amount;
    search(target.value);
    for (std::size_t place = order_.size(); place-- > 1;) {
      const double flow = flow_[order_[place]];
      if (flow == 0) continue;
      const std::span<const Edge> hops(hops_.data() + first_hop_[place], first_hop_[place + 1] - first_hop_[place]);
      const double share = flow / static_cast<double>(hops.size());
      for (const Edge& hop : hops) {
        sums_[hop.number] += share;
        flow_[hop.to] += share;
      }
    }
  }
  std::vector<SwitchLoad> out;
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    if (sums_[i] <= 0) continue;
    out.push_back(directions_[i]);
    out.back().amount = sums_[i];
  }
  return out;
}

void SwitchLoads::search(std::uint32_t target) {
  std::fill(distance_.begin(), distance_.end(), kUnreached);
  order_.assign(1, target);
  first_hop_.clear();
  hops_.clear();
  distance_[target] = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::uint32_t at = order_[i];
    first_hop_.push_back(hops_.size());
    const std::uint32_t nearer = distance_[at] - 1;
    for (std::size_t edge = first_[at]; edge < first_[at + 1]; ++edge) {
      const Edge& next = edges_[edge];
      const std::uint32_t distance = distance_[next.to];
      if (distance == kUnreached) {
        distance_[next.to] = nearer + 2;
        order_.push_back(next.to);
      } else if (distance == nearer) {
        hops_.push_back(next);
      }
    }
  }
  first_hop_.push_back(hops_.size());
}

}  // namespace weir
