// SPDX-License-Identifier: Apache-2.0
// What NDP needs of a network beyond the ranges of its parameters.
#pragma once

#include <string>
#include <vector>

#include "policy/scheme.h"

namespace weir::ndp {

/// See Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::ndp
