// SPDX-License-Identifier: Apache-2.0
// Warnings that cast doubt on the results of runs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// One paragraph per warning, and per run with drops of lossless priorities. A warning of several runs appears once,
/// with their labels unless all have it. Lines take at most `width` columns; zero: any width. Empty, or ends with a
/// line break.
std::string warning_text(const std::vector<RunSummary>& runs, std::size_t width);

}  // namespace weir
