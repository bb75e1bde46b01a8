// SPDX-License-Identifier: Apache-2.0
// The effective configuration: every key that was read, given or not, in the order of reading.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

struct EffectiveTable;

/// One key known to a reader, with its current value and origin.
struct EffectiveEntry {
  enum class Shape : std::uint8_t { value, table, tables } shape = Shape::value;
  std::string key;
  std::string value;          ///< in TOML notation; empty: not set
  std::string kind;           ///< "a size", "an integer", "one of ..."
  std::string meaning;        ///< for the reference, and for keys that are not set
  std::string default_value;  ///< in TOML notation; empty: none, the key is required or optional
  std::string range;          ///< "at least 1"; empty: any value of its type
  bool required = false;
  Origin origin;  ///< Kind::nowhere: the default
  std::vector<std::unique_ptr<EffectiveTable>> tables;
};

/// A table of the configuration.
struct EffectiveTable {
  std::vector<EffectiveEntry> entries;
  /// Nothing is read, but every possible key is declared: optional tables, and each element type of a list once.
  bool describing = false;
};

enum class Annotation : std::uint8_t {
  none,     ///< plain TOML that reads back to the same configuration
  origins,  ///< each line gives the origin of its value; keys that are not set are comments
};

/// The table as TOML. `file` is the name of the scenario in origins.
std::string to_toml(const EffectiveTable& root, Annotation annotation, std::string_view file);

}  // namespace weir
