// SPDX-License-Identifier: Apache-2.0
// What the parts of schemes say of the network in which they are to run (schemes/declared_needs.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "scenario/traffic_entry.h"
#include "schemes/declared_needs.h"

namespace weir {

/// What the transport of the hosts sends besides data; nothing: as RoCEv2's reliable connections do.
std::optional<ControlCost> control_cost(const HostSettings& hosts, const Framing& framing);

struct PartStatements {
  std::vector<std::string> warnings;
  std::vector<std::string> notes;
};
/// Of the transport of the hosts and of the flow controls of all switches, each line once, with the scheme's name. The
/// network has links.
PartStatements statements_of_parts(const Settings& settings, const std::vector<TrafficEntry>& traffic);

}  // namespace weir
