// SPDX-License-Identifier: Apache-2.0
#include "scenario/switch_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "config/nearest_name.h"
#include "config/quantity.h"

namespace weir {

const SwitchPreset* read_preset(Reader& section) {
  std::optional<std::string> name;
  section.optional("preset", name, switch_key::kPreset);
  if (!name) return nullptr;
  const SwitchPreset* preset = find_switch_preset(*name);
  if (preset != nullptr) return preset;
  std::vector<std::string> names;
  for (const SwitchPreset& known : switch_presets()) names.emplace_back(known.name);
  section.refuse(*section.value()->find("preset"),
                 fmt::format("unknown preset {}, expected one of {}", in_quotes(*name), fmt::join(names, ", ")),
                 nearest_name(*name, names));
  return nullptr;
}

void refuse_small_preset(Reader& section, const SwitchPreset* preset, const Topology& topology,
                         const std::vector<SwitchId>& switches) {
  if (preset == nullptr) return;
  for (const SwitchId id : switches) {
    const NodeId node = topology.node_of(id);
    BitRate sum;
    for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
      sum = sum + topology.link_at(node, PortId(port)).rate;
    }
    if (sum <= preset->capacity()) continue;
    section.refuse(*section.value()->find("preset"),
                   fmt::format("{} has {} ports of {}, but the ports of {} have {} in total, expected a larger chip",
                               in_quotes(preset->name), preset->ports, to_text(preset->rate), topology.node(node).name,
                               to_text(sum)));
    return;
  }
}

std::optional<HeadroomRule> read_headroom(Reader& section, std::string_view default_value) {
  HeadroomRule rule;
  const Value::Member* member =
      section.custom("headroom", "\"computed\", a size, or { rate_delay = factor }",
                     "headroom per ingress port and lossless priority: \"computed\" is the amount that can still "
                     "arrive after the switch decides to send a PAUSE; rate_delay gives factor x rate x one-way delay",
                     default_value);
  section.settle(member == nullptr ? std::string(default_value) : written(member->value));
  if (member == nullptr) return std::nullopt;
  const Value& value = member->value;
  const Value::Member* factor = value.find("rate_delay");
  if (value.table() != nullptr && factor != nullptr && value.table()->size() == 1) {
    rule.kind = HeadroomRule::Kind::rate_delay;
    const Refusal refusal = read_scalar(factor->value, rule.factor);
    if (!refusal.message.empty()) {
      section.refuse(*member, "rate_delay " + refusal.message);
    } else if (rule.factor < 0) {
      section.refuse(*member, fmt::format("rate_delay is {}, expected at least 0", rule.factor));
    }
    return rule;
  }
  const std::string* text = value.text();
  if (text != nullptr && *text == "computed") return rule;
  if (text != nullptr) {
    rule.kind = HeadroomRule::Kind::bytes;
    Refusal refusal = read_scalar(value, rule.bytes);
    if (refusal.message.empty()) {
      if (part_of_memory().holds(rule.bytes)) return rule;
      section.refuse(*member, fmt::format("is {}, expected {}", description(value), part_of_memory().text()));
      return rule;
    }
    if (text->empty() || text->front() < '0' || text->front() > '9') {
      refusal = {fmt::format("is {}, expected \"computed\", a size such as \"60 KB\", or {{ rate_delay = 3 }}",
                             description(value)),
                 {}};
    }
    section.refuse(*member, refusal.message, refusal.suggestion);
    return rule;
  }
  section.refuse(*member, fmt::format("is {}, expected \"computed\", a size such as \"60 KB\", or {{ rate_delay = 3 }}",
                                      description(value)));
  return rule;
}

std::optional<PauseWatchdogConfig> read_pause_watchdog(Reader& section) {
  static constexpr Named<WatchdogAction> kActions[] = {
      {"drop", WatchdogAction::drop}, {"forward", WatchdogAction::forward}, {"alert", WatchdogAction::alert}};
  // The longest that SONiC has is a minute.
  constexpr Range<Duration> kTimes{Duration(), Duration::picoseconds(60'000'000'000'000), true};
  std::optional<Reader> table = section.optional_table(
      "pause_watchdog",
      "ends pauses that last too long, like the PFC watchdog of SONiC; if omitted, there is no watchdog");
  if (!table) return std::nullopt;
  PauseWatchdogConfig config;
  const bool complete = table->required(
      "detection_time", config.detection,
      "a storm is declared when a priority or queue with frames to send has been paused for this time", kTimes);
  std::optional<Duration> restoration;
  table->optional(
      "restoration_time", restoration,
      "a storm ends when the priority or queue has not been paused for this time; if omitted, twice detection_time",
      kTimes);
  table->choice<WatchdogAction>(
      "action", config.action, kActions,
      "action during a storm: drop frames, forward them despite the pause, or only count the storm (alert)");
  table->finish();
  if (!complete) return std::nullopt;
  config.restoration = restoration.value_or(2 * config.detection);
  return config;
}

