// SPDX-License-Identifier: Apache-2.0
// Labels that distinguish runs in tables.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A label for each run, in their order: the variant, or the scenario if there are no variants; preceded by the
/// scenario if scenarios differ, and followed by the parameters and, if seeds differ, the seed. Control characters
/// become '?'.
std::vector<std::string> run_labels(const std::vector<RunSummary>& runs);

}  // namespace weir
