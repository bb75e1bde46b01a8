// SPDX-License-Identifier: Apache-2.0
// What a user reads when several runs are done.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A table with a row a run, a table of slowdowns by flow size, and a paragraph on how the runs differ. Lines take at
/// most `width` columns where that is possible; zero: any width. A run that failed or was interrupted is marked so and
/// says why. `runs` must be summarised by the same size bins. Ends with a line break; empty for no runs. UTF-8.
std::string format_comparison(const std::vector<RunSummary>& runs, std::size_t width);

}  // namespace weir
