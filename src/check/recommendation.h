// SPDX-License-Identifier: Apache-2.0
// Headroom, thresholds and marking that suit a fabric, each with its formula and source, as part of a scenario.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "scenario/scenario.h"

namespace weir {

/// A variant "recommended" in TOML, to paste at the end of the scenario. It is laid over the base of the scenario, so
/// it names what the variant that it is worked out for has beside. Worked out for the first variant with lossless
/// priorities whose senders answer marks; else for the first with lossless priorities. A comment alone where no variant
/// has any, or where headroom leaves nothing of a buffer. Names as `recommended` itself where a variant has that name.
std::string recommendation(const std::vector<ScenarioVariant>& variants, const std::vector<CheckedVariant>& checked);

}  // namespace weir
