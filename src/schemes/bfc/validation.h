// SPDX-License-Identifier: Apache-2.0
// Validation of BFC's parameters before a run.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::bfc {

/// Whether flows are paused: the ideal.
bool by_flow(const Parameters& parameters);

/// Scheme::errors.
std::vector<std::string> errors(const Parameters& parameters);
/// Scheme::refusals.
std::vector<ParameterRefusal> refusals(const Parameters& parameters, const SchemePlace& place);
/// Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::bfc
