// SPDX-License-Identifier: Apache-2.0
// The turns through switches on which nobody is held back, and those that are chosen to keep a network without tiers
// free of deadlock.
#pragma once

#include <optional>
#include <vector>

#include "fabric/settings.h"
#include "net/backpressure_graph.h"

namespace weir {

/// The turns at the switches that run a scheme which asks for such (ExemptTurns::cycle_breaking). Of the graph of
/// pauses by name on the routes before, between and after all failures, in any mixture of them, they break each cycle
/// on which such a switch pauses its neighbour; where all switches ask, none is left. Cycles of PFC's pauses stay.
/// Ascending; empty where none asks.
std::vector<Turn> cycle_breaking_turns(const Settings& settings);

/// The turns on which a switch does not pause the neighbour that frames come from: the two share no flow control that
/// pauses, or what they share exempts them. `breaking` are cycle_breaking_turns. Ascending; nothing where no switch can
/// pause another at all.
std::optional<std::vector<Turn>> exempt_turns(const Settings& settings, const std::vector<Turn>& breaking);

}  // namespace weir
