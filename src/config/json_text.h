// SPDX-License-Identifier: Apache-2.0
// Parses JSON into values with their positions (RFC 8259).
#pragma once

#include <optional>
#include <string_view>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// Maximum nesting depth of arrays and objects.
inline constexpr int kMostJsonDepth = 100;

/// The single value in the text. Numbers without fraction and exponent that fit into an int64 are integers, others are
/// doubles; `null` members and elements are omitted. Returns nullopt, with an error that gives line and column, if the
/// text is not JSON, an object contains a name twice, or the nesting is too deep.
std::optional<Value> parse_json(std::string_view text, Diagnostics& diagnostics);

}  // namespace weir
