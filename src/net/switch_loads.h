// SPDX-License-Identifier: Apache-2.0
// What demands between switches come to on links, with all links up and equal next hops: for large networks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/topology.h"

namespace weir {

/// What hosts at one switch want to send to hosts at another.
struct SwitchDemand {
  SwitchId source;
  SwitchId target;
  double amount = 0;
};

/// On the link that a port of a switch sends to.
struct SwitchLoad {
  SwitchId from;
  PortId port;
  double amount = 0;
};

/// LoadSplitter for demands between switches that are connected, without routing tables.
class SwitchLoads {
 public:
  explicit SwitchLoads(const Topology& topology);

  /// The links between switches that are offered anything, by switch and port. `demands` are in ascending order of
  /// target; those of a switch to itself load nothing. Time O(targets x links).
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
  std::vector<std::size_t> first_hop_;  // by place in order_
  std::vector<Edge> hops_;
};

}  // namespace weir
