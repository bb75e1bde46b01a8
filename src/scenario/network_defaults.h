// SPDX-License-Identifier: Apache-2.0
// Parameters whose defaults depend on the network: their values, and where users see them.
#pragma once

#include <string>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "fabric/settings.h"

namespace weir {

/// Gives such parameters their values, in the settings and in the effective configuration. `settings` has network,
/// switches and hosts, and everything read so far is valid. Values out of a parameter's range, and values that a scheme
/// rejects, are added to the diagnostics.
void settle_network_defaults(Settings& settings, EffectiveTable& effective, Diagnostics& diagnostics);

/// One line per parameter whose default comes from the network or the traffic:
/// "switch.congestion_point.0.interval = \"12.3 us\" (from the network: one round-trip time)".
std::vector<std::string> network_default_lines(const EffectiveTable& effective);

}  // namespace weir
