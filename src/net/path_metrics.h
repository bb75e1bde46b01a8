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

/// The frames whose serialisation is included in a base round trip, once per link of the path (switches store and
/// forward): in bytes on the wire. The public HPCC simulator includes one largest payload in the forward direction and
/// nothing in the reverse direction; its base round trip results from {payload, 0}.
struct RoundTripFrames {
  Bytes data;  ///< in the forward direction
  Bytes ack;   ///< in the reverse direction
};

/// Twice the propagation delay plus the serialisation of `frames` over the link of `source` and the links of `path`,
/// which ends at the destination's port.
Duration base_round_trip(const Topology& topology, HostId source, std::span<const Hop> path,
                         const RoundTripFrames& frames);

/// The lowest rate among the link of `source` and the links of `path`.
BitRate minimum_rate(const Topology& topology, HostId source, std::span<const Hop> path);

/// The range of properties of the equal-cost paths of a host pair; in most networks they are all the same.
struct PathRange {
  Duration shortest;        ///< the minimum base round trip
  Duration longest;         ///< the maximum
  BitRate narrowest;        ///< the minimum of the paths' lowest rates
  BitRate widest;           ///< the maximum of them
  std::uint32_t links = 0;  ///< of the longest path
};

/// The base round trips and lowest rates of all host pairs under the given routes, computed per pair of switches with
/// hosts. The reverse path is assumed to equal the forward path.
class PathMetrics {
 public:
  /// `routes` has one entry per switch; `topology` has no errors.
  PathMetrics(const Topology& topology, std::span<const Routes> routes, const RoundTripFrames& frames);

  /// Nothing if there is no path, or if both are the same host.
  [[nodiscard]] std::optional<PathRange> between(HostId source, HostId destination) const;

  /// The shortest base round trip of any pair; Duration::max() if no pair is connected.
  [[nodiscard]] Duration shortest_round_trip() const { return shortest_round_trip_; }
  /// The longest base round trip of any pair; zero if no pair is connected.
  [[nodiscard]] Duration longest_round_trip() const { return longest_round_trip_; }
  /// The maximum over all pairs of longest base round trip times widest path, rounded down.
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
  std::vector<PathRange> fabric_;  // without the hosts' links; zero `widest`: no path
  Duration shortest_round_trip_ = Duration::max();
  Duration longest_round_trip_;
  Bytes largest_product_;
};

}  // namespace weir
