// SPDX-License-Identifier: Apache-2.0
// Everything that can be known of a row without running it.
#pragma once

#include <string>
#include <vector>

#include "reproduce/row.h"

namespace weir {

/// Both forms, as they are and with the alternative of each assumption, which is to change a run of either form. One
/// line per error.
std::vector<std::string> check_whole_row(const Row& row);

}  // namespace weir
