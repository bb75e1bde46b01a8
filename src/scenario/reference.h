// SPDX-License-Identifier: Apache-2.0
// The scenario language as its readers declare it: every table, every key.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "config/effective.h"
#include "config/reader.h"

namespace weir {

/// One table of the language.
struct ReferenceTable {
  std::string name;     ///< name used by `weir list`: "switch", "topology.leaf_spine"
  std::string heading;  ///< in TOML syntax: "[switch]", "[[traffic]] of kind \"poisson\""
  std::string summary;
  EffectiveTable keys;  ///< and subtables
};

/// All that this folder reads, in the order of a scenario.
std::vector<ReferenceTable> scenario_reference();

/// A list of tables, [[name]], as `read` declares it when it is called with the root of a scenario.
ReferenceTable describe_list(const std::string& name, std::string_view summary,
                             const std::function<void(Reader& root)>& read);

/// Whether `weir list NAME` means the table: "traffic" and "traffic.incast" by these names, and the latter by "incast".
bool is_meant(const ReferenceTable& table, const std::string& name);

/// One table for a terminal: each key with its default, what it may be, and its meaning.
std::string reference_text(const ReferenceTable& table);

/// These tables as a page of Markdown, with the schemes and their parameters.
std::string reference_page(const std::vector<ReferenceTable>& tables);

}  // namespace weir
