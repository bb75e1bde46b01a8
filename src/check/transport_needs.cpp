// SPDX-License-Identifier: Apache-2.0
#include "check/transport_needs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "fabric/fabric.h"
#include "fabric/failure_states.h"
#include "sim/time_limit.h"
#include "units/words.h"

namespace weir {
namespace {

constexpr std::size_t kMostEdges = 256;
/// Flows compared in a network, unless there are so many pairs of edge switches that kLeastOfPair flows of each are
/// more.
constexpr std::size_t kFlows = 1'000;
constexpr std::size_t kLeastOfPair = 4;

/// A path as far as it can be predicted.
struct Path {
  std::vector<LinkId> links;  ///< between switches
  std::string text;           ///< the nodes
  bool complete = false;      ///< it ends at the destination
};

/// Which of the links between the same two nodes, if there are several.
std::string parallel_name(const Topology& topology, NodeId node, PortId port) {
  const PortEnd& of = topology.port(node, port);
  std::size_t number = 1;
  std::size_t all = 0;
  for (const PortEnd& other : topology.ports(node)) {
    if (other.peer != of.peer) continue;
    ++all;
    if (other.link < of.link) ++number;
  }
  return all > 1 ? fmt::format(" (link {} of {})", number, all) : "";
}

bool has_parallel_links(const Topology& topology) {
  std::set<std::pair<NodeId, NodeId>> seen;
  return std::any_of(topology.links().begin(), topology.links().end(),
                     [&](const Link& link) { return !seen.insert(std::minmax(link.a, link.b)).second; });
}

Path path_of_key(const Topology& topology, const PathView& paths, const FlowKey& key) {
  Path out;
  for (const Hop& hop : path_of(paths, key)) {
    const NodeId node = topology.node_of(hop.node);
    const PortEnd& port = topology.port(node, hop.port);
    out.text += fmt::format("{}{}{}", out.text.empty() ? "" : " ", topology.node(node).name,
                            parallel_name(topology, node, hop.port));
    out.complete = topology.node(port.peer).host == key.destination;
    if (!out.complete) out.links.push_back(port.link);
  }
  return out;
}

bool has_route(const Topology& topology, const PathTable& paths, HostId from, HostId to) {
  return !paths.routes(topology.edge_of(from)).to(to).ports.empty();
}

/// The hosts of each edge switch, of at most kMostEdges.
std::vector<std::vector<HostId>> hosts_of_edges(const Topology& topology) {
  std::vector<std::vector<HostId>> all;
  std::map<SwitchId, std::size_t> numbers;
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const auto [known, is_new] = numbers.try_emplace(topology.edge_of(HostId(host)), all.size());
    if (is_new) all.emplace_back();
    all[known->second].emplace_back(host);
  }
  if (all.size() <= kMostEdges) return all;
  std::vector<std::vector<HostId>> out;
  for (std::size_t i = 0; i < kMostEdges; ++i) out.push_back(std::move(all[i * all.size() / kMostEdges]));
  return out;
}

std::size_t flows_of_pair(std::size_t edges) {
  const std::size_t pairs = std::max<std::size_t>(edges * (edges - 1) / 2, 1);
  return std::max(kLeastOfPair, (kFlows + pairs - 1) / pairs);
}

/// The n-th flow of those compared between hosts of two edge switches: all pairs of hosts, over and over, with UDP
/// source ports that differ.
FlowKey nth_flow(const std::vector<HostId>& from, const std::vector<HostId>& to, std::size_t n) {
  constexpr std::uint16_t kFirst = 0xc000;
  constexpr std::uint16_t kMask = 0x3fff;
  constexpr std::size_t kStep = 0x25a3;  // odd: all ports of the range in turn, neighbours far from each other
  return {from[n % from.size()], to[n / from.size() % to.size()],
          static_cast<std::uint16_t>(kFirst | (n * kStep & kMask))};
}

}  // namespace

std::optional<std::string> asymmetric_pair(const Topology& topology, const PathTable& paths) {
  const std::vector<std::vector<HostId>> edges = hosts_of_edges(topology);
  const std::size_t flows = flows_of_pair(edges.size());
  for (std::size_t a = 0; a < edges.size(); ++a) {
    for (std::size_t b = a + 1; b < edges.size(); ++b) {
      for (std::size_t n = 0; n < flows; ++n) {
        const FlowKey key = nth_flow(edges[a], edges[b], n);
        if (!has_route(topology, paths, key.source, key.destination) ||
            !has_route(topology, paths, key.destination, key.source)) {
          continue;
        }
        const Path there = path_of_key(topology, paths, key);
        Path back = path_of_key(topology, paths, reversed(key));
        const std::string pair = fmt::format("{} and {}", topology.node(topology.node_of(key.source)).name,
                                             topology.node(topology.node_of(key.destination)).name);
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
    std::vector<std::string> without;
    if (has_parallel_links(settings.network.topology)) without.emplace_back("parallel links");
    if (!settings.network.weights.empty()) without.emplace_back("weights");
    return {
        fmt::format("\"{}\" needs both directions of a flow to take the same links, but {}{}; expected {}a forwarding "
                    "that is symmetric in this network, such as switch.forwarding = {{ scheme = \"ecmp\", hash = "
                    "\"symmetric\", seed_per_switch = false }} in a leaf-spine or a fat-tree",
                    transport->name, *pair, state.failed.empty() ? "" : " while links are down",
                    without.empty() ? "" : fmt::format("a network without {}, and ", join_words(without))),
        ""};
  }
  const std::size_t edges = hosts_of_edges(settings.network.topology).size();
  if (edges < 2) return {};
  return {"", fmt::format("{} needs both directions of a flow to take the same links; they do for {} flows between "
                          "hosts of each pair of {} edge switches",
                          transport->name, flows_of_pair(edges), edges)};
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
