// SPDX-License-Identifier: Apache-2.0
// How far ahead events can lie.
#pragma once

#include "fabric/settings.h"

namespace weir {

/// No event of such a network can lie at or after this instant: time and number of an event share 64 bits.
Time event_limit(const Topology& topology);
/// The most by which a run goes beyond an instant that it has come to, with its events.
Duration longest_reach(const Settings& settings);
/// No flow may start, and no run end, at or after this instant. Not after the start where nothing can run at all.
Time run_limit(const Settings& settings);

/// The end of the run, with its drain; never() when that hangs on the traffic, or is out of range.
Time latest_end(const RunSettings& run);

}  // namespace weir
