// SPDX-License-Identifier: Apache-2.0
#include "check/transport_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>

#include "fabric/fabric.h"
#include "fabric/failure_states.h"
#include "sim/time_limit.h"

namespace weir {
namespace {

constexpr std::size_t kMostEdges = 256;
/// UDP source ports of flows between a pair of hosts.
constexpr std::array<std::uint16_t, 4> kEntropies = {0xc000, 0xc5a3, 0xd2e1, 0xff1c};

/// A path as far as it can be predicted.
struct Path {
  std::vector<LinkId> links;  ///< between switches
  std::string text;           ///< the nodes
  bool complete = false;      ///< it ends at the destination
};

Path path_of_key(const Topology& topology, const PathView& paths, const FlowKey& key) {
  Path out;
  for (const Hop& hop : path_of(paths, key)) {
    const NodeId node = topology.node_of(hop.node);
    const PortEnd& port = topology.port(node, hop.port);
    out.text += fmt::format("{}{}", out.text.empty() ? "" : " ", topology.node(node).name);
    out.complete = topology.node(port.peer).host == key.destination;
    if (!out.complete) out.links.push_back(port.link);
  }
  return out;
}

bool has_route(const Topology& topology, const PathTable& paths, HostId from, HostId to) {
  return !paths.routes(topology.edge_of(from)).to(to).ports.empty();
}

/// One host of each edge switch, of at most kMostEdges.
std::vector<HostId> one_per_edge(const Topology& topology) {
  std::vector<HostId> all;
  std::set<SwitchId> seen;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    if (seen.insert(topology.edge_of(HostId(host))).second) all.emplace_back(host);
  }
  if (all.size() <= kMostEdges) return all;
  std::vector<HostId> out;
  for (std::size_t i = 0; i < kMostEdges; ++i) out.push_back(all[i * all.size() / kMostEdges]);
  return out;
}

}  // namespace

std::optional<std::string> asymmetric_pair(const Topology& topology, const PathTable& paths) {
  const std::vector<HostId> hosts = one_per_edge(topology);
  for (std::size_t a = 0; a < hosts.size(); ++a) {
    for (std::size_t b = a + 1; b < hosts.size(); ++b) {
      if (!has_route(topology, paths, hosts[a], hosts[b]) || !has_route(topology, paths, hosts[b], hosts[a])) continue;
      for (const std::uint16_t entropy : kEntropies) {
        const FlowKey key = {hosts[a], hosts[b], entropy};
        const Path there = path_of_key(topology, paths, key);
        Path back = path_of_key(topology, paths, reversed(key));
        const std::string pair = fmt::format("{} and {}", topology.node(topology.node_of(hosts[a])).name,
                                             topology.node(topology.node_of(hosts[b])).name);
        if (!there.complete || !back.complete)
          return fmt::format("packets of a flow between {} have no one path", pair);
        std::reverse(back.links.begin(), back.links.end());
        if (there.links == back.links) continue;
        return fmt::format("a flow between {} takes {} there and {} back", pair, there.text, back.text);
      }
    }
  }
  return std::nullopt;
}

SymmetryCheck check_symmetry(const Settings& settings) {
  const Scheme* transport = settings.hosts.transport.scheme;
  if (transport == nullptr || !transport->traits.needs_symmetric_paths) return {};
  Settings small = settings;
  small.run.frame_capacity = 64;
  Fabric fabric(small);
  for (const FailureState& state : failure_states(settings.network, latest_end(settings.run))) {
    fabric.reroute(state.failed);
    const std::optional<std::string> pair = asymmetric_pair(settings.network.topology, fabric.paths());
    if (!pair) continue;
    return {
        fmt::format("\"{}\" needs both directions of a flow to take the same links, but {}{}; expected a forwarding "
                    "that is symmetric in this network, such as switch.forwarding = {{ scheme = \"ecmp\", hash = "
                    "\"symmetric\", seed_per_switch = false }} in a leaf-spine or a fat-tree",
                    transport->name, *pair, state.failed.empty() ? "" : " while links are down"),
        ""};
  }
  return {"", fmt::format("{} needs both directions of a flow to take the same links; they do for {} UDP source ports "
                          "between one host of each of {} edge switches",
                          transport->name, kEntropies.size(), one_per_edge(settings.network.topology).size())};
}

std::vector<std::string> missing_parts(const Settings& settings) {
  const Scheme* transport = settings.hosts.transport.scheme;
  std::vector<std::string> out;
  const auto add = [&out](std::string line) {
    if (std::find(out.begin(), out.end(), line) == out.end()) out.push_back(std::move(line));
  };
  for (const SwitchSettings& switches : settings.switch_kinds()) {
    bool has_part = false;
    for (const PolicyChoice& choice : switches.flow_control) {
      if (choice.scheme == nullptr) continue;
      has_part |= choice.scheme == transport;
      if (choice.scheme->transport == nullptr || choice.scheme == transport) continue;
      add(fmt::format("{0}: no host has its transport; expected host.transport = \"{0}\"", choice.scheme->name));
    }
    if (transport == nullptr || transport->flow_control == nullptr || has_part) continue;
    add(
        fmt::format("{0}: switches lack its part; expected switch.flow_control = [\"{0}\"], the same in all groups of "
                    "switches",
                    transport->name));
  }
  return out;
}

}  // namespace weir
