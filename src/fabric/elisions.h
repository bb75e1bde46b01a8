// For which frames switches hold nobody back, and the match-action entries that keep a network without tiers free of
// deadlock (bfc section 5 and appendix B).
#pragma once

#include <optional>
#include <vector>

#include "fabric/settings.h"
#include "net/backpressure_graph.h"

namespace weir {

/// The entries of the switches that run a scheme which asks for a list (Scheme::spares). Of the graph of pauses by name
/// on the routes before, between and after all failures, in any mixture of them, they break each cycle on which such a
/// switch pauses its neighbour; where all switches ask, none is left. Cycles of PFC's pauses stay. Ascending; empty
/// where none asks.
std::vector<Elision> listed_elisions(const Settings& settings);

/// The frames, by where they come in and leave, for which a switch does not pause the neighbour that they come from:
/// the two share no flow control that pauses, or what they share spares them. `listed` are listed_elisions. Ascending;
/// nothing where no switch can pause another at all.
std::optional<std::vector<Elision>> spared_frames(const Settings& settings, const std::vector<Elision>& listed);

}  // namespace weir
