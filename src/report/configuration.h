// SPDX-License-Identifier: Apache-2.0
// The effective configurations of runs, side by side.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// A key with its whole path and its value as TOML writes it: {"switch.buffer_policy.alpha", "2.0"}.
struct ConfigurationKey {
  std::string path;
  std::string value;
  bool operator==(const ConfigurationKey&) const = default;
};

/// The keys of a RunRecord's effective configuration, in its order. Tables of a list are told apart by their number
/// from 0: "traffic[1].load". Reads the TOML that Weir writes (a key a line, tables by their heads), not all of TOML;
/// lines of another form are left out.
std::vector<ConfigurationKey> configuration_keys(std::string_view toml);

/// The text that a key stands for, "" when it is missing or no text.
std::string configuration_text(const std::vector<ConfigurationKey>& keys, std::string_view path);

/// A key whose values are not the same in all of several configurations.
struct ConfigurationDifference {
  std::string path;
  std::vector<std::string> values;  ///< by configuration; empty: it has no such key
};

/// In the order in which tables, and the keys of a table, first stand in any of the configurations.
std::vector<ConfigurationDifference> configuration_differences(
    const std::vector<std::vector<ConfigurationKey>>& configurations);

}  // namespace weir
