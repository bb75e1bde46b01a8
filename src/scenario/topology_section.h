// SPDX-License-Identifier: Apache-2.0
// [topology]: the network.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/reader.h"
#include "net/topology.h"

namespace weir {

/// A kind of topology as scenarios name it.
struct TopologyKind {
  std::string_view name;
  std::string_view summary;
};

/// All kinds, for the list that users see.
std::vector<TopologyKind> topology_kinds();
/// Declares the keys of a kind with a reader that describes (EffectiveTable::describing).
void describe_topology(std::string_view kind, Reader& reader);

/// Reads the table and builds the network; nothing when something is wrong with it. File names are relative to
/// `directory`. `notes` is what a user should know although nothing is wrong.
std::optional<Topology> read_topology_section(Reader section, const std::filesystem::path& directory,
                                              std::vector<std::string>& notes);

}  // namespace weir
