// SPDX-License-Identifier: Apache-2.0
// Recommended headroom, thresholds and marking for a fabric, each with its formula and source, as part of a scenario.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "scenario/scenario.h"

namespace weir {

/// A variant "recommended" in TOML, to append to the scenario. It is merged with the base of the scenario, so it also
/// repeats the other changes of the variant for which it is computed: the first variant with lossless priorities whose
/// senders react to marks; else the first with lossless priorities. Returns only a comment if no variant has any, or if
/// headroom leaves nothing of a buffer. It uses another name if a variant is already called `recommended`.
std::string recommendation(const std::vector<ScenarioVariant>& variants, const std::vector<CheckedVariant>& checked);

}  // namespace weir
