// SPDX-License-Identifier: Apache-2.0
// How runs are told apart in tables.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A name for each run, in their order: the variant, or the scenario of a run without variants, with the scenario
/// before it where scenarios differ, and after it its parameters and, where seeds differ, the seed. Control characters
/// become '?'.
std::vector<std::string> run_labels(const std::vector<RunSummary>& runs);

}  // namespace weir
