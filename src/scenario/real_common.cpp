// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace weir {

std::optional<MacAddress> mac_address_from(std::string_view text) {
  constexpr std::size_t kLength = 17;
  if (text.size() != kLength) return std::nullopt;
  MacAddress out;
  for (std::size_t i = 0; i < out.octets.size(); ++i) {
    const std::string_view part = text.substr(3 * i, 2);
    constexpr int kHexadecimal = 16;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), out.octets[i], kHexadecimal);
    if (error != std::errc() || end != part.data() + part.size()) return std::nullopt;
    if (i > 0 && text[3 * i - 1] != ':') return std::nullopt;
  }
  return out;
}

std::optional<MacAddress> read_mac(Reader& reader, std::string_view key, const std::string& text) {
  const std::optional<MacAddress> mac = mac_address_from(text);
  if (!mac) {
    reader.refuse(*reader.value()->find(key),
                  fmt::format("is \"{}\", expected a MAC address such as \"52:54:00:12:34:56\"", text));
  }
  return mac;
}

void read_neighbour(Reader& neighbour, const NodeNames& names, std::vector<std::pair<HostId, MacAddress>>& out) {
  const std::optional<HostId> host = names.host(neighbour, "host", "a host");
  std::string text;
  const bool has_mac = neighbour.required("mac", text, "MAC address of the host");
  neighbour.finish();
  if (!has_mac) return;
  const std::optional<MacAddress> mac = read_mac(neighbour, "mac", text);
  if (host && mac) out.emplace_back(*host, *mac);
}

void refuse_ideal(const SwitchSettings& switches, const Value& root, Diagnostics& diagnostics) {
  const Value::Member* section = root.find("switch");
  const auto refuse = [&](std::string_view key, const PolicyChoice& choice) {
    if (choice.scheme == nullptr || !choice.scheme->traits.ideal) return;
    const Value::Member* member = section == nullptr ? nullptr : section->value.find(key);
    diagnostics.add(member == nullptr ? root.origin : member->origin, fmt::format("switch.{}", key),
                    fmt::format("\"{}\" is ideal and cannot be implemented in a real switch, expected another scheme",
                                choice.scheme->name));
  };
  refuse("forwarding", switches.forwarding);
  refuse("buffer_policy", switches.buffer_policy);
  for (const PolicyChoice& choice : switches.flow_control) refuse("flow_control", choice);
  for (const PolicyChoice& choice : switches.congestion_point) refuse("congestion_point", choice);
}

void refuse_other_framing(const Settings& settings, const Value& root, Diagnostics& diagnostics) {
  if (settings.network.framing.pfc == Framing::rocev2().pfc && settings.network.framing.cnp == Framing::rocev2().cnp) {
    return;
  }
  const Value::Member* host = root.find("host");
  const Value::Member* member = host == nullptr ? nullptr : host->value.find("framing");
  diagnostics.add(member == nullptr ? root.origin : member->origin, "host.framing",
                  "is the framing of a simulator, expected \"rocev2\": real frames have real sizes");
}

Value take_members(Value& root, const std::vector<std::string_view>& keys) {
  const auto is_taken = [&](const Value::Member& member) {
    return std::find(keys.begin(), keys.end(), member.key) != keys.end();
  };
  Value out(Value::Table{}, root.origin);
  if (root.table() == nullptr) return out;
  for (const Value::Member& member : *root.table()) {
    if (is_taken(member)) out.table()->push_back(member);
  }
  std::erase_if(*root.table(), is_taken);
  return out;
}

}  // namespace weir
