// SPDX-License-Identifier: Apache-2.0
// The conclusions of weir check about a scenario, each once for all variants.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "net/failure_cycles.h"
#include "scenario/scenario.h"

namespace weir {

/// Cyclic buffer dependencies of one variant under failures other than those in its scenario.
struct CheckedFailures {
  bool examined = false;  ///< false: no switch of it can pause another
  OneFailureCycles cycles;
};

/// One per variant, computed once for all variants with the same network, weights and exempt turns.
std::vector<CheckedFailures> check_failures(const std::vector<ScenarioVariant>& variants,
                                            const std::vector<CheckedVariant>& checked);

/// A heading with the verdict, then one line per error, warning and cycle, with the variants to which it applies unless
/// it applies to all. Ends with a line break.
std::string verdict_text(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                         const std::vector<CheckedFailures>& failures);

}  // namespace weir
