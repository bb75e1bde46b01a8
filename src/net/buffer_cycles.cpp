// SPDX-License-Identifier: Apache-2.0
#include "net/buffer_cycles.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>

#include "net/destination_graph.h"

namespace weir {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// One host per class of hosts that are equivalent in all states.
std::vector<HostId> one_of_each_class(const Topology& topology, std::span<const std::vector<Routes>> states) {
  std::vector<std::vector<std::size_t>> classes(topology.hosts());  // by host and state
  for (const std::vector<Routes>& routes : states) {
    for (std::vector<std::size_t>& of_host : classes) of_host.push_back(kNone);
    std::size_t number = 0;
    for (const DestinationClass& destinations : destination_classes(topology, routes)) {
      for (const HostId host : destinations.hosts) classes[host.index()].back() = number;
      ++number;
    }
  }
  std::set<std::vector<std::size_t>> known;
  std::vector<HostId> out;
  for (std::size_t host = 0; host < classes.size(); ++host) {
    if (known.insert(std::move(classes[host])).second) out.emplace_back(host);
  }
  return out;
}

/// The dependencies between directions of links between switches, as a graph.
class Dependencies {
 public:
  Dependencies(const Topology& topology, std::span<const Routes> routes, std::span<const Turn> turns)
      : Dependencies(topology, turns) {
    DestinationGraph graph(topology, routes);
    for (const DestinationClass& destinations : destination_classes(topology, routes)) {
      graph.aim(destinations.hosts.front());
      add(graph);
    }
  }
  Dependencies(const Topology& topology, std::span<const std::vector<Routes>> states,
               std::span<const std::size_t> order, std::span<const Turn> turns)
      : Dependencies(topology, turns) {
    std::vector<std::size_t> last(states.size());
    for (std::size_t i = 0; i < order.size(); ++i) last[order[i]] = i;
    for (const HostId host : one_of_each_class(topology, states)) add(states, order, last, host);
  }

  [[nodiscard]] std::size_t size() const { return directions_.size(); }
  [[nodiscard]] const Hop& direction(std::uint32_t at) const { return directions_[at]; }
  [[nodiscard]] const std::vector<std::uint32_t>& next(std::uint32_t at) const { return next_[at]; }

 private:
  /// Initially without dependencies.
  Dependencies(const Topology& topology, std::span<const Turn> turns) : topology_(topology), turns_(turns) {
    std::size_t known_words = 0;
    std::size_t onward_words = 0;
    for (std::size_t i = 0; i < topology.switches(); ++i) {
      const NodeId node = topology.node_of(SwitchId(i));
      first_.push_back(static_cast<std::uint32_t>(directions_.size()));
      first_onward_.push_back(onward_words);
      onward_words += words_of(node);
      for (std::size_t port = 0; port < topology.ports(node).size(); ++port) {
        directions_.push_back({SwitchId(i), PortId(port)});
        first_known_.push_back(known_words);
        const Peer peer = topology.peer(node, PortId(port));
        known_words += peer.is_host() ? 0 : words_of(peer.node);
      }
    }
    known_.resize(known_words);
    onward_.resize(onward_words);
    next_.resize(directions_.size());
  }

