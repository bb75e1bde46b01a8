// SPDX-License-Identifier: Apache-2.0
// JSON as values with their places (RFC 8259).
#pragma once

#include <optional>
#include <string_view>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// How deep arrays and objects may nest.
inline constexpr int kMostJsonDepth = 100;

/// The one value that the text holds. Numbers without fraction and exponent that an int64 holds are integers, others
/// are doubles; `null` members and elements are left out, as if they had not been written. Nothing, with an error
/// that names line and column, where the text is no JSON, an object has a name twice, or it nests too deep.
std::optional<Value> parse_json(std::string_view text, Diagnostics& diagnostics);

}  // namespace weir
