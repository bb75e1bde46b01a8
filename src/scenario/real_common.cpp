// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_common.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "config/toml_file.h"
#include "fabric/added_headers.h"
#include "fabric/fabric.h"
#include "wire/ethernet.h"
#include "wire/scheme_shim.h"

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

void refuse_second_use(Reader& reader, std::string_view key, const std::string& device, std::set<std::string>& seen) {
  const std::string name = device.substr(0, device.find(','));
  if (seen.insert(name).second) return;
  reader.refuse(*reader.value()->find(key), fmt::format("\"{}\" is used above, expected another device", name));
}

void read_neighbours(Reader& root, const NodeNames& names, RealProcess& out) {
  std::vector<Reader> neighbours = root.tables("neighbour", "MAC address of a host");
  for (Reader& neighbour : neighbours) {
    const std::optional<HostId> host = names.host(neighbour, "host", "a host");
    std::string text;
    const bool has_mac = neighbour.required("mac", text, "MAC address of the host");
    neighbour.finish();
    if (!has_mac) continue;
    const std::optional<MacAddress> mac = read_mac(neighbour, "mac", text);
    if (host && mac) out.neighbours.emplace_back(*host, *mac);
  }
}

void read_buffers(Reader& section, std::size_t packets, RealProcess& out) {
  constexpr std::uint32_t kSmallestPacket = 1'600;
  constexpr std::uint32_t kLargestPacket = 16'384;
  out.packets = packets;
  section.optional("packets", out.packets, "number of buffers for received packets",
                   Range<std::size_t>{1'024, kMostBuffers, false});
  section.optional("packet_bytes", out.packet_bytes, "size of each buffer; must hold the longest frame",
                   Range<std::uint32_t>{kSmallestPacket, kLargestPacket, false});
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

void refuse_ideal(const Settings& settings, const Value& root, Diagnostics& diagnostics) {
  for (const SwitchSettings& switches : settings.switch_kinds()) refuse_ideal(switches, root, diagnostics);
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

std::size_t longest_packet(const Settings& settings) {
  const std::size_t shim = AddedHeaders(settings).most() > 0 ? kShimBytes : 0;
  return static_cast<std::size_t>(maximum_frame_bytes(settings)) - kFcsBytes + shim;
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

void read_own_tables(const Value& own, Diagnostics& diagnostics, const std::function<void(Reader&)>& read) {
  EffectiveTable unwritten;
  Reader reader(diagnostics, &own, own.origin, {}, unwritten);
  read(reader);
  reader.finish();
}

std::vector<std::string> errors_of_text(std::string_view text, const std::string& file, const ReadRoot& read) {
  Diagnostics diagnostics(file);
  if (std::optional<Value> root = parse_toml(text, diagnostics)) read(std::move(*root), {}, diagnostics);
  return diagnostics.lines();
}

std::vector<std::string> errors_of_file(const std::string& path, const ReadRoot& read) {
  Diagnostics diagnostics(path);
  if (std::optional<Value> root = load_toml(path, diagnostics)) {
    read(std::move(*root), std::filesystem::path(path).parent_path(), diagnostics);
  }
  return diagnostics.lines();
}

}  // namespace weir
