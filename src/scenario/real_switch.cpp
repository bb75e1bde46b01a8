// SPDX-License-Identifier: Apache-2.0
#include "scenario/real_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "config/diagnostics.h"
#include "config/reader.h"
#include "config/value.h"
#include "scenario/node_names.h"
#include "scenario/real_common.h"
#include "scenario/scenario.h"

namespace weir {
namespace {

/// Reads [real], [[port]] and [[neighbour]].
class PortsReader {
 public:
  PortsReader(Reader& root, const Topology& topology, RealSwitch& real)
      : root_(root), topology_(topology), names_(&topology), real_(real) {}

  void read() {
    Reader section = root_.table("real", "the switch of the network that this process implements");
    read_switch(section);
    std::vector<Reader> ports = root_.tables("port", "a port and its device");
    for (Reader& port : ports) read_port(port);
    read_neighbours(root_, names_, real_);
    for (std::size_t i = 0; real_.id.exists() && i < real_.ports.size(); ++i) {
      if (!real_.ports[i].device.empty()) continue;
      root_.refuse(fmt::format("has no [[port]] towards \"{}\"",
                               topology_.node(topology_.ports(topology_.node_of(real_.id))[i].peer).name));
    }
  }

 private:
  void read_switch(Reader& section) {
    std::string name;
    if (section.required("node", name, "name of the switch")) {
      const Value::Member& member = *section.value()->find("node");
      const NodeId node = names_.node(section, member, name);
      if (node.exists() && topology_.node(node).is_host()) {
        section.refuse(member, fmt::format("\"{}\" is a host, expected a switch", name));
      } else if (node.exists()) {
        real_.id = topology_.node(node).switch_id;
        real_.ports.resize(topology_.ports(node).size());
      }
    }
    read_buffers(section, default_packets(), real_);
    section.optional("calibration", real_.calibration,
                     "time before the start for which the loop is measured, to add its delay to switch.pause_response",
                     Range<Duration>{Duration(), Duration::picoseconds(10'000'000'000'000), false});
    section.finish();
  }

  /// A buffer full of the smallest frames, the rings of the devices, and packets on links.
  [[nodiscard]] std::size_t default_packets() const {
    constexpr std::int64_t kSmallest = 64;
    constexpr std::size_t kPerPort = 4'096;
    const std::int64_t buffer = real_.settings.switches.buffer.count();
    return static_cast<std::size_t>(buffer / kSmallest) + kPerPort * std::max<std::size_t>(1, real_.ports.size());
  }

  void read_port(Reader& port) {
    std::optional<std::string> towards;
    std::optional<std::int64_t> number;
    port.optional("towards", towards, "node at the other end of the port's link");
    port.optional("port", number, "port number", at_least<std::int64_t>(0));
    std::string device;
    const bool has_device =
        port.required("device", device, "DPDK device: \"net_af_packet0,iface=veth0\", or a PCI address");
    std::optional<std::string> next_hop;
    port.optional("next_hop", next_hop,
                  "destination MAC address for IPv4 packets; if omitted, their address is not changed");
    const std::bitset<kPriorities> pausable = read_pausable(port);
    bool speaks_schemes = true;
    port.optional("speaks_schemes", speaks_schemes,
                  "whether the host at the other end knows the schemes' headers and control frames");
    port.finish();
    std::optional<MacAddress> mac;
    if (next_hop) mac = read_mac(port, "next_hop", *next_hop);
    if (has_device) refuse_second_use(port, "device", device, devices_);
    if (!real_.id.exists() || !has_device) return;
    const std::optional<std::size_t> which = number_of(port, towards, number);
    if (!which) return;
    if (!real_.ports[*which].device.empty()) {
      port.refuse(fmt::format("port {} already has a device", *which));
      return;
    }
    const NodeId peer = topology_.ports(topology_.node_of(real_.id))[*which].peer;
    if (!speaks_schemes && !topology_.node(peer).is_host()) {
      port.refuse(*port.value()->find("speaks_schemes"),
                  fmt::format("is false, but \"{}\" is a switch; its schemes are those of [switch] or [[switch.group]]",
                              topology_.node(peer).name));
    }
    real_.ports[*which] = {device, mac, pausable, speaks_schemes};
  }

  /// All lossless priorities unless the port names some of them.
  std::bitset<kPriorities> read_pausable(Reader& port) {
    if (!real_.id.exists()) return {};
    const std::array<bool, kPriorities> lossless = real_.settings.switches_of(real_.id).lossless;
    std::vector<std::int64_t> priorities;
    for (std::int64_t priority = 0; priority < kPriorities; ++priority) {
      if (lossless[static_cast<std::size_t>(priority)]) priorities.push_back(priority);
    }
    port.list("pausable", priorities, "lossless priorities that the neighbour may pause with PFC frames",
              Range<std::int64_t>{0, kPriorities - 1, false});
    std::bitset<kPriorities> out;
    for (const std::int64_t priority : priorities) {
      const auto index = static_cast<std::size_t>(priority);
      out.set(index);
      if (lossless[index]) continue;
      port.refuse(*port.value()->find("pausable"),
                  fmt::format("names priority {}, which is not lossless (switch.lossless)", priority));
    }
    return out;
  }

  std::optional<std::size_t> number_of(Reader& port, const std::optional<std::string>& towards,
                                       const std::optional<std::int64_t>& number) {
    if (towards.has_value() == number.has_value()) {
      port.refuse("expected one of the keys towards and port");
      return std::nullopt;
    }
    const std::vector<PortEnd>& ports = topology_.ports(topology_.node_of(real_.id));
    if (number) {
      if (*number < static_cast<std::int64_t>(ports.size())) return static_cast<std::size_t>(*number);
      port.refuse(*port.value()->find("port"),
                  fmt::format("is {}, but the switch has {} ports, from 0", *number, ports.size()));
      return std::nullopt;
    }
    const Value::Member& member = *port.value()->find("towards");
    const NodeId peer = names_.node(port, member, *towards);
    if (!peer.exists()) return std::nullopt;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].peer == peer && real_.ports[i].device.empty()) return i;
    }
    port.refuse(member, fmt::format("the switch has no (other) link to \"{}\"", *towards));
    return std::nullopt;
  }

  Reader& root_;
  const Topology& topology_;
  NodeNames names_;
  RealSwitch& real_;
  std::set<std::string> devices_;
};

void read_all(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics, RealSwitchFile& out) {
  const Value of_ports = take_members(root, {"real", "port", "neighbour"});
  std::optional<Settings> settings = read_nodes(root, directory, diagnostics, out.notes);
  if (!settings) return;
  out.real.settings = std::move(*settings);
  read_own_tables(of_ports, diagnostics,
                  [&](Reader& reader) { PortsReader(reader, out.real.settings.network.topology, out.real).read(); });
  if (!out.real.id.exists()) return;
  refuse_ideal(out.real.settings.switches_of(out.real.id), root, diagnostics);
  refuse_other_framing(out.real.settings, root, diagnostics);
}

ReadRoot into(RealSwitchFile& out) {
  return [&out](Value root, const std::filesystem::path& directory, Diagnostics& diagnostics) {
    read_all(std::move(root), directory, diagnostics, out);
  };
}

}  // namespace

RealSwitchFile read_real_switch(std::string_view text, const std::string& file) {
  RealSwitchFile out;
  out.errors = errors_of_text(text, file, into(out));
  return out;
}

RealSwitchFile load_real_switch(const std::string& path) {
  RealSwitchFile out;
  out.errors = errors_of_file(path, into(out));
  return out;
}

}  // namespace weir
