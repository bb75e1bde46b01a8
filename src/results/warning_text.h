// SPDX-License-Identifier: Apache-2.0
// What makes the results of runs doubtful, for who reads them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A paragraph for each warning, and for the drops of lossless priorities of each run; a warning that several runs have
/// comes once, with their labels unless all have it. Lines take at most `width` columns; zero: any width. Empty, or
/// ends with a line break.
std::string warning_text(const std::vector<RunSummary>& runs, std::size_t width);

}  // namespace weir
