// SPDX-License-Identifier: Apache-2.0
// The whole scenario language: what the scenario's sections declare, and [[picture]].
#pragma once

#include <vector>

#include "scenario/reference.h"

namespace weir {

/// Every table of a scenario, in the order of a scenario.
std::vector<ReferenceTable> language_reference();

}  // namespace weir
