// SPDX-License-Identifier: Apache-2.0
// Sentences that summarise the numbers of several runs.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// Sentences on how the runs differ, each true for exactly these numbers. Runs that failed or were interrupted are
/// named and not compared. Empty for fewer than two runs.
std::vector<std::string> statements_on(const std::vector<RunSummary>& runs);

}  // namespace weir
