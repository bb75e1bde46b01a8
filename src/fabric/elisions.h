// The match-action entries that keep a network without tiers free of deadlock (bfc section 5 and appendix B).
#pragma once

#include <vector>

#include "fabric/settings.h"
#include "net/backpressure_graph.h"

namespace weir {

/// For which frames switches hold nobody back, where one of them runs a scheme that asks for a list (Scheme::spares):
/// entries that leave no cycle in the backpressure graph of the routes before, between and after all failures of the
/// settings, in any mixture of them. Ascending; empty where none asks.
std::vector<Elision> listed_elisions(const Settings& settings);

}  // namespace weir
