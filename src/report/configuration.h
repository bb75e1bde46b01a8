// SPDX-License-Identifier: Apache-2.0
// Comparison of the effective configurations of runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A key with its full path and its value in TOML notation: {"switch.buffer_policy.alpha", "2.0"}.
struct ConfigurationKey {
  std::string path;
  std::string value;
  bool operator==(const ConfigurationKey&) const = default;
};

/// The keys of a RunRecord's effective configuration, in its order. Tables of a list are numbered from 0:
/// "traffic[1].load". Reads the TOML that Weir writes (one key per line, tables by their headers), not all of TOML;
/// other lines are ignored.
std::vector<ConfigurationKey> configuration_keys(std::string_view toml);

/// The text value of a key, "" if it is missing or not a text.
std::string configuration_text(const std::vector<ConfigurationKey>& keys, std::string_view path);

/// A key whose values differ between several configurations.
struct ConfigurationDifference {
  std::string path;
  std::vector<std::string> values;  ///< by configuration; empty: the key is missing
};

/// In the order in which tables, and the keys of a table, first occur in any of the configurations.
std::vector<ConfigurationDifference> configuration_differences(
    const std::vector<std::vector<ConfigurationKey>>& configurations);

}  // namespace weir
