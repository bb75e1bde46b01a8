// SPDX-License-Identifier: Apache-2.0
// What weir check concludes of a scenario: each thing once, whatever the variants.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "net/failure_cycles.h"
#include "scenario/scenario.h"

namespace weir {

/// Cyclic buffer dependencies of one variant, beyond the failures that its scenario has.
struct CheckedFailures {
  bool examined = false;  ///< false: no switch of it can hold back another
  OneFailureCycles cycles;
};

/// Of each variant, worked out once for all that agree in network, weights and exempt turns.
std::vector<CheckedFailures> check_failures(const std::vector<ScenarioVariant>& variants,
                                            const std::vector<CheckedVariant>& checked);

/// A heading that says whether it is good, then a line for each error, warning and cycle, with the variants that have
/// it unless all have. Ends with a line break.
std::string verdict_text(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                         const std::vector<CheckedFailures>& failures);

}  // namespace weir
