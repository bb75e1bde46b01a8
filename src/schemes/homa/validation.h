// SPDX-License-Identifier: Apache-2.0
// Homa's parameters: their defaults from the traffic, what is refused, and what it needs of a network.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/scheme.h"

namespace weir::homa {

/// See Scheme::from_traffic.
std::vector<std::pair<std::string_view, ParameterValue>> from_traffic(const Parameters& parameters,
                                                                      std::span<const SizeSegment> sizes);
/// See Scheme::errors.
std::vector<std::string> errors(const Parameters& parameters);
/// See Scheme::warnings.
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around);

}  // namespace weir::homa
