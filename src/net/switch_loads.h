// SPDX-License-Identifier: Apache-2.0
// The load of links for demands between switches, with all links up and equal next hops: for large networks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"

namespace weir {

/// Traffic from the hosts of one switch to those of another.
struct SwitchDemand {
  SwitchId source;
  SwitchId target;
  double amount = 0;
};

/// The load of the link of a switch's port, in sending direction.
struct SwitchLoad {
  SwitchId from;
  PortId port;
  double amount = 0;
};

/// LoadSplitter for demands between connected switches, without routing tables.
class SwitchLoads {
 public:
  explicit SwitchLoads(const Topology& topology);

  /// The links between switches with non-zero load, by switch and port. `demands` are in ascending order of target;
  /// those of a switch to itself load nothing. Time O(targets x links).
  std::vector<SwitchLoad> split(std::span<const SwitchDemand> demands);

 private:
  struct Edge {
    std::uint32_t to;
    std::uint32_t number;  // of the direction
  };

  void search(std::uint32_t target);

  std::vector<std::size_t> first_;  // by switch: of its edges
  std::vector<Edge> edges_;
  std::vector<SwitchLoad> directions_;
  std::vector<double> sums_;  // by direction
  std::vector<double> flow_;  // by switch
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> first_hop_;  // by position in order_
  std::vector<Edge> hops_;
};

}  // namespace weir
