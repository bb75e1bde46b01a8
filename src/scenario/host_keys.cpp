// SPDX-License-Identifier: Apache-2.0
#include "scenario/host_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenario/switch_keys.h"

namespace weir {
namespace {

constexpr std::string_view kBuffer =
    "memory per host in which received frames wait until the host takes them at `drain_rate`; frames that do not fit "
    "are dropped. A host whose buffer fills pauses its switch if a flow control of the switch supports it (`pfc`, "
    "`pyrrha`). If omitted, hosts take frames as they arrive";
constexpr std::string_view kRate =
    "rate at which a host takes received frames out of `receive_buffer`, in bytes of frames; required with it";

void read_keys(Reader& section, std::optional<Bytes>& buffer, std::optional<BitRate>& rate) {
  section.optional("receive_buffer", buffer, kBuffer, whole_memory());
  section.optional("drain_rate", rate, kRate, above(BitRate()));
}

/// Refuses one of the two keys without the other.
void refuse_half(Reader& section, bool buffer, bool rate) {
  if (buffer == rate) return;
  const std::string_view given = buffer ? "receive_buffer" : "drain_rate";
  const std::string message =
      fmt::format("is given without {}, expected both or neither", buffer ? "drain_rate" : "receive_buffer");
  const Value::Member* member = section.value() == nullptr ? nullptr : section.value()->find(given);
  if (member != nullptr) section.refuse(*member, message);
}

HostSettingsGroup read_group(Reader& section, std::size_t number, const NodeNames& names, const ReceiveBuffer& all) {
  HostSettingsGroup group;
  std::optional<std::string> name;
  section.optional("name", name, "name of the group in variants and messages; if omitted, its index from 0");
  group.name = name.value_or(fmt::format("{}", number));
  const bool named = section.has("hosts") || section.describing();
  if (!named) section.refuse(fmt::format("hosts is missing, expected {}", NodeNames::kHostForms));
  group.hosts = names.hosts(section, "hosts", "", "hosts of the group").value_or(std::vector<HostId>());
  read_keys(section, group.receive_buffer, group.drain_rate);
  if (!section.describing()) {
    refuse_half(section, section.has("receive_buffer") || all.size > Bytes(),
                section.has("drain_rate") || all.drain_rate > BitRate());
  }
  section.finish();
  return group;
}

/// For each host, its group.
using Membership = std::map<HostId, std::string>;

void enter(Reader& section, const HostSettingsGroup& group, const NodeNames& names, Membership& membership) {
  for (const HostId id : group.hosts) {
    const auto [other, entered] = membership.emplace(id, group.name);
    if (entered || other->second == group.name) continue;
    const Topology& topology = *names.topology();
    section.refuse(*section.value()->find("hosts"),
                   fmt::format("\"{}\" is already in group \"{}\", expected each host in at most one group",
                               topology.node(topology.node_of(id)).name, other->second));
    return;
  }
}

}  // namespace

ReceiveBuffer read_receive_buffer(Reader& section) {
  std::optional<Bytes> buffer;
  std::optional<BitRate> rate;
  read_keys(section, buffer, rate);
  refuse_half(section, section.has("receive_buffer"), section.has("drain_rate"));
  return {buffer.value_or(Bytes()), rate.value_or(BitRate())};
}

std::vector<HostSettingsGroup> read_host_groups(Reader& section, const NodeNames& names, const ReceiveBuffer& all) {
  std::vector<HostSettingsGroup> groups;
  Membership membership;
  // Without groups the configuration is the same as before groups existed.
  std::optional<std::vector<Reader>> tables =
      section.optional_tables("group", "settings for some hosts; keys that are omitted take the value from [host]");
  if (!tables) return groups;
  for (Reader& table : *tables) {
    HostSettingsGroup read = read_group(table, groups.size(), names, all);
    const bool again = std::any_of(groups.begin(), groups.end(),
                                   [&](const HostSettingsGroup& other) { return other.name == read.name; });
    if (again) {
      table.refuse(fmt::format("two groups are named \"{}\"", read.name));
    } else {
      enter(table, read, names, membership);
    }
    groups.push_back(std::move(read));
  }
  return groups;
}

}  // namespace weir
