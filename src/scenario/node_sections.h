// SPDX-License-Identifier: Apache-2.0
// [switch] and [host]: how the nodes are configured, and which schemes they run.
#pragma once

#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "wire/framing.h"

namespace weir {

/// `groups` becomes what some switches have of their own.
SwitchSettings read_switch_section(Reader section, const NodeNames& names, std::vector<SwitchGroup>& groups);
HostSettings read_host_section(Reader section, Framing& framing);

}  // namespace weir
