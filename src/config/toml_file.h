// SPDX-License-Identifier: Apache-2.0
// Parses TOML text into values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "config/diagnostics.h"
#include "config/value.h"

namespace weir {

/// Maximum size of a scenario file, in bytes. Long lists of flows belong in separate files.
inline constexpr std::size_t kLargestScenario = 4 * 1024 * 1024;

/// Maximum number of parts of a dotted name: `switch.buffer_policy.alpha` has three.
inline constexpr std::size_t kMostNameParts = 16;

/// Parses TOML. Returns nullopt, with a diagnostic, at a syntax error.
std::optional<Value> parse_toml(std::string_view text, Diagnostics& diagnostics);

/// Reads a file. A diagnostic is reported if it is not a file, cannot be read, is empty, too large, or not text.
std::optional<Value> load_toml(const std::string& path, Diagnostics& diagnostics);

/// Parses `key.path=value`, the argument of --set. The value is TOML; anything else is a string, so quotes may be
/// omitted: `switch.buffer=12 MB`. Returns the nested table.
std::optional<Value> parse_assignment(std::string_view assignment, Diagnostics& diagnostics);

}  // namespace weir
