// SPDX-License-Identifier: Apache-2.0
#include "net/backpressure_graph.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace weir {
namespace {

/// The ports of the edges, numbered in ascending order, and the edges by their start.
class Graph {
 public:
  explicit Graph(std::span<const BackpressureEdge> edges) : edges_(edges) {
    for (const BackpressureEdge& edge : edges) {
      hops_.push_back(edge.from);
      hops_.push_back(edge.to);
    }
    std::sort(hops_.begin(), hops_.end());
    hops_.erase(std::unique(hops_.begin(), hops_.end()), hops_.end());
    out_.resize(hops_.size());
    for (std::size_t edge = 0; edge < edges.size(); ++edge) out_[index(edges[edge].from)].push_back(edge);
  }
  [[nodiscard]] std::size_t size() const { return hops_.size(); }
  [[nodiscard]] const Hop& hop(std::size_t at) const { return hops_[at]; }
  [[nodiscard]] std::size_t index(const Hop& hop) const {
    return static_cast<std::size_t>(std::lower_bound(hops_.begin(), hops_.end(), hop) - hops_.begin());
  }
  [[nodiscard]] const std::vector<std::size_t>& out(std::size_t at) const { return out_[at]; }
  [[nodiscard]] std::size_t end_of(std::size_t edge) const { return index(edges_[edge].to); }

 private:
  std::span<const BackpressureEdge> edges_;
  std::vector<Hop> hops_;
  std::vector<std::vector<std::size_t>> out_;  // by hop, edges
};

Turn turn_of(const BackpressureEdge& edge) {
  return {edge.from.node, edge.ingress, edge.from.port};
}

constexpr std::size_t kFewEdges = 100'000;  // before duplicates are removed

template <class Item>
void sort_once(std::vector<Item>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

}  // namespace

namespace {

/// `ports_to(switch, host)`: the ports by which a switch may send frames to the host.
template <class Ports>
std::vector<BackpressureEdge> edges_along(const Topology& topology, Ports ports_to) {
  std::vector<BackpressureEdge> edges;
  std::vector<BackpressureEdge> of_switch;  // many hosts produce the same ones
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    const NodeId node = topology.node_of(SwitchId(at));
    of_switch.clear();
    for (std::size_t host = 0; host < topology.hosts(); ++host) {
      for (const PortId port : ports_to(at, host)) {
        const PortEnd& end = topology.port(node, port);
        const SwitchId next = topology.node(end.peer).switch_id;
        if (!next.exists()) continue;
        for (const PortId onward : ports_to(next.index(), host)) {
          of_switch.push_back({{next, onward}, {SwitchId(at), port}, end.peer_port});
        }
      }
      if (of_switch.size() > kFewEdges) sort_once(of_switch);
    }
    sort_once(of_switch);
    edges.insert(edges.end(), of_switch.begin(), of_switch.end());
  }
  sort_once(edges);
  return edges;
}

}  // namespace

std::vector<BackpressureEdge> backpressure_edges(const Topology& topology, std::span<const Routes> routes) {
  return edges_along(topology, [&](std::size_t at, std::size_t host) { return routes[at].to(HostId(host)).ports; });
}

std::vector<BackpressureEdge> backpressure_edges(const Topology& topology,
                                                 std::span<const std::vector<Routes>> states) {
  // Any state here with any state there: the union of the ports of all of them.
  std::vector<std::vector<std::vector<PortId>>> ports(topology.switches());
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    ports[at].resize(topology.hosts());
    for (std::size_t host = 0; host < topology.hosts(); ++host) {
      std::vector<PortId>& all = ports[at][host];
      for (const std::vector<Routes>& state : states) {
        const std::span<const PortId> more = state[at].to(HostId(host)).ports;
        all.insert(all.end(), more.begin(), more.end());
      }
      sort_once(all);
    }
  }
  return edges_along(topology,
                     [&](std::size_t at, std::size_t host) { return std::span<const PortId>(ports[at][host]); });
}

std::vector<BackpressureEdge> backpressure_edges(const Topology& topology) {
  std::vector<BackpressureEdge> edges;
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    const auto& ports = topology.ports(topology.node_of(SwitchId(at)));
    for (std::size_t ingress = 0; ingress < ports.size(); ++ingress) {
      const SwitchId upstream = topology.node(ports[ingress].peer).switch_id;
      if (!upstream.exists()) continue;
      for (std::size_t egress = 0; egress < ports.size(); ++egress) {
        edges.push_back({{SwitchId(at), PortId(egress)}, {upstream, ports[ingress].peer_port}, PortId(ingress)});
      }
    }
  }
  sort_once(edges);
  return edges;
}

