// SPDX-License-Identifier: Apache-2.0
// Positions of the header fields of a network's schemes in its frames.
#pragma once

#include <vector>

#include "fabric/settings.h"
#include "policy/header_fields.h"

namespace weir {

/// Assigns positions to the fields of all schemes that any switch or host of the network runs, each scheme once. Frames
/// cross the whole network, so one layout applies everywhere. HeaderLayout::conflict() reports schemes whose fields do
/// not fit together.
[[nodiscard]] HeaderLayout plan_headers(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                                        const HostSettings& hosts);

}  // namespace weir
