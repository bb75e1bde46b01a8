// SPDX-License-Identifier: Apache-2.0
// The schemes of a scenario together with the tables from which they were read.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "config/effective.h"
#include "fabric/roles.h"
#include "fabric/settings.h"

namespace weir {

/// The entry of a key, or nullptr.
inline EffectiveEntry* entry_of(EffectiveTable& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &EffectiveEntry::key);
  return found == table.entries.end() ? nullptr : &*found;
}

/// Calls visit(choice, table, path) for each scheme in a role. `settings` and `effective` are of one scenario, and free
/// of errors.
template <class Visit>
void for_each_scheme_table(Settings& settings, EffectiveTable& effective, const Visit& visit) {
  const auto visit_slot = [&visit](auto& chosen, EffectiveEntry& slot, const std::string& path) {
    if constexpr (requires { chosen.scheme; }) {
      if (chosen.scheme != nullptr) visit(chosen, *slot.tables.front(), path);
    } else {
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        if (chosen[i].scheme != nullptr) visit(chosen[i], *slot.tables[i], fmt::format("{}.{}", path, i));
      }
    }
  };
  EffectiveTable& of_all = *entry_of(effective, "switch")->tables.front();
  EffectiveEntry* groups = entry_of(of_all, "group");
  for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*chosen, auto SwitchGroup::*own) {
    visit_slot(settings.switches.*chosen, *entry_of(of_all, role.key), fmt::format("switch.{}", role.key));
    for (std::size_t i = 0; i < settings.switch_groups.size(); ++i) {
      SwitchGroup& group = settings.switch_groups[i];
      if (!(group.*own)) continue;
      visit_slot(*(group.*own), *entry_of(*groups->tables[i], role.key),
                 fmt::format("switch.group.{}.{}", group.name, role.key));
    }
  });
  EffectiveTable& of_hosts = *entry_of(effective, "host")->tables.front();
  for_each_host_role([&](const SchemeRole& role, PolicyChoice HostSettings::*chosen) {
    // Unused roles were not read: a transport, or the roles that it replaces.
    EffectiveEntry* slot = entry_of(of_hosts, role.key);
    if (slot != nullptr) visit_slot(settings.hosts.*chosen, *slot, fmt::format("host.{}", role.key));
  });
}

}  // namespace weir
