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

/// All kinds, for users.
std::vector<TopologyKind> topology_kinds();
/// Declares the keys of a kind to a describing reader (EffectiveTable::describing).
void describe_topology(std::string_view kind, Reader& reader);

/// Reads the table and builds the network; returns nullopt if it is invalid. File names are relative to `directory`.
/// `notes` receives remarks for the user that are not errors.
std::optional<Topology> read_topology_section(Reader section, const std::filesystem::path& directory,
                                              std::vector<std::string>& notes);

}  // namespace weir
