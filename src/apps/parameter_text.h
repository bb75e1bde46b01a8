// SPDX-License-Identifier: Apache-2.0
// Parameters as a table: of a scheme, of an analysis.
#pragma once

#include <span>
#include <string>

#include "policy/parameters.h"

namespace weir::apps {

/// Name, kind, default, meaning and source of each.
std::string parameters_text(std::span<const ParameterSpec> parameters);

}  // namespace weir::apps
