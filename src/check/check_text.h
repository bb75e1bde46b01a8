// SPDX-License-Identifier: Apache-2.0
// What check_variant() found, for a person to read.
#pragma once

#include <string>
#include <vector>

#include "check/check.h"

namespace weir {

/// `links` lists every link that is offered anything, instead of a row for links alike. Of several later states of the
/// network the one is shown in which a link is offered most. Warnings and cycles are the verdict's (check/verdict.h).
std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links);

/// The match-action entries that elide backpressure (bfc appendix B) as CSV: one line each, ports by their numbers from
/// 0 and by what they lead to.
std::string entries_text(const CheckedVariant& checked, const Topology& topology);

/// "a - b and c - d": the links without which it is there; and whether that is while routes change.
std::string missing_links(const Topology& topology, const CheckedCycle& cycle);
/// "cyclic buffer dependency without a - b: a -> c waits for ..."
std::string cycle_text(const Topology& topology, const CheckedCycle& cycle);
/// How much of the network lies on cycles: a part of cycle_text().
std::string cycle_extent(const CheckedCycle& cycle);

/// "tor0", "4 switches like tor0". `switches` is not empty.
std::string switches_name(const Topology& topology, const std::vector<SwitchId>& switches);
/// "tor0 - spine0 and tor1 - spine0"; of many the first.
std::string links_name(const Topology& topology, const std::vector<LinkId>& links);
/// "tor0 -> spine0"
std::string direction_name(const Topology& topology, NodeId from, PortId port);

}  // namespace weir
