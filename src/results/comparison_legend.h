// SPDX-License-Identifier: Apache-2.0
// What the columns of comparisons mean.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// The meanings of those column heads that occur.
std::string comparison_legend(const std::vector<RunSummary>& runs);

}  // namespace weir
