// SPDX-License-Identifier: Apache-2.0
// Positions in a file of bytes of a TOML text.
#pragma once

#include <cstddef>
#include <string_view>

#include "config/value.h"

namespace weir {

/// The position of the byte at `offset` of a text value that begins at `text` in a file. Correct for texts without
/// escapes: '...' or "..." on one line, or multi-line ones, whose first line break TOML omits.
Origin position_in(std::string_view file, const Origin& text, std::string_view value, std::size_t offset);

}  // namespace weir
