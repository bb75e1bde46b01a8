// SPDX-License-Identifier: Apache-2.0
// How runs are told apart in tables.
#pragma once

#include <string>
#include <vector>

#include "results/summary.h"

namespace weir {

/// A name for each run, in their order: the variant, or the scenario of a run without variants, with the scenario
/// before it where scenarios differ and the seed after it where seeds do. Control characters become '?'.
std::vector<std::string> run_labels(const std::vector<RunSummary>& runs);

}  // namespace weir
