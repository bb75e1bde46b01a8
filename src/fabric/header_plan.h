// SPDX-License-Identifier: Apache-2.0
// Where the header fields of a network's schemes stand in its frames.
#pragma once

#include <vector>

#include "fabric/settings.h"
#include "policy/header_fields.h"

namespace weir {

/// Places the fields of all schemes that some switch or host of the network runs, each scheme once. Frames cross the
/// whole network, so that one layout holds everywhere. HeaderLayout::conflict() tells of schemes that do not fit beside
/// each other.
[[nodiscard]] HeaderLayout plan_headers(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                                        const HostSettings& hosts);

}  // namespace weir
