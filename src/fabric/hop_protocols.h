// SPDX-License-Identifier: Apache-2.0
// The hop-by-hop protocols of switches and NICs, from their settings.
#pragma once

#include <bitset>
#include <vector>

#include "fabric/settings.h"
#include "policy/switch_state.h"

namespace weir {

/// Whether a switch, or a NIC, has a role in the flow control.
bool takes_part(const PolicyChoice& choice, bool nic);
/// Whether a switch with these settings pauses neighbours that obey it.
bool sends_pauses(const SwitchSettings& settings);
/// The protocols in which a switch with these settings, or the NICs of its hosts, take part.
HopProtocols protocols_of(const SwitchSettings& settings, bool nic);
/// The numbers that they announce with their protocols (Scheme::announces).
std::vector<Announcement> announced_by(const SwitchSettings& settings, bool nic);

/// The protocols of the control frames to hosts in a network: bit n is Frame::protocol n.
struct HostControlProtocols {
  std::bitset<256> from_hosts;  ///< those that hosts send (SchemeTraits::to_hosts)
  std::bitset<256> all;         ///< those that hosts or switches send
};
HostControlProtocols host_control_of(const Settings& settings);

}  // namespace weir
