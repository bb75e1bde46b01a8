// SPDX-License-Identifier: Apache-2.0
// The errors of weir check as lines with their positions.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "scenario/scenario.h"

namespace weir {

/// The errors of all variants (`checked`: one per variant), in the form and order of Diagnostics::lines(). A value that
/// was not given has no line number.
std::vector<std::string> check_errors(const Scenario& scenario, const std::vector<CheckedVariant>& checked);

}  // namespace weir