  /// Adds the dependencies of frames towards one destination, from all switches that they reach.
  void add(const DestinationGraph& graph) {
    std::fill(onward_.begin(), onward_.end(), 0);
    for (const SwitchId at : graph.order()) {
      for (const DestinationGraph::NextHop& hop : graph.next_hops(at)) {
        onward_[first_onward_[at.index()] + hop.port.index() / kBits] |= bit(hop.port);
      }
    }
    std::vector<bool> reached(topology_.switches());
    for (auto at = graph.order().rbegin(); at != graph.order().rend(); ++at) {
      if (!reached[at->index()] && !has_hosts(*at)) continue;
      for (const DestinationGraph::NextHop& hop : graph.next_hops(*at)) {
        reached[hop.to.index()] = true;
        if (knows_onward(first_[at->index()] + hop.port.value, hop.to)) continue;
        for (const DestinationGraph::NextHop& beyond : graph.next_hops(hop.to)) {
          add(first_[at->index()] + hop.port.value, hop.to, beyond.port);
        }
      }
    }
  }
  /// Adds the dependencies of frames towards one host that meet the routes of a state, having arrived by those of any
  /// state up to its `last` occurrence.
  void add(std::span<const std::vector<Routes>> states, std::span<const std::size_t> order,
           std::span<const std::size_t> last, HostId host) {
    std::vector<std::vector<PortId>> came_by(topology_.switches());
    std::vector<SwitchId> reached;  // with frames for the host
    std::vector<bool> is_reached(topology_.switches());
    const auto reach = [&](SwitchId at) {
      if (!is_reached[at.index()]) reached.push_back(at);
      is_reached[at.index()] = true;
    };
    for (std::size_t at = 0; at < topology_.switches(); ++at) {
      if (has_hosts(SwitchId(at))) reach(SwitchId(at));
    }
    std::size_t found = 1;  // number of distinct moves of frames
    std::vector<std::size_t> known(
        states.size());  // the number known when a state was last in force, because links may fail often
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t state = order[i];
      const std::vector<Routes>& routes = states[state];
      for (std::size_t j = 0; known[state] != found && j < reached.size(); ++j) {
        const SwitchId at = reached[j];
        for (const PortId port : routes[at.index()].to(host).ports) {
          std::vector<PortId>& ports = came_by[at.index()];
          if (std::find(ports.begin(), ports.end(), port) != ports.end()) continue;
          ports.push_back(port);
          ++found;
          if (const SwitchId next = next_switch(at, port); next.exists()) reach(next);
        }
      }
      known[state] = found;
      if (last[state] == i) add_onward(came_by, routes, host);
    }
  }
  void add_onward(const std::vector<std::vector<PortId>>& came_by, const std::vector<Routes>& routes, HostId host) {
    for (std::size_t at = 0; at < came_by.size(); ++at) {
      for (const PortId port : came_by[at]) {
        const SwitchId next = next_switch(SwitchId(at), port);
        if (!next.exists()) continue;
        for (const PortId onward : routes[next.index()].to(host).ports) add(first_[at] + port.value, next, onward);
      }
    }
  }
  [[nodiscard]] SwitchId next_switch(SwitchId at, PortId port) const {
    return topology_.node(topology_.port(topology_.node_of(at), port).peer).switch_id;
  }
  void add(std::uint32_t from, SwitchId node, PortId port) {
    std::uint64_t& known = known_[first_known_[from] + port.index() / kBits];
    if ((known & bit(port)) != 0) return;
    known |= bit(port);
    const Hop& direction = directions_[from];
    const PortId ingress = topology_.port(topology_.node_of(direction.node), direction.port).peer_port;
    if (std::binary_search(turns_.begin(), turns_.end(), Turn{node, ingress, port})) return;
    next_[from].push_back(first_[node.index()] + port.value);
  }
  /// Whether `from`, which leads to `node`, is already known to depend on all of onward_ there, as is usual after other
  /// destinations.
  [[nodiscard]] bool knows_onward(std::uint32_t from, SwitchId node) const {
    const std::uint64_t* const known = known_.data() + first_known_[from];
    const std::uint64_t* const onward = onward_.data() + first_onward_[node.index()];
    for (std::size_t i = 0; i < words_of(topology_.node_of(node)); ++i) {
      if ((onward[i] & ~known[i]) != 0) return false;
    }
    return true;
  }
  static std::uint64_t bit(PortId port) { return std::uint64_t{1} << (port.index() % kBits); }
  [[nodiscard]] std::size_t words_of(NodeId node) const { return (topology_.ports(node).size() + kBits - 1) / kBits; }
  [[nodiscard]] bool has_hosts(SwitchId node) const {
    const std::vector<PortEnd>& ports = topology_.ports(topology_.node_of(node));
    return std::any_of(ports.begin(), ports.end(),
                       [this](const PortEnd& port) { return topology_.node(port.peer).is_host(); });
  }

  const Topology& topology_;
  std::span<const Turn> turns_;
  std::vector<Hop> directions_;
  std::vector<std::uint32_t> first_;  // by switch: of its port 0 in directions_
  // Sets of ports, one bit each: those of the peer on which a direction is known to depend, and those of a switch that
  // lead to the present destination.
  static constexpr std::size_t kBits = 64;
  std::vector<std::size_t> first_known_;  // by direction
  std::vector<std::uint64_t> known_;
  std::vector<std::size_t> first_onward_;  // by switch
  std::vector<std::uint64_t> onward_;
  std::vector<std::vector<std::uint32_t>> next_;
};

/// The strongly connected component of each direction that shares one with others; kNone for those on no cycle (Tarjan
/// 1972, without recursion). No direction depends on itself.
class Components {
 public:
  explicit Components(const Dependencies& graph)
      : graph_(graph),
        index_(graph.size(), kNone),
        low_(graph.size()),
        component_(graph.size(), kNone),
        open_(graph.size()) {
    for (std::uint32_t start = 0; start < graph.size(); ++start) {
      if (index_[start] == kNone) search(start);
    }
  }
  [[nodiscard]] std::uint32_t of(std::uint32_t at) const { return component_[at]; }

