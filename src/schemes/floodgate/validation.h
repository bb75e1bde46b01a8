// SPDX-License-Identifier: Apache-2.0
// Validation of Floodgate's parameters before a run.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::floodgate {

/// Scheme::errors.
std::vector<std::string> errors(const Parameters& parameters);
/// Scheme::idle.
std::vector<IdleParameter> idle(const Parameters& parameters);
/// Scheme::derived.
std::vector<DerivedValue> derived(const Parameters& parameters, const SchemeSurroundings& around);
/// Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::floodgate
