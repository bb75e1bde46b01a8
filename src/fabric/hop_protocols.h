// SPDX-License-Identifier: Apache-2.0
// What switches and NICs say to each other hop by hop, by their settings.
#pragma once

#include <vector>

#include "fabric/settings.h"
#include "policy/switch_state.h"

namespace weir {

/// Whether a switch, or a NIC, plays a role in the flow control.
bool takes_part(const PolicyChoice& choice, bool nic);
/// Whether a switch with these settings pauses neighbours that obey it.
bool sends_pauses(const SwitchSettings& settings);
/// What a switch with these settings takes part in, or the NICs of its hosts.
HopProtocols protocols_of(const SwitchSettings& settings, bool nic);
/// What they announce with their protocols (Scheme::announces).
std::vector<Announcement> announced_by(const SwitchSettings& settings, bool nic);

}  // namespace weir