std::vector<Hop> held_for_ever(std::span<const BackpressureEdge> edges) {
  const Graph graph(edges);
  // A port that no other port can block drains; it then blocks no other port.
  std::vector<std::size_t> holders(graph.size());
  for (std::size_t edge = 0; edge < edges.size(); ++edge) ++holders[graph.end_of(edge)];
  std::vector<std::size_t> drained;
  for (std::size_t at = 0; at < graph.size(); ++at) {
    if (holders[at] == 0) drained.push_back(at);
  }
  for (std::size_t i = 0; i < drained.size(); ++i) {
    for (const std::size_t edge : graph.out(drained[i])) {
      if (--holders[graph.end_of(edge)] == 0) drained.push_back(graph.end_of(edge));
    }
  }
  std::vector<Hop> held;
  for (std::size_t at = 0; at < graph.size(); ++at) {
    if (holders[at] != 0) held.push_back(graph.hop(at));
  }
  return held;
}

namespace {

/// The ports that can be reached from a port by some of the edges of a graph.
class Ways {
 public:
  Ways(std::span<const BackpressureEdge> of_graph, std::span<const BackpressureEdge> edges)
      : graph_(of_graph), next_(graph_.size()) {
    for (const BackpressureEdge& edge : edges) add(edge);
  }
  void add(const BackpressureEdge& edge) { next_[graph_.index(edge.from)].push_back(graph_.index(edge.to)); }
  [[nodiscard]] bool lead(const Hop& from, const Hop& to) {
    const std::size_t end = graph_.index(to);
    seen_.assign(graph_.size(), false);
    reached_ = {graph_.index(from)};
    seen_[reached_.front()] = true;
    for (std::size_t i = 0; i < reached_.size() && !seen_[end]; ++i) {
      for (const std::size_t beyond : next_[reached_[i]]) {
        if (!seen_[beyond]) reached_.push_back(beyond);
        seen_[beyond] = true;
      }
    }
    return seen_[end];
  }

 private:
  Graph graph_;
  std::vector<std::vector<std::size_t>> next_;
  std::vector<bool> seen_;
  std::vector<std::size_t> reached_;
};

}  // namespace

std::vector<Turn> down_up_turns(const Topology& topology) {
  std::vector<Turn> turns;
  for (std::size_t at = 0; at < topology.switches(); ++at) {
    const NodeId node = topology.node_of(SwitchId(at));
    const std::size_t ports = topology.ports(node).size();
    for (std::size_t ingress = 0; ingress < ports; ++ingress) {
      for (std::size_t egress = 0; egress < ports; ++egress) {
        if (is_down_up_turn(topology.peer(node, PortId(ingress)), topology.peer(node, PortId(egress)))) {
          turns.push_back({SwitchId(at), PortId(ingress), PortId(egress)});
        }
      }
    }
  }
  return turns;
}

std::vector<Turn> break_cycles(std::span<const BackpressureEdge> edges,
                               const std::function<Exempting(const BackpressureEdge&)>& exempting) {
  std::vector<BackpressureEdge> kinds[3];
  for (const BackpressureEdge& edge : edges) kinds[static_cast<std::size_t>(exempting(edge))].push_back(edge);
  std::vector<BackpressureEdge> kept = std::move(kinds[static_cast<std::size_t>(Exempting::never)]);
  std::vector<Turn> turns;
  for (const Exempting kind : {Exempting::if_need_be, Exempting::rather}) {
    const std::vector<BackpressureEdge>& more = kinds[static_cast<std::size_t>(kind)];
    std::vector<BackpressureEdge> all = kept;
    all.insert(all.end(), more.begin(), more.end());
    // An edge can be on a cycle only if it can be reached from a cycle, and a cycle from it. All others are added at
    // once.
    std::vector<BackpressureEdge> back = all;
    for (BackpressureEdge& edge : back) std::swap(edge.from, edge.to);
    const std::vector<Hop> behind = held_for_ever(all);
    const std::vector<Hop> before = held_for_ever(back);
    std::vector<BackpressureEdge> in_question;
    for (const BackpressureEdge& edge : more) {
      const bool may_close = std::binary_search(behind.begin(), behind.end(), edge.from) &&
                             std::binary_search(before.begin(), before.end(), edge.to);
      (may_close ? in_question : kept).push_back(edge);
    }
    Ways ways(all, kept);
    for (const BackpressureEdge& edge : in_question) {
      if (ways.lead(edge.to, edge.from)) {
        turns.push_back(turn_of(edge));
      } else {
        ways.add(edge);
        kept.push_back(edge);
      }
    }
  }
  sort_once(turns);
  return turns;
}

std::vector<BackpressureEdge> without(std::span<const BackpressureEdge> edges, std::span<const Turn> turns) {
  std::vector<BackpressureEdge> left;
  std::copy_if(edges.begin(), edges.end(), std::back_inserter(left), [&](const BackpressureEdge& edge) {
    return !std::binary_search(turns.begin(), turns.end(), turn_of(edge));
  });
  return left;
}

}  // namespace weir
