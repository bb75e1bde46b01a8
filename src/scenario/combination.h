// SPDX-License-Identifier: Apache-2.0
// Which schemes can be combined in one scenario.
#pragma once

#include <vector>

#include "config/reader.h"
#include "fabric/settings.h"

namespace weir {

/// Refuses combinations of schemes that are impossible: two classifiers in one switch, two schemes that claim the same
/// header bytes anywhere in the network, or the same frame metadata in one switch. Messages name the slots.
void check_combination(const SwitchSettings& switches, const std::vector<SwitchGroup>& groups,
                       const HostSettings& hosts, Reader& root);

}  // namespace weir
