// SPDX-License-Identifier: Apache-2.0
// The conclusions of weir check about a scenario, each once for all variants.
#pragma once

#include <cstddef>
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

/// What is true of some variants.
struct VerdictLine {
  std::string text;
  std::vector<std::size_t> variants;  ///< of Scenario::variants, ascending
};

struct Verdict {
  std::vector<VerdictLine> errors;
  std::vector<VerdictLine> warnings;        ///< cyclic buffer dependencies among them
  std::vector<VerdictLine> free_of_cycles;  ///< what is said of variants in which buffers cannot wait for each other
};

Verdict verdict_of(const Scenario& scenario, const std::vector<CheckedVariant>& checked,
                   const std::vector<CheckedFailures>& failures);

/// A heading that says whether it is good, then a line for each of the verdict, with the variants that have it unless
/// all have. Ends with a line break.
std::string verdict_text(const Scenario& scenario, const Verdict& verdict);

}  // namespace weir
