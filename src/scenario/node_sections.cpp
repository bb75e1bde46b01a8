// SPDX-License-Identifier: Apache-2.0
#include "scenario/node_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "config/quantity.h"
#include "scenario/host_keys.h"
#include "scenario/scheme_slot.h"
#include "scenario/switch_keys.h"

namespace weir {
namespace {

constexpr std::int64_t kLastPriority = kPriorities - 1;

Range<std::int64_t> priorities() {
  return between<std::int64_t>(0, kLastPriority);
}

void read_lossless(Reader& section, SwitchSettings& settings) {
  std::vector<std::int64_t> lossless = {3};
  section.list("lossless", lossless, "priorities whose frames must not be dropped for lack of buffer", priorities());
  std::size_t element = 0;
  for (const std::int64_t priority : lossless) {
    bool& said = settings.lossless[static_cast<std::size_t>(priority)];
    if (said) {
      const Value::Member& member = *section.value()->find("lossless");
      section.refuse({member.key, member.origin, (*member.value.list())[element]},
                     fmt::format("{} is named twice, expected each priority once", priority));
    }
    said = true;
    ++element;
  }
}

/// Lists of priorities, each priority once: `[[7], [6, 5], [4, 3, 2, 1, 0]]`. Returns nullopt if invalid.
std::optional<std::vector<std::vector<std::size_t>>> priority_groups(Reader& section, const Value::Member& member) {
  const auto refuse = [&] {
    section.refuse(member,
                   fmt::format("expected lists of priorities, each of 0..{} once, such as [[7], [6, 5, 4, 3, 2, "
                               "1, 0]]",
                               kLastPriority));
    return std::nullopt;
  };
  const Value::List* groups = member.value.list();
  if (groups == nullptr) return refuse();
  std::array<bool, kPriorities> seen{};
  std::size_t named = 0;
  std::vector<std::vector<std::size_t>> out;
  for (const Value& group : *groups) {
    const Value::List* list = group.list();
    if (list == nullptr) return refuse();
    out.emplace_back();
    for (const Value& element : *list) {
      const std::int64_t* priority = std::get_if<std::int64_t>(&element.data);
      if (priority == nullptr || *priority < 0 || *priority > kLastPriority) return refuse();
      const auto index = static_cast<std::size_t>(*priority);
      if (seen[index]) return refuse();
      seen[index] = true;
      ++named;
      out.back().push_back(index);
    }
  }
  if (named != kPriorities) return refuse();
  return out;
}

void read_levels(Reader& section, SwitchSettings& settings) {
  constexpr std::string_view kDefault = "[[7], [6], [5], [4], [3], [2], [1], [0]]";
  const Value::Member* member = section.custom("levels", "lists of priorities",
                                               "scheduling levels in strict priority, the first list first", kDefault);
  section.settle(member == nullptr ? std::string(kDefault) : written(member->value));
  if (member == nullptr) return;
  const auto groups = priority_groups(section, *member);
  if (!groups) return;
  for (std::size_t level = 0; level < groups->size(); ++level) {
    for (const std::size_t priority : (*groups)[level]) {
      settings.level_of_priority[priority] = static_cast<std::uint8_t>(level);
    }
  }
}

void read_pools(Reader& section, SwitchSettings& settings) {
  std::vector<Reader> pools =
      section.tables("pool", "a service pool of the shared buffer; if none is given, one pool serves all priorities");
  if (pools.empty()) return;
  if (pools.size() > kPriorities) {
    section.refuse(fmt::format("has {} pools, expected at most {}", pools.size(), kPriorities));
    return;
  }
  settings.pool_share = {};
  std::array<int, kPriorities> served{};
  double sum = 0;
  for (std::size_t i = 0; i < pools.size(); ++i) {
    std::vector<std::int64_t> of_pool;
    pools[i].required("share", settings.pool_share[i],
                      "fraction of the buffer that remains after reserve and headroom; all shares must sum to 1",
                      between(0.0, 1.0));
    pools[i].list("priorities", of_pool, "priorities that use this pool", priorities());
    pools[i].finish();
    sum += settings.pool_share[i];
    for (const std::int64_t priority : of_pool) {
      settings.pool_of_priority[static_cast<std::size_t>(priority)] = static_cast<std::uint8_t>(i);
      ++served[static_cast<std::size_t>(priority)];
    }
  }
  constexpr double kRounding = 1e-9;
  if (sum < 1 - kRounding || sum > 1 + kRounding) {
    section.refuse(fmt::format("the shares of the pools sum to {}, expected 1", sum));
  }
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    if (served[priority] == 1) continue;
    section.refuse(fmt::format("priority {} is served by {} pools, expected one", priority, served[priority]));
  }
}

constexpr Named<Discipline> kDisciplines[] = {{"deficit_round_robin", Discipline::deficit_round_robin},
                                              {"round_robin", Discipline::round_robin},
                                              {"rank", Discipline::rank}};

void read_disciplines(Reader& section, SwitchSettings& settings) {
  Discipline discipline = Discipline::deficit_round_robin;
  section.choice<Discipline>("discipline", discipline, kDisciplines,
                             "scheduling discipline among the queues of a level");
  settings.discipline_of_priority.fill(discipline);
  std::optional<Reader> table = section.optional_table("discipline_of_priority", "discipline of individual priorities");
  if (!table) return;
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    const std::string key = fmt::format("{}", priority);
    if (!table->has(key) && !table->describing()) continue;
    table->choice<Discipline>(key, settings.discipline_of_priority[priority], kDisciplines,
                              "discipline of this priority");
  }
  for (std::size_t priority = 0; priority < kPriorities; ++priority) table->ignore(fmt::format("{}", priority));
  table->finish();
}

