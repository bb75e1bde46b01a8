// SPDX-License-Identifier: Apache-2.0
// Parameters of a scheme or of an analysis as a table.
#pragma once

#include <span>
#include <string>

#include "policy/parameters.h"
#include "policy/scheme.h"

namespace weir::apps {

/// Name, type, default, meaning and source of each parameter.
std::string parameters_text(std::span<const ParameterSpec> parameters);
/// The same for a scheme; if its roles have different parameters, also the tables where each can be given.
std::string parameters_text(const Scheme& scheme);

}  // namespace weir::apps
