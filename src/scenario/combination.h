// SPDX-License-Identifier: Apache-2.0
// What the schemes of one scenario can do together.
#pragma once

#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"

namespace weir {

/// Refuses what the schemes of one scenario cannot do together: two flow controls of a switch that classify, two
/// schemes that claim the same header bytes anywhere in the network or the same notes of a frame in one switch. Names
/// the slots in messages.
void check_combination(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                       const HostSettings& hosts, Reader& root);

}  // namespace weir
