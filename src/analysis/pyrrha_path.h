// SPDX-License-Identifier: Apache-2.0
// The path of a packet through a fat-tree with regular addresses, as its first switch computes it (pyrrha E.1.3).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace weir::pyrrha_path {

/// 10.pod.edge.host: positions, each counted from 0. E.1.3 calls the edge "switch".
struct Address {
  int pod = 0;   ///< 0 to k - 1
  int edge = 0;  ///< of the pod, 0 to k/2 - 1
  int host = 0;  ///< of the edge switch, 0 to k/2 - 1
  bool operator==(const Address&) const = default;
};

/// The pattern of the IDs supports a fat-tree of at most this many ports per switch.
inline constexpr int kMostPorts = 128;

enum class Stage { source_edge, source_aggregation, core, destination_aggregation, destination_edge };

/// A row of table 1: an egress port on the path.
struct Hop {
  Stage stage = Stage::source_edge;
  std::uint16_t switch_id = 0;  ///< unique among the switches of the packet's n-th hop, not in the network
  std::uint8_t port_id = 0;     ///< the highest bit is set for uplinks of edge and aggregation switches
  bool operator==(const Hop&) const = default;
};

struct Path {
  std::vector<Hop> hops;
  int hashes = 0;   ///< calls of the hash function
  int lookups = 0;  ///< of hash seeds of other switches
};

/// The hash of the packet's header at a switch, as the position of an uplink, 0 to k/2 - 1.
using Uplink = std::function<int(std::uint16_t switch_id)>;

/// Algorithm 1 and table 1. `edge` is the hash at the source's edge switch, `aggregation` that at an aggregation switch
/// of its pod, whose seed must be looked up. Two details follow the text of E.1.3, not the print:
/// - Algorithm 1 looks up a seed whenever source and destination are in different pods *or at the same switch*. In the
///   latter case there is "no need to perform any calculations".
/// - Table 1 sets the highest bit of the port at the destination's aggregation switch, which is a downlink: "it is 0
///   for a downlink port". Set, it would be the ID of an uplink of the same switch, at the same distance for packets
///   within a pod.
Path path(const Address& source, const Address& destination, const Uplink& edge, const Uplink& aggregation);

std::uint16_t edge_id(int pod, int position);
std::uint16_t aggregation_id(int pod, int position);
/// The core that is the `position`-th of those linked to the `aggregation`-th switch of each pod.
std::uint16_t core_id(int aggregation, int position);
std::uint8_t uplink_id(int position);
/// Of edge and aggregation switches. A core's port has the number of its pod.
std::uint8_t downlink_id(int position);

}  // namespace weir::pyrrha_path
