// SPDX-License-Identifier: Apache-2.0
// A network without repeated parts, for figures of pairs of hosts.
#pragma once

#include "net/topology.h"

namespace weir {

/// The same switches and links between them, but with at most two hosts of each kind per switch, and with hosts at no
/// more than two of equivalent switches, i.e. switches with the same links to the same switches and hosts with the same
/// kinds of links. Every property of a pair of hosts of the whole network holds for some pair of these, because
/// equivalent switches are interchangeable. Ports and links have other numbers.
Topology without_repeated_racks(const Topology& topology);

}  // namespace weir
