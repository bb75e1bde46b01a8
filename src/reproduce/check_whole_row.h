// SPDX-License-Identifier: Apache-2.0
// All checks of a row that do not require running it.
#pragma once

#include <string>
#include <vector>

#include "reproduce/row.h"

namespace weir {

/// Checks both forms, as they are and with the alternative of each assumption, which must change a run of either form.
/// One line per error.
std::vector<std::string> check_whole_row(const Row& row);

}  // namespace weir
