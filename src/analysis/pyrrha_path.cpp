// SPDX-License-Identifier: Apache-2.0
#include "analysis/pyrrha_path.h"

namespace weir::pyrrha_path {
namespace {

constexpr int kFlag = 0x80;  // one bit above a position of seven bits

std::uint16_t switch_id(int upper, int lower) {
  return static_cast<std::uint16_t>((upper << 8) | lower);
}

}  // namespace

std::uint16_t edge_id(int pod, int position) {
  return switch_id(pod, kFlag | position);
}

std::uint16_t aggregation_id(int pod, int position) {
  return switch_id(pod, position);
}

std::uint16_t core_id(int aggregation, int position) {
  return switch_id(aggregation, position);
}

std::uint8_t uplink_id(int position) {
  return static_cast<std::uint8_t>(kFlag | position);
}

std::uint8_t downlink_id(int position) {
  return static_cast<std::uint8_t>(position);
}

Path path(const Address& source, const Address& destination, const Uplink& edge, const Uplink& aggregation) {
  const bool same_pod = source.pod == destination.pod;
  const bool same_edge = same_pod && source.edge == destination.edge;
  Path out;
  if (!same_edge) {
    const std::uint16_t own = edge_id(source.pod, source.edge);
    const int up = edge(own);
    ++out.hashes;
    out.hops.push_back({Stage::source_edge, own, uplink_id(up)});
    if (!same_pod) {
      const std::uint16_t above = aggregation_id(source.pod, up);
      ++out.lookups;
      const int higher = aggregation(above);
      ++out.hashes;
      out.hops.push_back({Stage::source_aggregation, above, uplink_id(higher)});
      out.hops.push_back({Stage::core, core_id(up, higher), static_cast<std::uint8_t>(destination.pod)});
    }
    out.hops.push_back(
        {Stage::destination_aggregation, aggregation_id(destination.pod, up), downlink_id(destination.edge)});
  }
  out.hops.push_back(
      {Stage::destination_edge, edge_id(destination.pod, destination.edge), downlink_id(destination.host)});
  return out;
}

}  // namespace weir::pyrrha_path
