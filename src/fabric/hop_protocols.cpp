// SPDX-License-Identifier: Apache-2.0
#include "fabric/hop_protocols.h"

#include <algorithm>

#include "fabric/roles.h"
#include "policy/pausing.h"

namespace weir {

bool takes_part(const PolicyChoice& choice, bool nic) {
  if (choice.scheme == nullptr) return false;
  return nic ? choice.scheme->nic_flow_control != nullptr : choice.scheme->flow_control != nullptr;
}

HopProtocols protocols_of(const SwitchSettings& settings, bool nic) {
  HopProtocols protocols = HopProtocols::none();
  for (const PolicyChoice& choice : settings.flow_control) {
    if (!takes_part(choice, nic)) continue;
    const SchemeTraits& traits = choice.scheme->traits;
    protocols.pfc |= traits.pfc;
    if (traits.protocol != 0) protocols.numbers.set(traits.protocol);
  }
  return protocols;
}

std::vector<Announcement> announced_by(const SwitchSettings& settings, bool nic) {
  std::vector<Announcement> announced;
  for (const PolicyChoice& choice : settings.flow_control) {
    if (!takes_part(choice, nic) || choice.scheme->announces == nullptr) continue;
    const std::uint32_t value = choice.scheme->announces(choice.parameters, nic);
    if (value != 0) announced.push_back({choice.scheme->traits.protocol, value});
  }
  return announced;
}

bool sends_pauses(const SwitchSettings& settings) {
  return std::any_of(settings.flow_control.begin(), settings.flow_control.end(),
                     [](const PolicyChoice& choice) { return choice.scheme != nullptr && pauses(*choice.scheme); });
}

HostControlProtocols host_control_of(const Settings& settings) {
  HostControlProtocols out;
  const auto add = [&out](const PolicyChoice& choice) {
    if (choice.scheme == nullptr || choice.scheme->traits.to_hosts == ControlSource::none) return;
    out.all.set(choice.scheme->traits.protocol);
    if (choice.scheme->traits.to_hosts == ControlSource::hosts) out.from_hosts.set(choice.scheme->traits.protocol);
  };
  for (const SwitchSettings& kind : settings.switch_kinds()) {
    for_each_switch_role([&](const SchemeRole&, auto all, auto) { for_each_choice(kind.*all, add); });
  }
  for_each_host_role([&](const SchemeRole&, auto member) { add(settings.hosts.*member); });
  return out;
}

}  // namespace weir
