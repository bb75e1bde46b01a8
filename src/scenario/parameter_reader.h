// SPDX-License-Identifier: Apache-2.0
// Reads a parameter as its ParameterSpec describes it.
#pragma once

#include <string>

#include "config/reader.h"
#include "policy/parameters.h"

namespace weir {

/// Reads the key that `spec` names from `table`: type and unit, range or choices, and the default if the key is
/// missing. Defaults that depend on the network get their values from settle_network_defaults(). Errors go to the
/// table's diagnostics and leave `parameters`, which must know the name, unchanged.
void read_parameter(Reader& table, const ParameterSpec& spec, Parameters& parameters);

/// "at least 1 us and at most 2 s"; for a list, the range of each element; empty: unlimited.
std::string range_text(const ParameterSpec& spec);

}  // namespace weir
