// Reading a parameter as its ParameterSpec describes it.
#pragma once

#include "config/reader.h"
#include "policy/parameters.h"

namespace weir {

/// Reads the key that `spec` names from `table`: its kind with unit, its range or choices, its default where the key is
/// missing. What is wrong goes to the table's diagnostics and leaves `parameters`, which must know the name, as it was.
void read_parameter(Reader& table, const ParameterSpec& spec, Parameters& parameters);

}  // namespace weir
