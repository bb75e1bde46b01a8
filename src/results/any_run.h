// SPDX-License-Identifier: Apache-2.0
// Whether a property holds for one of the runs that a table compares.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "results/summary.h"

namespace weir {

/// Whether `has` is true of at least one run.
inline bool any_run(const std::vector<RunSummary>& runs, const std::function<bool(const RunSummary&)>& has) {
  return std::any_of(runs.begin(), runs.end(), has);
}

}  // namespace weir
