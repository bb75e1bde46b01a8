// SPDX-License-Identifier: Apache-2.0
// What the numbers of several runs say, in sentences.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// Plain sentences on how the runs differ, each true of exactly these numbers: what cannot be said is left out, and
/// runs that failed or were interrupted are named and not compared. Empty for fewer than two runs.
std::vector<std::string> statements_on(const std::vector<RunSummary>& runs);

}  // namespace weir
