// SPDX-License-Identifier: Apache-2.0
// TOML text to values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// The largest scenario file that is read, in bytes. Long lists of flows belong in a file of their own.
inline constexpr std::size_t kLargestScenario = 4 * 1024 * 1024;

/// How many parts a name may have that stands for a table in a table: `switch.buffer_policy.alpha` has three.
inline constexpr std::size_t kMostNameParts = 16;

/// Reads TOML. A syntax error ends it: none(), and the diagnostic.
std::optional<Value> parse_toml(std::string_view text, Diagnostics& diagnostics);

/// Reads a file. What is not a file, cannot be read, is empty, too large or not text is a diagnostic.
std::optional<Value> load_toml(const std::string& path, Diagnostics& diagnostics);

/// Reads `key.path=value`, as the option --set has it. The value is TOML; what is none is a text, so that quotes may be
/// left out: `switch.buffer=12 MB`. Gives the nested table.
std::optional<Value> parse_assignment(std::string_view assignment, Diagnostics& diagnostics);

}  // namespace weir
