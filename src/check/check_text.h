// SPDX-License-Identifier: Apache-2.0
// The results of check_variant() as text.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"

namespace weir {

/// `links`: lists every link with offered load instead of one row per group of similar links. Of several later states
/// of the network, the one with the highest load of a link is shown. Warnings and cycles are part of the verdict
/// (check/verdict.h).
std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links);

/// The match-action entries that elide backpressure (bfc appendix B) as CSV: one line each, with ports by their index
/// and by their neighbour.
std::string entries_text(const CheckedVariant& checked, const Topology& topology);

/// "a - b and c - d": the failed links under which the cycle exists; and whether only while routes change.
std::string missing_links(const Topology& topology, const CheckedCycle& cycle);
/// "cyclic buffer dependency without a - b: a -> c waits for ..."
std::string cycle_text(const Topology& topology, const CheckedCycle& cycle);
/// How much of the network is part of cycles; used in cycle_text().
std::string cycle_extent(const CheckedCycle& cycle);

/// "tor0", "4 switches like tor0". `switches` is not empty.
std::string switches_name(const Topology& topology, const std::vector<SwitchId>& switches);
/// "tor0 - spine0 and tor1 - spine0"; if there are many, the first ones.
std::string links_name(const Topology& topology, const std::vector<LinkId>& links);
/// "tor0 -> spine0"
std::string direction_name(const Topology& topology, NodeId from, PortId port);

}  // namespace weir
