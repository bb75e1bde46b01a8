// SPDX-License-Identifier: Apache-2.0
#include "scenario/network_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "config/scalar.h"
#include "fabric/network_defaults.h"
#include "fabric/roles.h"
#include "scenario/parameter_reader.h"
#include "scenario/parameter_words.h"

namespace weir {
namespace {

EffectiveEntry* entry_of(EffectiveTable& table, std::string_view key) {
  const auto found = std::ranges::find(table.entries, key, &EffectiveEntry::key);
  return found == table.entries.end() ? nullptr : &*found;
}

/// Visits the schemes of a scenario together with the tables from which they were read.
class Settler {
 public:
  Settler(const Settings& settings, Diagnostics& diagnostics) : figures_(settings), diagnostics_(diagnostics) {}

  void settle(PolicyChoice& choice, EffectiveEntry& slot, const std::string& path) {
    settle(choice, *slot.tables.front(), path);
  }
  void settle(std::vector<PolicyChoice>& choices, EffectiveEntry& slot, const std::string& path) {
    for (std::size_t i = 0; i < choices.size(); ++i) settle(choices[i], *slot.tables[i], fmt::format("{}.{}", path, i));
  }

 private:
  void settle(PolicyChoice& choice, EffectiveTable& table, const std::string& path) {
    if (choice.scheme == nullptr || choice.parameters.of_network().empty()) return;
    const Origin origin = entry_of(table, "scheme")->origin;
    const std::size_t errors_before = diagnostics_.size();
    for (const ParameterSpec& spec : choice.scheme->parameters) {
      if (std::ranges::count(choice.parameters.of_network(), spec.name) == 0) continue;
      const ParameterValue value = figures_.value_of(spec);
      const std::string words = words_of(spec.from_network);
      const std::string text = std::visit([](const auto& v) { return written(v); }, value);
      if (!is_in_range(spec, value)) {
        diagnostics_.add(origin, fmt::format("{}.{}", path, spec.name),
                         fmt::format("defaults to {} of the network, which is {}, expected {}: set it explicitly",
                                     words, text, range_text(spec)));
        continue;
      }
      choice.parameters.set(spec.name, value);
      EffectiveEntry& entry = *entry_of(table, spec.name);
      entry.value = text;
      entry.origin = {Origin::Kind::network, 0, 0, {}, words};
    }
    if (choice.scheme->errors == nullptr || diagnostics_.size() != errors_before) return;
    for (const std::string& error : choice.scheme->errors(choice.parameters)) {
      diagnostics_.add(origin, path, error);
    }
  }

  NetworkFigures figures_;
  Diagnostics& diagnostics_;
};

void add_lines(const EffectiveTable& table, const std::string& path, std::vector<std::string>& out) {
  for (const EffectiveEntry& entry : table.entries) {
    const std::string name = path.empty() ? entry.key : fmt::format("{}.{}", path, entry.key);
    if (entry.origin.kind == Origin::Kind::network)
      out.push_back(fmt::format("{} = {} ({})", name, entry.value, where(entry.origin, {})));
    for (std::size_t i = 0; i < entry.tables.size(); ++i) {
      const bool list = entry.shape == EffectiveEntry::Shape::tables;
      add_lines(*entry.tables[i], list ? fmt::format("{}.{}", name, i) : name, out);
    }
  }
}

}  // namespace

void settle_network_defaults(Settings& settings, EffectiveTable& effective, Diagnostics& diagnostics) {
  Settler settler(settings, diagnostics);
  const EffectiveEntry* switches = entry_of(effective, "switch");
  EffectiveTable& of_all = *switches->tables.front();
  EffectiveEntry* groups = entry_of(of_all, "group");
  for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*chosen, auto SwitchGroup::*own) {
    settler.settle(settings.switches.*chosen, *entry_of(of_all, role.key), fmt::format("switch.{}", role.key));
    for (std::size_t i = 0; i < settings.switch_groups.size(); ++i) {
      SwitchGroup& group = settings.switch_groups[i];
      if (!(group.*own)) continue;
      settler.settle(*(group.*own), *entry_of(*groups->tables[i], role.key),
                     fmt::format("switch.group.{}.{}", group.name, role.key));
    }
  });
  EffectiveTable& of_hosts = *entry_of(effective, "host")->tables.front();
  for_each_host_role([&](const SchemeRole& role, PolicyChoice HostSettings::*chosen) {
    // Unused roles were not read: a transport, or the roles that it replaces.
    EffectiveEntry* slot = entry_of(of_hosts, role.key);
    if (slot != nullptr) settler.settle(settings.hosts.*chosen, *slot, fmt::format("host.{}", role.key));
  });
}

std::vector<std::string> network_default_lines(const EffectiveTable& effective) {
  std::vector<std::string> out;
  add_lines(effective, {}, out);
  return out;
}

}  // namespace weir
