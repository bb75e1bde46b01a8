// SPDX-License-Identifier: Apache-2.0
// The text shown to the user after one run.
#pragma once

#include <string>

#include "results/summary.h"

namespace weir {

/// Tables of one run: completion times by class and by size, buffers and drops by tier, pauses between tiers, and
/// packets blocked by pauses. Empty parts are omitted. Lines take at most `width` columns if possible; zero: any width.
/// The text begins with the reason if a run failed or was interrupted; warnings come last. Ends with a line break.
/// UTF-8.
std::string format_run(const RunSummary& run, std::size_t width);

}  // namespace weir
