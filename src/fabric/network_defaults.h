// SPDX-License-Identifier: Apache-2.0
// What parameters of schemes take from the network, and base round trips of a whole network.
#pragma once

#include <optional>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// Of all pairs of hosts, without queueing: a full packet there, its acknowledgement back, with the bytes that schemes
/// add to them.
struct RoundTrips {
  Duration shortest = Duration::max();  ///< max(): no two hosts are connected
  Duration longest;                     ///< zero: no two hosts are connected
  Bytes bandwidth_delay_product;        ///< the largest
};

/// On the routes without these links.
RoundTrips round_trips(const Settings& settings, const std::vector<LinkId>& failed);

/// The figures of a network, worked out when one of their kind is first asked for.
class NetworkFigures {
 public:
  /// The settings have to stay. What they say of parameters that come from the network does not matter.
  explicit NetworkFigures(const Settings& settings) : settings_(settings) {}

  /// The value of a parameter whose default is a figure of the network. The spec's default where there is no host.
  [[nodiscard]] ParameterValue value_of(const ParameterSpec& spec);

 private:
  [[nodiscard]] const RoundTrips& of_round_trips();
  [[nodiscard]] std::vector<BitRate> host_rates() const;

  const Settings& settings_;
  std::optional<RoundTrips> round_trips_;
};

/// Settings in which each parameter has its value; nothing where it has one already, as after reading a scenario.
/// Throws std::invalid_argument when such a value is out of the parameter's range.
std::optional<Settings> with_network_defaults(const Settings& settings);

}  // namespace weir
