// SPDX-License-Identifier: Apache-2.0
// The time range of events.
#pragma once

#include "fabric/settings.h"

namespace weir {

/// All events of such a network must be before this time: time and number of an event share 64 bits.
Time event_limit(const Topology& topology);
/// The maximum time by which events are scheduled beyond the present time of a run.
Duration longest_reach(const Settings& settings);
/// All flows must start, and the run must end, before this time. The start of the run if nothing can run at all.
Time run_limit(const Settings& settings);

/// The end of the run, including its drain; never() if that depends on the traffic, or is out of range.
Time latest_end(const RunSettings& run);

}  // namespace weir
