// SPDX-License-Identifier: Apache-2.0
// Parameters of schemes whose defaults come from the network, and base round trips of a whole network.
#pragma once

#include <optional>
#include <vector>

#include "fabric/settings.h"

namespace weir {

/// Over all pairs of hosts, without queueing: for a full packet and its acknowledgement, including the bytes that
/// schemes add.
struct RoundTrips {
  Duration shortest = Duration::max();  ///< max(): no two hosts are connected
  Duration longest;                     ///< zero: no two hosts are connected
  Bytes bandwidth_delay_product;        ///< the largest
};

/// On the routes without these links.
RoundTrips round_trips(const Settings& settings, const std::vector<LinkId>& failed);

/// The figures of a network, computed when the first of a kind is requested.
class NetworkFigures {
 public:
  /// The settings must outlive this object. Their values of parameters that come from the network are ignored.
  explicit NetworkFigures(const Settings& settings) : settings_(settings) {}

  /// The value of a parameter whose default is a figure of the network. The spec's default if there is no host.
  [[nodiscard]] ParameterValue value_of(const ParameterSpec& spec);

 private:
  [[nodiscard]] const RoundTrips& of_round_trips();
  [[nodiscard]] std::vector<BitRate> host_rates() const;

  const Settings& settings_;
  std::optional<RoundTrips> round_trips_;
};

/// Settings in which each parameter has its value; nothing if all have one already, as after reading a scenario. Throws
/// std::invalid_argument if such a value is out of the parameter's range.
std::optional<Settings> with_network_defaults(const Settings& settings);

}  // namespace weir
