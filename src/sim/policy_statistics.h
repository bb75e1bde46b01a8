// SPDX-License-Identifier: Apache-2.0
// The counters and gauges of all policies of a network, as they stand.
#pragma once

#include <vector>

#include "fabric/fabric.h"
#include "results/statistics.h"

namespace weir {

/// Of switches, then of hosts; of each in the order of its policies, statistics, ports and queue groups. Queue groups
/// beside the first in which nothing was ever counted are left out.
std::vector<PolicyRecord> policy_statistics(Fabric& fabric);

}  // namespace weir
