// SPDX-License-Identifier: Apache-2.0
// [switch] and [host]: the configuration of nodes, and the schemes they run.
#pragma once

#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"
#include "scenario/node_names.h"
#include "wire/framing.h"

namespace weir {

/// `groups` receives the settings that only some switches have.
SwitchSettings read_switch_section(Reader section, const NodeNames& names, std::vector<SwitchGroup>& groups);
/// `groups` receives the settings that only some hosts have.
HostSettings read_host_section(Reader section, const NodeNames& names, Framing& framing,
                               std::vector<HostSettingsGroup>& groups);

}  // namespace weir
