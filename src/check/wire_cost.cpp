// SPDX-License-Identifier: Apache-2.0
#include "check/wire_cost.h"

#include <cstdint>
#include <optional>

#include "check/part_needs.h"
#include "traffic/pieces.h"

namespace weir {
namespace {

/// The mean number of packets of a flow after its first `early` ones.
double mean_late_packets(const FlowSize& size, std::int64_t payload, std::int64_t early) {
  const auto first = static_cast<double>(early * payload);
  const Bytes packet(payload);
  const auto integral = [&](double bytes) { return bytes > first ? integral_of_pieces(bytes - first, packet) : 0.0; };
  double mean = 0;
  for (const SizeSegment& segment : size.segments()) {
    if (segment.high <= first) continue;
    mean += segment.share * (segment.low == segment.high
                                 ? pieces_of(segment.low - first, packet)
                                 : (integral(segment.high) - integral(segment.low)) / (segment.high - segment.low));
  }
  return mean;
}

}  // namespace

WireCost wire_cost(const FlowSize& size, const HostSettings& hosts, const Framing& framing) {
  const double packets = size.mean_pieces(Bytes(hosts.payload));
  const double mean = size.mean();
  // The headers alone exceed the minimum frame size, so no data frame is padded.
  const double data = mean + packets * (framing.data(0) + framing.wire_overhead);
  if (const std::optional<ControlCost> cost = control_cost(hosts, framing)) {
    const double late = cost->per_late_packet > 0 ? mean_late_packets(size, hosts.payload, cost->early_packets) : 0;
    return {(data + cost->by_sender) / mean,
            (cost->per_message + packets * cost->per_packet + late * cost->per_late_packet) / mean,
            cost->per_packet_share < 1 ? packets * cost->per_packet / cost->per_packet_share / mean : 0};
  }
  const double acknowledgements = size.mean_pieces(Bytes(hosts.payload) * std::int64_t{hosts.acknowledge_every});
  return {data / mean, acknowledgements * (framing.acknowledge() + framing.wire_overhead) / mean};
}

}  // namespace weir