std::vector<PolicyChoice> read_schemes(const std::vector<Reader>& slots, const SchemeRole& role) {
  std::vector<PolicyChoice> out;
  for (const Reader& slot : slots) {
    PolicyChoice choice = read_listed_scheme(slot, role);
    if (choice.scheme == nullptr) continue;
    const bool again =
        std::any_of(out.begin(), out.end(), [&](const PolicyChoice& other) { return other.scheme == choice.scheme; });
    if (again) {
      Reader repeated = slot;
      repeated.refuse(fmt::format("\"{}\" is listed twice", choice.scheme->name));
    } else {
      out.push_back(std::move(choice));
    }
  }
  return out;
}

namespace {

/// An optional slot; without the scheme's name its other keys have no meaning.
void read_own(Reader& section, const SchemeRole& role, std::optional<PolicyChoice>& own) {
  const std::optional<Reader> slot = section.optional_table(role.key, role.meaning);
  if (!slot) return;
  PolicyChoice choice = read_listed_scheme(*slot, role);
  if (choice.scheme != nullptr) own = std::move(choice);
}

void read_own(Reader& section, const SchemeRole& role, std::optional<std::vector<PolicyChoice>>& own) {
  const std::optional<std::vector<Reader>> slots = section.optional_tables(role.key, role.meaning);
  if (slots) own = read_schemes(*slots, role);
}

/// For each switch, its group.
using Membership = std::map<SwitchId, std::string>;

void enter(Reader& section, const SwitchGroup& group, const NodeNames& names, Membership& membership) {
  for (const SwitchId id : group.switches) {
    const auto [other, entered] = membership.emplace(id, group.name);
    if (entered) continue;
    const Topology& topology = *names.topology();
    section.refuse(*section.value()->find("switches"),
                   fmt::format("\"{}\" is already in group \"{}\", expected each switch in at most one group",
                               topology.node(topology.node_of(id)).name, other->second));
    return;
  }
}

SwitchGroup read_group(Reader section, std::size_t number, const NodeNames& names, Membership& membership) {
  SwitchGroup group;
  std::optional<std::string> name;
  section.optional("name", name, "name of the group in variants and messages; if omitted, its index from 0");
  group.name = name.value_or(fmt::format("{}", number));
  group.switches = names.switches(section, "switches", "switches of the group").value_or(std::vector<SwitchId>());
  const SwitchPreset* preset = read_preset(section);
  if (preset != nullptr) group.buffer = preset->buffer;
  section.optional("buffer", group.buffer, switch_key::kBuffer, whole_memory());
  if (names.topology() != nullptr) refuse_small_preset(section, preset, *names.topology(), group.switches);
  section.optional("reserve", group.reserve, switch_key::kReserve, part_of_memory());
  group.headroom = read_headroom(section, {});
  group.watchdog = read_pause_watchdog(section);
  for_each_switch_role([&](const SchemeRole& role, auto SwitchSettings::*, auto SwitchGroup::*own) {
    read_own(section, role, group.*own);
  });
  section.finish();
  enter(section, group, names, membership);
  return group;
}

}  // namespace

std::vector<SwitchGroup> read_switch_groups(Reader& section, const NodeNames& names) {
  std::vector<SwitchGroup> groups;
  Membership membership;
  // Without groups the configuration is the same as before groups existed.
  std::optional<std::vector<Reader>> tables = section.optional_tables(
      "group",
      "settings for some switches and the NICs of their hosts; keys that are omitted take the value from [switch]");
  if (!tables) return groups;
  for (Reader& group : *tables) {
    SwitchGroup read = read_group(group, groups.size(), names, membership);
    const bool again =
        std::any_of(groups.begin(), groups.end(), [&](const SwitchGroup& other) { return other.name == read.name; });
    if (again) group.refuse(fmt::format("two groups are named \"{}\"", read.name));
    groups.push_back(std::move(read));
  }
  return groups;
}

}  // namespace weir
