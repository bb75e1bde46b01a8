// SPDX-License-Identifier: Apache-2.0
// The current counters and gauges of all policies of a network.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "results/statistics.h"

namespace weir {

/// Of switches, then of hosts; for each in the order of its policies, statistics, ports and queue groups. Queue groups
/// other than the first in which nothing was ever counted are omitted.
std::vector<PolicyRecord> policy_statistics(Fabric& fabric);

}  // namespace weir
