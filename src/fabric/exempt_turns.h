// SPDX-License-Identifier: Apache-2.0
// The turns through switches without backpressure, and those that are chosen to keep a network without tiers free of
// deadlock.
#pragma once

#include <optional>
#include <vector>

#include "fabric/settings.h"
#include "net/backpressure_graph.h"

namespace weir {

/// The turns at the switches whose scheme requests them (ExemptTurns::cycle_breaking). In the graph of pauses by ID on
/// the routes before, between and after all failures, in any mixture, they break each cycle on which such a switch
/// pauses its neighbour; if all switches request them, no cycle is left. Cycles of PFC's pauses remain. Ascending;
/// empty if no switch requests them.
std::vector<Turn> cycle_breaking_turns(const Settings& settings);

/// The turns on which a switch does not pause the neighbour from which frames arrive: either the two share no flow
/// control that pauses, or the shared ones exempt the turns. `breaking` are cycle_breaking_turns. Ascending; nothing if
/// no switch can pause another at all.
std::optional<std::vector<Turn>> exempt_turns(const Settings& settings, const std::vector<Turn>& breaking);

}  // namespace weir
