// SPDX-License-Identifier: Apache-2.0
// Parameters whose defaults are figures of the network: their values, and where one sees them.
#pragma once

#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "fabric/settings.h"

namespace weir {

/// Gives such parameters their values, in the settings and in what takes effect; `settings` has network, switches and
/// hosts, and nothing that was read is wrong. What is out of a parameter's range, and what a scheme rejects with
/// these values, goes to the diagnostics.
void settle_network_defaults(Settings& settings, EffectiveTable& effective, Diagnostics& diagnostics);

/// "switch.congestion_point.0.interval = \"12.3 us\" (from the network: one round-trip time)": a line each.
std::vector<std::string> network_default_lines(const EffectiveTable& effective);

}  // namespace weir
