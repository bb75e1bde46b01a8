// SPDX-License-Identifier: Apache-2.0
// What a transport needs of switches and paths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fabric/settings.h"
#include "net/path_table.h"
#include "net/topology.h"

namespace weir {

/// A pair of hosts between which the two directions of a flow take different links, as a sentence; nothing: there is
/// none. Compares flows between hosts of each pair of edge switches or, if there are more than 256 of them, of 256 that
/// are spread evenly: 1,000 flows in all, or four for each pair if these are more. A path that cannot be predicted, as
/// with spraying, counts as different.
std::optional<std::string> asymmetric_pair(const Topology& topology, const PathTable& paths);

/// The result for the transport of the hosts, if its scheme needs symmetric paths (SchemeTraits).
struct SymmetryCheck {
  std::string error;  ///< empty: none
  std::string note;   ///< empty: it needs none, or they are not symmetric
};
/// On the routes of all times until the run ends. The settings must be free of other errors, because the network is
/// built. Takes the time of building it, if the transport needs symmetric paths.
SymmetryCheck check_symmetry(const Settings& settings);

/// Warnings of a transport whose part in the switches is missing somewhere, and of such a part without the transport.
std::vector<std::string> missing_parts(const Settings& settings);

}  // namespace weir
