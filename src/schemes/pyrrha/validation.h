// SPDX-License-Identifier: Apache-2.0
// Which parameters of Pyrrha are rejected, and which cause warnings.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::pyrrha {

/// See Scheme::errors.
std::vector<std::string> errors(const Parameters& parameters);
/// See Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::pyrrha
