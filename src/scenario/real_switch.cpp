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
  PortsReader(Reader& root, const Settings& settings, std::vector<RealSwitch>& switches)
      : root_(root),
        settings_(settings),
        topology_(settings.network.topology),
        names_(&settings.network.topology),
        switches_(switches) {}

  void read() {
    Reader section = root_.table("real", "the switches of the network that this process implements");
    read_switches(section);
    std::vector<Reader> ports = root_.tables("port", "a port and its device");
    for (Reader& port : ports) read_port(port);
    read_neighbours(root_, names_, process_);
    for (RealSwitch& real : switches_) {
      real.neighbours = process_.neighbours;
      for (std::size_t i = 0; i < real.ports.size(); ++i) {
        const PortEnd& end = ends_of(real)[i];
        if (!real.ports[i].device.empty()) {
          refuse_half_a_link(real, i);
        } else if (!is_here(end.peer)) {
          root_.refuse(fmt::format("has no [[port]] {}towards \"{}\"",
                                   switches_.size() > 1 ? fmt::format("of \"{}\" ", name_of(real)) : "",
                                   topology_.node(end.peer).name));
        }
      }
    }
  }

 private:
  /// Sets the switches; those that do not exist are left out.
  void read_switches(Reader& section) {
    std::optional<std::string> node;
    section.optional("node", node, "name of the switch");
    std::vector<std::string> nodes;
    section.list("nodes", nodes, "names of the switches, instead of node");
    const auto has = [&](std::string_view key) { return section.given() && section.value()->find(key) != nullptr; };
    if (has("node") == has("nodes")) {
      section.refuse("expected one of the keys node and nodes");
    } else if (node) {
      add(section, *section.value()->find("node"), *node);
    } else {
      for (const std::string& name : nodes) add(section, *section.value()->find("nodes"), name);
    }
    read_buffers(section, default_packets(), process_);
    Duration calibration = RealSwitch().calibration;
    section.optional("calibration", calibration,
                     "time before the start for which the loop is measured, to add its delay to switch.pause_response",
                     Range<Duration>{Duration(), Duration::picoseconds(10'000'000'000'000), false});
    section.finish();
    for (RealSwitch& real : switches_) {
      real.packets = process_.packets;
      real.packet_bytes = process_.packet_bytes;
      real.calibration = calibration;
    }
  }
  void add(Reader& section, const Value::Member& member, const std::string& name) {
    const NodeId node = names_.node(section, member, name);
    if (!node.exists()) return;
    if (topology_.node(node).is_host()) {
      return section.refuse(member, fmt::format("\"{}\" is a host, expected a switch", name));
    }
    if (is_here(node)) return section.refuse(member, fmt::format("names \"{}\" twice", name));
    RealSwitch real;
    real.settings = settings_;
    real.id = topology_.node(node).switch_id;
    real.ports.resize(topology_.ports(node).size());
    switches_.push_back(std::move(real));
  }
  [[nodiscard]] bool is_here(NodeId node) const {
    return std::any_of(switches_.begin(), switches_.end(),
                       [&](const RealSwitch& real) { return topology_.node_of(real.id) == node; });
  }
  [[nodiscard]] const std::vector<PortEnd>& ends_of(const RealSwitch& real) const {
    return topology_.ports(topology_.node_of(real.id));
  }
  [[nodiscard]] const std::string& name_of(const RealSwitch& real) const {
    return topology_.node(topology_.node_of(real.id)).name;
  }
  /// A link within the process has devices at both ends, or at none.
  void refuse_half_a_link(const RealSwitch& real, std::size_t port) {
    const PortEnd& end = ends_of(real)[port];
    for (const RealSwitch& other : switches_) {
      if (topology_.node_of(other.id) != end.peer) continue;
      if (!other.ports[end.peer_port.index()].device.empty()) continue;
      root_.refuse(
          fmt::format("has a [[port]] of \"{}\" towards \"{}\", but none at the other end of the link; "
                      "without both they are joined in memory",
                      name_of(real), name_of(other)));
    }
  }

  /// Packets of a switch may be in the buffer of any switch of the process. Buffers full of the smallest frames, the
  /// rings of the devices, and packets on links.
  [[nodiscard]] std::size_t default_packets() const {
    constexpr std::int64_t kSmallest = 64;
    constexpr std::size_t kPerPort = 4'096;
    std::size_t out = 0;
    for (const RealSwitch& real : switches_) {
      const std::int64_t buffer = settings_.switches_of(real.id).buffer.count();
      out += static_cast<std::size_t>(buffer / kSmallest) + kPerPort * std::max<std::size_t>(1, real.ports.size());
    }
    return out;
  }

  /// The switch of a port; nullptr: it is not known.
  RealSwitch* switch_of(Reader& port) {
    std::optional<std::string> node;
    port.optional("node", node, "the switch, if the process has several");
    if (switches_.empty()) return nullptr;
    if (!node) {
      if (switches_.size() == 1) return &switches_.front();
      port.refuse("expected the key node, because the process has several switches");
      return nullptr;
    }
    for (RealSwitch& real : switches_) {
      if (name_of(real) == *node) return &real;
    }
    port.refuse(*port.value()->find("node"), fmt::format("\"{}\" is not a switch of this process", *node));
    return nullptr;
  }

  void read_port(Reader& port) {
    RealSwitch* const real = switch_of(port);
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
    const std::bitset<kPriorities> pausable = read_pausable(port, real);
    bool speaks_schemes = true;
    port.optional("speaks_schemes", speaks_schemes,
                  "whether the host at the other end knows the schemes' headers and control frames");
    port.finish();
    std::optional<MacAddress> mac;
    if (next_hop) mac = read_mac(port, "next_hop", *next_hop);
    if (has_device) refuse_second_use(port, "device", device, devices_);
    if (real == nullptr || !has_device) return;
    const std::optional<std::size_t> which = number_of(port, *real, towards, number);
    if (!which) return;
    if (!real->ports[*which].device.empty()) {
      port.refuse(fmt::format("port {} already has a device", *which));
      return;
    }
    const NodeId peer = ends_of(*real)[*which].peer;
    if (!speaks_schemes && !topology_.node(peer).is_host()) {
      port.refuse(*port.value()->find("speaks_schemes"),
                  fmt::format("is false, but \"{}\" is a switch; its schemes are those of [switch] or [[switch.group]]",
                              topology_.node(peer).name));
    }
    real->ports[*which] = {device, mac, pausable, speaks_schemes};
  }

  /// All lossless priorities unless the port names some of them.
  std::bitset<kPriorities> read_pausable(Reader& port, const RealSwitch* real) {
    if (real == nullptr) {
      port.ignore("pausable");
      return {};
    }
    const std::array<bool, kPriorities> lossless = settings_.switches_of(real->id).lossless;
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

  std::optional<std::size_t> number_of(Reader& port, const RealSwitch& real, const std::optional<std::string>& towards,
                                       const std::optional<std::int64_t>& number) {
    if (towards.has_value() == number.has_value()) {
      port.refuse("expected one of the keys towards and port");
      return std::nullopt;
    }
    const std::vector<PortEnd>& ports = ends_of(real);
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
      if (ports[i].peer == peer && real.ports[i].device.empty()) return i;
    }
    port.refuse(member, fmt::format("the switch has no (other) link to \"{}\"", *towards));
    return std::nullopt;
  }

  Reader& root_;
  const Settings& settings_;
  const Topology& topology_;
  NodeNames names_;
  std::vector<RealSwitch>& switches_;
  RealProcess process_;  // what is the same for all of them
  std::set<std::string> devices_;
};

void read_all(Value root, const std::filesystem::path& directory, Diagnostics& diagnostics, RealSwitchFile& out) {
  const Value of_ports = take_members(root, {"real", "port", "neighbour"});
  std::optional<Settings> settings = read_nodes(root, directory, diagnostics, out.notes);
  if (!settings) return;
  std::vector<RealSwitch> switches;
  read_own_tables(of_ports, diagnostics, [&](Reader& reader) { PortsReader(reader, *settings, switches).read(); });
  for (const RealSwitch& real : switches) refuse_ideal(settings->switches_of(real.id), root, diagnostics);
  refuse_other_framing(*settings, root, diagnostics);
  if (switches.empty()) return;
  out.real = std::move(switches.front());
  switches.erase(switches.begin());
  out.more = std::move(switches);
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
