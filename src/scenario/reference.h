// SPDX-License-Identifier: Apache-2.0
// The scenario language as its readers declare it: every table, every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/effective.h"

namespace weir {

/// One table of the language.
struct ReferenceTable {
  std::string name;     ///< name used by `weir list`: "switch", "topology.leaf_spine"
  std::string heading;  ///< in TOML syntax: "[switch]", "[[traffic]] of kind \"poisson\""
  std::string summary;
  EffectiveTable keys;  ///< and subtables
};

/// All tables, in the order of a scenario.
std::vector<ReferenceTable> scenario_reference();

/// One table as text for a terminal: each key with its default, its accepted values, and its meaning.
std::string reference_text(const ReferenceTable& table);

/// The whole reference as a Markdown page, including the schemes with their parameters.
std::string reference_page();

}  // namespace weir
