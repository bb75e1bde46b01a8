// SPDX-License-Identifier: Apache-2.0
// A network without what is there again and again, for figures of pairs of hosts.
#pragma once

#include "net/topology.h"

namespace weir {

/// The same switches and links between them, with hosts at no more than two of switches that are alike, which are
/// linked to the same switches alike and have hosts with the same kinds of links; and no more than two hosts of a kind
/// at each. Whatever holds of a pair of hosts of the whole holds of some pair of these, for switches that are alike can
/// change places. Ports and links have other numbers.
Topology without_repeated_racks(const Topology& topology);

}  // namespace weir
