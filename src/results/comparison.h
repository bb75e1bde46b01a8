// SPDX-License-Identifier: Apache-2.0
// The text shown to the user after several runs.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A table with one row per run, a table of slowdowns by flow size, and a paragraph on how the runs differ. Lines take
/// at most `width` columns if possible; zero: any width. Failed and interrupted runs are marked, with the reason.
/// `runs` must be summarised with the same size bins. Ends with a line break; empty for no runs. UTF-8.
std::string format_comparison(const std::vector<RunSummary>& runs, std::size_t width);

}  // namespace weir
