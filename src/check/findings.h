// SPDX-License-Identifier: Apache-2.0
// What check_variant() found, as a run's record keeps it.
#pragma once

#include <vector>

#include "check/check.h"
#include "results/finding.h"

namespace weir {

/// Warnings, a cyclic buffer dependency, notes. Errors are none of them: nothing runs then.
std::vector<RunFinding> findings_of(const CheckedVariant& checked, const Topology& topology);

}  // namespace weir
