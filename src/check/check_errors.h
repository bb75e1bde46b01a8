// SPDX-License-Identifier: Apache-2.0
// What weir check refuses, as lines that say where it was written.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"
#include "scenario/scenario.h"

namespace weir {

/// The errors of all variants, `checked` one each, in the form and order of Diagnostics::lines(). A value that was not
/// given has no line.
std::vector<std::string> check_errors(const Scenario& scenario, const std::vector<CheckedVariant>& checked);

}  // namespace weir