/// A level has one discipline, because the queues of all its priorities are in one ring.
void check_disciplines(Reader& section, const SwitchSettings& settings) {
  for (std::size_t a = 0; a < kPriorities; ++a) {
    for (std::size_t b = a + 1; b < kPriorities; ++b) {
      if (settings.level_of_priority[a] != settings.level_of_priority[b]) continue;
      if (settings.discipline_of_priority[a] == settings.discipline_of_priority[b]) continue;
      section.refuse(fmt::format(
          "priorities {} and {} share a level but have different disciplines, expected one discipline per level", a,
          b));
      return;
    }
  }
}

void read_window(Reader& section, WindowSettings& window) {
  static constexpr Named<WindowSettings::Kind> kKinds[] = {{"none", WindowSettings::Kind::none},
                                                           {"fixed", WindowSettings::Kind::fixed},
                                                           {"variable", WindowSettings::Kind::variable}};
  Reader table = section.table("window", "a window of the NIC itself, in addition to that of the congestion control");
  table.choice<WindowSettings::Kind>(
      "kind", window.kind, kKinds,
      "no window (none), a constant one (fixed), or one scaled by rate / line rate (variable)");
  table.optional("bytes", window.bytes, "size of the window; if omitted, one bandwidth-delay product", above(Bytes()));
  table.optional("global_round_trip", window.global_round_trip,
                 "compute the bandwidth-delay product with the longest base round-trip time of the network instead of "
                 "that of the pair");
  table.finish();
}

/// Reads a transport, which takes precedence, or else the roles that it would replace.
void read_host_schemes(Reader& section, HostSettings& settings) {
  for_each_host_role([&](const SchemeRole& role, PolicyChoice HostSettings::*chosen) {
    const Scheme* transport = settings.transport.scheme;
    const Value::Member* member = section.value() == nullptr ? nullptr : section.value()->find(role.key);
    if (member == nullptr && role.default_scheme.empty() && !section.describing()) return;
    if (transport == nullptr) {
      settings.*chosen = read_scheme(section.table(role.key, role.meaning), role);
    } else if (member != nullptr) {
      static_cast<void>(read_scheme(section.table(role.key, role.meaning), role));
      section.refuse(*member, fmt::format("\"{}\" (host.transport) replaces the {}, expected only one of the two",
                                          transport->name, role.name));
    }
  });
}

/// Settings that only reliable connections use must not be given without effect.
void refuse_beside_transport(Reader& section, const HostSettings& settings) {
  if (settings.transport.scheme == nullptr) return;
  const auto refuse = [&](std::string_view key, bool is_set) {
    const Value::Member* member = is_set ? section.value()->find(key) : nullptr;
    if (member == nullptr) return;
    section.refuse(*member, fmt::format("has no effect with host.transport = \"{}\", which decides this itself",
                                        settings.transport.scheme->name));
  };
  refuse("window", settings.window.kind != WindowSettings::Kind::none);
  refuse("shortest_remaining_first", settings.shortest_remaining_first);
  refuse("acknowledge_every", settings.acknowledge_every != 1);
}

