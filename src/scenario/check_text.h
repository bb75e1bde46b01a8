// What check_variant() found, for a person to read.
#pragma once

#include <string>
#include <vector>

#include "scenario/check.h"

namespace weir {

/// `links` lists every link that is offered anything, instead of a row for links alike. Of several later states of the
/// network the one is shown in which a link is offered most.
std::string check_report(const CheckedVariant& checked, const Settings& settings, bool links);

/// "tor0", "4 switches like tor0". `switches` is not empty.
std::string switches_name(const Topology& topology, const std::vector<SwitchId>& switches);
/// "tor0 - spine0 and tor1 - spine0"; of many the first.
std::string links_name(const Topology& topology, const std::vector<LinkId>& links);
/// "tor0 -> spine0"
std::string direction_name(const Topology& topology, NodeId from, PortId port);

}  // namespace weir
