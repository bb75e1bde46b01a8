// SPDX-License-Identifier: Apache-2.0
// Round trips and rates of paths without load.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/topology.h"
#include "policy/path_view.h"
#include "policy/routes.h"
#include "units/bytes.h"

namespace weir {

/// The frames whose serialisation a base round trip counts, once at every link of the path (switches store and
/// forward): in bytes on the wire. The public HPCC simulator counts one largest payload there and nothing back, so its
/// base round trip is had with {payload, 0}.
struct RoundTripFrames {
  Bytes data;  ///< on the way there
  Bytes ack;   ///< on the way back
};

/// Twice the propagation and the serialisation of `frames` over the link of `source` and the links of `path`, which
/// ends at the destination's port.
Duration base_round_trip(const Topology& topology, HostId source, std::span<const Hop> path,
                         const RoundTripFrames& frames);

/// The lowest rate among the link of `source` and the links of `path`.
BitRate minimum_rate(const Topology& topology, HostId source, std::span<const Hop> path);

/// What the equally good paths of a host pair have between them; in most networks they are all alike.
struct PathRange {
  Duration shortest;        ///< the least base round trip
  Duration longest;         ///< the greatest
  BitRate narrowest;        ///< the least of the paths' lowest rates
  BitRate widest;           ///< the greatest of them
  std::uint32_t links = 0;  ///< of the longest path in links
};

/// The base round trips and lowest rates of all host pairs under the given routes, worked out per pair of switches that
/// have hosts. The way back is taken to be the way there.
class PathMetrics {
 public:
  /// `routes` has one entry a switch; `topology` has no errors.
  PathMetrics(const Topology& topology, std::span<const Routes> routes, const RoundTripFrames& frames);

  /// Nothing when there is no path, or when both are the same host.
  [[nodiscard]] std::optional<PathRange> between(HostId source, HostId destination) const;

  /// The shortest base round trip of any pair; Duration::max() when no pair is connected.
  [[nodiscard]] Duration shortest_round_trip() const { return shortest_round_trip_; }
  /// The longest base round trip of any pair; zero when no pair is connected.
  [[nodiscard]] Duration longest_round_trip() const { return longest_round_trip_; }
  /// The greatest product of a pair's longest base round trip and widest path, rounded down.
  [[nodiscard]] Bytes largest_bandwidth_delay_product() const { return largest_product_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct HostLink {
    Duration round_trip;
    BitRate rate;
    std::uint32_t edge = kNone;  // index among switches with hosts; kNone: not connected
    std::uint32_t destination_class = kNone;
  };

  [[nodiscard]] const PathRange& fabric(std::uint32_t edge, std::uint32_t destination_class) const {
    return fabric_[destination_class * edges_ + edge];
  }
  static PathRange joined(const PathRange& fabric, const HostLink& source, const HostLink& destination);
  void find_extremes();

  std::size_t edges_ = 0;
  std::size_t classes_ = 0;
  std::vector<HostLink> hosts_;
  std::vector<PathRange> fabric_;  // without the hosts' links; widest zero: no path
  Duration shortest_round_trip_ = Duration::max();
  Duration longest_round_trip_;
  Bytes largest_product_;
};

}  // namespace weir
