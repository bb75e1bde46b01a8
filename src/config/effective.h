// SPDX-License-Identifier: Apache-2.0
// The configuration as it takes effect: every key that was read, given or not, in the order of reading.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

struct EffectiveTable;

/// One key that a reader knows, what it is now and why.
struct EffectiveEntry {
  enum class Shape : std::uint8_t { value, table, tables } shape = Shape::value;
  std::string key;
  std::string value;          ///< as TOML writes it; empty: not set
  std::string kind;           ///< "a size", "an integer", "one of ..."
  std::string meaning;        ///< for the reference, and for values that are not set
  std::string default_value;  ///< as TOML writes it; empty: none, the key is required or may be missing
  std::string range;          ///< "at least 1"; empty: any value of its kind
  bool required = false;
  Origin origin;  ///< nowhere: the default
  std::vector<std::unique_ptr<EffectiveTable>> tables;
};

/// A table of the configuration.
struct EffectiveTable {
  std::vector<EffectiveEntry> entries;
  /// Nothing is read, but every key is declared that could be: tables that may be missing, each element of a list once.
  bool describing = false;
};

enum class Annotation : std::uint8_t {
  none,     ///< plain TOML that reads back to the same configuration
  origins,  ///< each line says where its value came from; keys that are not set stand as comments
};

/// The table as TOML. `file` is what origins call the scenario.
std::string to_toml(const EffectiveTable& root, Annotation annotation, std::string_view file);

}  // namespace weir