 private:
  struct Visit {
    std::uint32_t at;
    std::size_t done = 0;  // successors processed
  };

  void search(std::uint32_t start) {
    enter(start);
    while (!visits_.empty()) {
      const std::uint32_t at = visits_.back().at;
      const std::vector<std::uint32_t>& next = graph_.next(at);
      if (visits_.back().done < next.size()) {
        const std::uint32_t to = next[visits_.back().done++];
        if (index_[to] == kNone) {
          enter(to);
        } else if (open_[to]) {
          low_[at] = std::min(low_[at], index_[to]);
        }
        continue;
      }
      visits_.pop_back();
      if (!visits_.empty()) low_[visits_.back().at] = std::min(low_[visits_.back().at], low_[at]);
      if (low_[at] == index_[at]) close(at);
    }
  }
  void enter(std::uint32_t at) {
    index_[at] = low_[at] = count_++;
    open_[at] = true;
    stack_.push_back(at);
    visits_.push_back({at});
  }
  void close(std::uint32_t root) {
    const auto begin = std::find(stack_.rbegin(), stack_.rend(), root).base() - 1;
    const bool alone = stack_.end() - begin == 1;
    for (auto member = begin; member != stack_.end(); ++member) {
      open_[*member] = false;
      if (!alone) component_[*member] = root;
    }
    stack_.erase(begin, stack_.end());
  }

  const Dependencies& graph_;
  std::vector<std::uint32_t> index_;
  std::vector<std::uint32_t> low_;
  std::vector<std::uint32_t> component_;
  std::vector<bool> open_;
  std::vector<std::uint32_t> stack_;
  std::vector<Visit> visits_;
  std::uint32_t count_ = 0;
};

/// The shortest cycle through `start`, if it has fewer than `limit` directions; otherwise empty.
std::vector<std::uint32_t> shortest_from(const Dependencies& graph, const Components& components, std::uint32_t start,
                                         std::size_t limit, std::vector<std::uint32_t>& before) {
  std::vector<std::uint32_t> seen = {start};  // in the order of distance
  std::vector<std::uint32_t> cycle;
  std::size_t end_of_round = 1;
  std::size_t length = 1;
  before[start] = start;
  for (std::size_t i = 0; i < seen.size() && length < limit && cycle.empty(); ++i) {
    if (i == end_of_round) {
      end_of_round = seen.size();
      if (++length >= limit) break;
    }
    for (const std::uint32_t to : graph.next(seen[i])) {
      if (to == start) {
        for (std::uint32_t at = seen[i]; at != start; at = before[at]) cycle.push_back(at);
        cycle.push_back(start);
        std::reverse(cycle.begin(), cycle.end());
        break;
      }
      if (components.of(to) != components.of(start) || before[to] != kNone) continue;
      before[to] = seen[i];
      seen.push_back(to);
    }
  }
  for (const std::uint32_t at : seen) before[at] = kNone;
  return cycle;
}

}  // namespace

std::string direction_name(const Topology& topology, const Hop& hop) {
  const NodeId from = topology.node_of(hop.node);
  return topology.node(from).name + " -> " + topology.node(topology.port(from, hop.port).peer).name;
}

namespace {

BufferCycles cycles_of(const Dependencies& graph) {
  const Components components(graph);
  BufferCycles out;
  std::vector<std::uint32_t> before(graph.size(), kNone);
  std::vector<std::uint32_t> shortest;
  for (std::uint32_t at = 0; at < graph.size(); ++at) {
    if (components.of(at) == kNone) continue;
    ++out.directions;
    const std::size_t limit = shortest.empty() ? std::numeric_limits<std::size_t>::max() : shortest.size();
    std::vector<std::uint32_t> cycle = shortest_from(graph, components, at, limit, before);
    if (!cycle.empty()) shortest = std::move(cycle);
  }
  for (const std::uint32_t at : shortest) out.shortest.push_back(graph.direction(at));
  return out;
}

}  // namespace

BufferCycles find_buffer_cycles(const Topology& topology, std::span<const Routes> routes, std::span<const Turn> turns) {
  return cycles_of(Dependencies(topology, routes, turns));
}

BufferCycles find_buffer_cycles_of_reroutes(const Topology& topology, std::span<const std::vector<Routes>> states,
                                            std::span<const std::size_t> order, std::span<const Turn> turns) {
  return cycles_of(Dependencies(topology, states, order, turns));
}

}  // namespace weir
