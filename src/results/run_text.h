// SPDX-License-Identifier: Apache-2.0
// What a user reads when one run is done.
#pragma once

#include <string>

#include "results/summary.h"

namespace weir {

/// Tables of one run: completion times by class and by size, buffers and drops by tier, who paused whom, and what
/// pauses held. Parts without anything to tell are left out. Lines take at most `width` columns where that is possible;
/// zero: any width. A run that failed or was interrupted says so first; warnings come last. Ends with a line break.
/// UTF-8.
std::string format_run(const RunSummary& run, std::size_t width);

}  // namespace weir
