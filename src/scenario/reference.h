// SPDX-License-Identifier: Apache-2.0
// The scenario language, as the code that reads it declares it: every table, every key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/effective.h"

namespace weir {

/// One table of the language.
struct ReferenceTable {
  std::string name;     ///< what `weir list` calls it: "switch", "topology.leaf_spine"
  std::string heading;  ///< as TOML writes it: "[switch]", "[[traffic]] of kind \"poisson\""
  std::string summary;
  EffectiveTable keys;  ///< and the tables in it
};

/// All of them, in the order of a scenario.
std::vector<ReferenceTable> scenario_reference();

/// One table for a terminal: each key with its default, what it may be, and its meaning.
std::string reference_text(const ReferenceTable& table);

/// All of it as a page of Markdown, the schemes with their parameters included.
std::string reference_page();

}  // namespace weir
