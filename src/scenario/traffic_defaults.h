// SPDX-License-Identifier: Apache-2.0
// Parameters whose defaults depend on the offered traffic.
#pragma once

#include <cstdint>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "fabric/settings.h"
#include "scenario/traffic_entry.h"
#include "units/size_segment.h"

namespace weir {

/// The sizes of the flows of all traffic, each source in proportion to its flows per second. Sources whose rate depends
/// on the network, and listed flows without a rate, count only if no other traffic is offered: then each source counts
/// alike, and so does each listed flow. Empty: no size is known.
std::vector<SizeSegment> offered_sizes(const std::vector<TrafficEntry>& traffic, std::uint64_t seed);

/// Gives such parameters their values, in the settings and in the effective configuration. Everything read so far is
/// valid. Values that a scheme rejects are added to the diagnostics.
void settle_traffic_defaults(Settings& settings, const std::vector<TrafficEntry>& traffic, EffectiveTable& effective,
                             Diagnostics& diagnostics);

}  // namespace weir
