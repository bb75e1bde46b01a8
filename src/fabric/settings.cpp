// SPDX-License-Identifier: Apache-2.0
#include "fabric/settings.h"

#include <algorithm>
#include <utility>

#include "fabric/roles.h"

namespace weir {

SwitchSettings laid_over(SwitchSettings all, const SwitchGroup& group) {
  const auto lay = [](auto& below, const auto& own) {
    if (own) below = *own;
  };
  lay(all.buffer, group.buffer);
  lay(all.reserve, group.reserve);
  lay(all.headroom, group.headroom);
  if (group.watchdog) all.watchdog = group.watchdog;
  for_each_switch_role(
      [&](const SchemeRole&, auto SwitchSettings::*of_all, auto SwitchGroup::*own) { lay(all.*of_all, group.*own); });
  return all;
}

const SwitchGroup* Settings::group_of(SwitchId id) const {
  for (const SwitchGroup& group : switch_groups) {
    if (std::find(group.switches.begin(), group.switches.end(), id) != group.switches.end()) return &group;
  }
  return nullptr;
}

const HostSettingsGroup* Settings::group_of(HostId id) const {
  for (const HostSettingsGroup& group : host_groups) {
    if (std::find(group.hosts.begin(), group.hosts.end(), id) != group.hosts.end()) return &group;
  }
  return nullptr;
}

ReceiveBuffer Settings::receive_buffer_of(HostId id) const {
  ReceiveBuffer out = hosts.receive_buffer;
  if (const HostSettingsGroup* group = group_of(id)) {
    out.size = group->receive_buffer.value_or(out.size);
    out.drain_rate = group->drain_rate.value_or(out.drain_rate);
  }
  return out;
}

SwitchSettings Settings::switches_of(SwitchId id) const {
  const SwitchGroup* group = group_of(id);
  return group == nullptr ? switches : laid_over(switches, *group);
}

std::vector<SwitchSettings> Settings::switch_kinds() const {
  std::size_t grouped = 0;
  for (const SwitchGroup& group : switch_groups) grouped += group.switches.size();
  std::vector<SwitchSettings> kinds;
  if (grouped == 0 || grouped < network.topology.switches()) kinds.push_back(switches);
  for (const SwitchGroup& group : switch_groups) {
    if (!group.switches.empty()) kinds.push_back(laid_over(switches, group));
  }
  return kinds;
}

}  // namespace weir
