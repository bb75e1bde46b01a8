// SPDX-License-Identifier: Apache-2.0
// Reading a parameter as its ParameterSpec describes it.
#pragma once

#include <string>

#include "config/reader.h"
#include "policy/parameters.h"

namespace weir {

/// Reads the key that `spec` names from `table`: its kind with unit, its range or choices, its default where the key is
/// missing; of a default that is a figure of the network settle_network_defaults() makes the value. What is wrong goes
/// to the table's diagnostics and leaves `parameters`, which must know the name, as it was.
void read_parameter(Reader& table, const ParameterSpec& spec, Parameters& parameters);

/// "at least 1 us and at most 2 s", of a list what holds for each element; empty: anything.
std::string range_text(const ParameterSpec& spec);

}  // namespace weir