/// The switches that use the common buffer.
std::vector<SwitchId> without_buffer(const Topology& topology, const std::vector<SwitchGroup>& groups) {
  std::vector<bool> own(topology.switches());
  for (const SwitchGroup& group : groups) {
    for (const SwitchId id : group.switches) own[id.index()] = group.buffer.has_value();
  }
  std::vector<SwitchId> out;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!own[i]) out.emplace_back(i);
  }
  return out;
}

}  // namespace

SwitchSettings read_switch_section(Reader section, const NodeNames& names, std::vector<SwitchGroup>& groups) {
  SwitchSettings settings;
  const SwitchPreset* preset = read_preset(section);
  if (preset != nullptr) settings.buffer = preset->buffer;
  section.optional("buffer", settings.buffer, switch_key::kBuffer, whole_memory());
  section.optional("reserve", settings.reserve, switch_key::kReserve, part_of_memory());
  section.optional("control_reserve", settings.control_reserve,
                   "memory per egress port, in addition to `buffer`, for control frames that do not fit in the buffer "
                   "or that the switch generates",
                   part_of_memory());
  settings.headroom = read_headroom(section, "\"computed\"").value_or(HeadroomRule());
  section.optional("pause_response", settings.pause_response,
                   "maximum time from the arrival of a PAUSE at the neighbour until it takes effect");
  read_lossless(section, settings);
  read_levels(section, settings);
  read_disciplines(section, settings);
  check_disciplines(section, settings);
  read_pools(section, settings);
  settings.watchdog = read_pause_watchdog(section);
  for_each_switch_role([&]<class Choice>(const SchemeRole& role, Choice SwitchSettings::*chosen, auto SwitchGroup::*) {
    if constexpr (std::is_same_v<Choice, PolicyChoice>) {
      settings.*chosen = read_scheme(section.table(role.key, role.meaning), role);
    } else {
      settings.*chosen = read_schemes(section.tables(role.key, role.meaning), role);
    }
  });
  groups = read_switch_groups(section, names);
  if (names.topology() != nullptr)
    refuse_small_preset(section, preset, *names.topology(), without_buffer(*names.topology(), groups));
  section.finish();
  return settings;
}

HostSettings read_host_section(Reader section, const NodeNames& names, Framing& framing,
                               std::vector<HostSettingsGroup>& groups) {
  enum class Frames : std::uint8_t { rocev2, hpcc_simulator, pyrrha_simulator };
  static constexpr Named<Frames> kFramings[] = {{"rocev2", Frames::rocev2},
                                                {"hpcc_simulator", Frames::hpcc_simulator},
                                                {"pyrrha_simulator", Frames::pyrrha_simulator}};
  HostSettings settings;
  constexpr std::int64_t kLargestPayload = 9'000;
  section.optional("payload", settings.payload, "payload bytes of a full packet",
                   between<std::int64_t>(1, kLargestPayload));
  Frames frames = Frames::rocev2;
  section.choice<Frames>("framing", frames, kFramings,
                         "frame overhead: RoCEv2 on tagged Ethernet, or that of a public simulator");
  framing = frames == Frames::rocev2           ? Framing::rocev2()
            : frames == Frames::hpcc_simulator ? Framing::hpcc_simulator()
                                               : Framing::pyrrha_simulator();
  section.optional("acknowledge_every", settings.acknowledge_every,
                   "request an acknowledgement every N packets, and whenever the window closes",
                   Range<std::uint32_t>{1, 1'000'000, false});
  std::optional<std::int64_t> priority;
  section.optional("acknowledge_priority", priority, "priority of acknowledgements; if omitted, that of the data",
                   priorities());
  if (priority) settings.acknowledge_priority = static_cast<Priority>(*priority);
  section.optional("acknowledgements_ignore_pause", settings.acknowledgements_ignore_pause,
                   "the NIC that generates acknowledgements sends them even while paused, as in the public simulators");
  section.optional("notification_priority", settings.notification_priority,
                   "priority of congestion notification packets",
                   Range<Priority>{Priority{0}, Priority{kLastPriority}, false});
  section.optional("shortest_remaining_first", settings.shortest_remaining_first,
                   "serve the queue pair with the least remaining data first, instead of round robin");
  read_window(section, settings.window);
  settings.receive_buffer = read_receive_buffer(section);
  groups = read_host_groups(section, names, settings.receive_buffer);
  read_host_schemes(section, settings);
  refuse_beside_transport(section, settings);
  section.finish();
  return settings;
}

}  // namespace weir
