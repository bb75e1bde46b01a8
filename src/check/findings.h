// SPDX-License-Identifier: Apache-2.0
// The results of check_variant() in the form of a run's record.
#pragma once

#include <vector>

#include "check/check.h"
#include "results/finding.h"

namespace weir {

/// Warnings, a cyclic buffer dependency, notes. Errors are not included, because they prevent the run.
std::vector<RunFinding> findings_of(const CheckedVariant& checked, const Topology& topology);

}  // namespace weir
