// SPDX-License-Identifier: Apache-2.0
// The keys of hosts that drain slowly, in [host] and its groups.
#pragma once

#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"

namespace weir {

/// The keys "receive_buffer" and "drain_rate" of [host]: both or neither.
ReceiveBuffer read_receive_buffer(Reader& section);
/// The key "group" of [host]: settings of some hosts. Refuses a host in two groups, and a host for which only one of
/// the two keys is given, by its group or by `all`.
std::vector<HostSettingsGroup> read_host_groups(Reader& section, const NodeNames& names, const ReceiveBuffer& all);

}  // namespace weir
