// SPDX-License-Identifier: Apache-2.0
#include "net/failure_cycles.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace weir {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kBits = 64;

/// A port of a switch that leads to another switch.
struct Edge {
  std::uint32_t port;
  std::uint32_t to;
  std::uint32_t link;
};

/// The links between switches, from each end, in port order.
struct Neighbours {
  explicit Neighbours(const Topology& topology) {
    for (std::size_t at = 0; at < topology.switches(); ++at) {
      first.push_back(edges.size());
      const std::vector<PortEnd>& ports = topology.ports(topology.node_of(SwitchId(at)));
      bool hosts = false;
      for (std::size_t port = 0; port < ports.size(); ++port) {
        const Node& peer = topology.node(ports[port].peer);
        hosts = hosts || peer.is_host();
        if (peer.is_host() || peer.switch_id.index() == at) continue;
        edges.push_back({static_cast<std::uint32_t>(port), peer.switch_id.value, ports[port].link.value});
      }
      has_hosts.push_back(hosts);
    }
    first.push_back(edges.size());
  }
  [[nodiscard]] std::size_t switches() const { return has_hosts.size(); }
  [[nodiscard]] std::span<const Edge> of(std::size_t at) const {
    return {edges.data() + first[at], first[at + 1] - first[at]};
  }

  std::vector<std::size_t> first;  // by switch: of its edges
  std::vector<Edge> edges;
  std::vector<bool> has_hosts;
};

/// One element that may be down; kNone for what is not down.
struct Down {
  std::uint32_t link = kNone;
  std::uint32_t node = kNone;
  [[nodiscard]] bool blocks(const Edge& edge) const { return edge.link == link || edge.to == node; }
  auto operator<=>(const Down&) const = default;
};

/// The dependencies of each edge of Neighbours: a set of edges of the switch that it leads to, one bit each.
class Dependencies {
 public:
  explicit Dependencies(const Neighbours& network) : network_(network) {
    std::size_t words = 0;
    for (std::size_t at = 0; at < network.switches(); ++at) {
      for (const Edge& edge : network.of(at)) {
        first_.push_back(words);
        words += words_of(edge.to);
      }
    }
    bits_.resize(words);
  }
  [[nodiscard]] std::size_t words_of(std::size_t at) const { return (network_.of(at).size() + kBits - 1) / kBits; }
  [[nodiscard]] std::size_t size() const { return first_.size(); }

  void add(std::size_t from, const std::uint64_t* onward, std::size_t words) {
    std::uint64_t* const known = bits_.data() + first_[from];
    for (std::size_t i = 0; i < words; ++i) {
      if ((onward[i] & ~known[i]) != 0) known[i] |= onward[i];
    }
  }
  [[nodiscard]] bool has(std::size_t from, std::size_t onward) const {
    return (bits_[first_[from] + onward / kBits] >> (onward % kBits) & 1) != 0;
  }
  /// Removes the dependencies of exempt turns.
  void exempt(const Topology& topology, std::span<const Turn> turns) {
    for (const Turn& turn : turns) {
      const NodeId node = topology.node_of(turn.node);
      const PortEnd& in = topology.port(node, turn.ingress);
      const SwitchId upstream = topology.node(in.peer).switch_id;
      if (!upstream.exists()) continue;
      const std::uint32_t from = edge_at(upstream.index(), in.peer_port.value);
      const std::uint32_t to = edge_at(turn.node.index(), turn.egress.value);
      if (from == kNone || to == kNone) continue;
      const std::size_t onward = to - network_.first[turn.node.index()];
      bits_[first_[from] + onward / kBits] &= ~(std::uint64_t{1} << (onward % kBits));
    }
  }
  /// Calls visit(to) for each direction on which `from` depends.
  template <class Visit>
  void visit(std::size_t from, Visit&& visit) const {
    const std::size_t to = network_.edges[from].to;
    for (std::size_t word = 0; word < words_of(to); ++word) {
      for (std::uint64_t left = bits_[first_[from] + word]; left != 0; left &= left - 1) {
        visit(network_.first[to] + word * kBits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }
  /// The position of each direction in a topological order, in which it precedes all directions on which it depends;
  /// empty: there is a cycle.
  [[nodiscard]] std::vector<std::uint32_t> order() const {
    std::vector<std::uint32_t> waits_for(size());
    for (std::size_t from = 0; from < size(); ++from) visit(from, [&](std::size_t to) { ++waits_for[to]; });
    std::vector<std::uint32_t> free;
    for (std::size_t at = 0; at < size(); ++at) {
      if (waits_for[at] == 0) free.push_back(static_cast<std::uint32_t>(at));
    }
    std::vector<std::uint32_t> place(size());
    for (std::size_t i = 0; i < free.size(); ++i) {
      place[free[i]] = static_cast<std::uint32_t>(i);
      visit(free[i], [&](std::size_t to) {
        if (--waits_for[to] == 0) free.push_back(static_cast<std::uint32_t>(to));
      });
    }
    if (free.size() < size()) place.clear();
    return place;
  }

 private:
  [[nodiscard]] std::uint32_t edge_at(std::size_t at, std::uint32_t port) const {
    for (std::size_t i = network_.first[at]; i < network_.first[at + 1]; ++i) {
      if (network_.edges[i].port == port) return static_cast<std::uint32_t>(i);
    }
    return kNone;
  }

  const Neighbours& network_;
  std::vector<std::size_t> first_;  // by direction
  std::vector<std::uint64_t> bits_;
};

/// A dependency of one direction on another.
using Dependency = std::pair<std::uint32_t, std::uint32_t>;

/// The graph of next hops towards one switch at a time, with one element down.
class ShortestPaths {
 public:
  ShortestPaths(const Neighbours& network, Dependencies& found, Down down)
      : network_(network),
        found_(found),
        down_(down),
        distance_(network.switches()),
        reached_(network.switches()),
        dominator_(network.switches()),
        depth_(network.switches()),
        only_link_(network.switches()) {
    std::size_t words = 0;
    for (std::size_t at = 0; at < network.switches(); ++at) {
      first_onward_.push_back(words);
      words += found.words_of(at);
    }
    onward_.resize(words);
  }

  /// Adds the dependencies of frames for the hosts of `target`, which is up.
  void aim(std::uint32_t target) {
    target_ = target;
    search();
    std::fill(reached_.begin(), reached_.end(), false);
    for (std::size_t i = order_.size(); i-- > 1;) {
      const std::uint32_t at = order_[i];
      if (!reached_[at] && !network_.has_hosts[at]) continue;
      reached_[at] = true;
      const std::span<const Edge> edges = network_.of(at);
      const std::uint64_t* const onward = onward_.data() + first_onward_[at];
      for (std::size_t word = 0; word < found_.words_of(at); ++word) {
        for (std::uint64_t left = onward[word]; left != 0; left &= left - 1) {
          const std::size_t edge = word * kBits + static_cast<std::size_t>(std::countr_zero(left));
          const std::uint32_t to = edges[edge].to;
          if (to == target) continue;
          reached_[to] = true;
          found_.add(network_.first[at] + edge, onward_.data() + first_onward_[to], found_.words_of(to));
        }
      }
    }
  }

  /// The elements without which some switch with hosts has another distance to the target, or none.
  const std::vector<Down>& critical() {
    critical_.clear();
    find_dominators();
    for (const std::uint32_t source : order_) {
      if (source == target_ || !network_.has_hosts[source]) continue;
      for (std::uint32_t at = source; at != target_; at = dominator_[at]) {
        if (only_link_[at] != kNone) critical_.push_back({.link = only_link_[at]});
        if (dominator_[at] != target_) critical_.push_back({.node = dominator_[at]});
      }
    }
    std::sort(critical_.begin(), critical_.end());
    critical_.erase(std::unique(critical_.begin(), critical_.end()), critical_.end());
    if (!critical_.empty()) list_dominated();
    return critical_;
  }

  /// Adds the dependencies of frames for the target that exist only without a critical element.
  void add_without(const Down& element, std::vector<Dependency>& out) {
    find_moved(element);
    for (const std::uint32_t at : moved_) new_distance_[at] = kNone;
    find_new_distances(element);
    follow(element, out);
    for (const std::uint32_t at : moved_) is_moved_[at] = false;
  }

 private:
  void search() {
    order_.assign(1, target_);
    std::fill(distance_.begin(), distance_.end(), kNone);
    distance_[target_] = 0;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      std::uint64_t* const onward = onward_.data() + first_onward_[at];
      std::fill(onward, onward + found_.words_of(at), 0);
      const std::uint32_t nearer = distance_[at] - 1;
      std::size_t number = 0;
      for (const Edge& edge : network_.of(at)) {
        if (!down_.blocks(edge)) {
          const std::uint32_t distance = distance_[edge.to];
          if (distance == kNone) {
            distance_[edge.to] = nearer + 2;
            order_.push_back(edge.to);
          } else if (distance == nearer) {
            onward[number / kBits] |= std::uint64_t{1} << (number % kBits);
          }
        }
        ++number;
      }
    }
  }

  /// Calls visit(edge) for the next hops of a switch with all links up.
  template <class Visit>
  void next_hops(std::uint32_t at, Visit&& visit) const {
    for (std::size_t word = 0; word < found_.words_of(at); ++word) {
      for (std::uint64_t left = onward_[first_onward_[at] + word]; left != 0; left &= left - 1) {
        visit(network_.first[at] + word * kBits + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

  /// For each switch, the last switch before it that is on all its shortest paths, and the link after that if they all
  /// take it.
  void find_dominators() {
    dominator_[target_] = target_;
    depth_[target_] = 0;
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      std::uint32_t common = kNone;
      std::uint32_t hops = 0;
      next_hops(at, [&](std::size_t edge) {
        ++hops;
        only_link_[at] = network_.edges[edge].link;
        const std::uint32_t to = network_.edges[edge].to;
        common = common == kNone ? to : common == target_ ? common : last_common(common, to);
      });
      if (hops != 1) only_link_[at] = kNone;
      dominator_[at] = common;
      depth_[at] = depth_[common] + 1;
    }
  }
  [[nodiscard]] std::uint32_t last_common(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      std::uint32_t& deeper = depth_[a] >= depth_[b] ? a : b;
      deeper = dominator_[deeper];
    }
    return a;
  }
  void list_dominated() {
    first_dominated_.assign(network_.switches(), kNone);
    next_dominated_.resize(network_.switches());
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      next_dominated_[at] = std::exchange(first_dominated_[dominator_[at]], at);
    }
    is_moved_.resize(network_.switches());
    is_followed_.resize(network_.switches());
    new_distance_.resize(network_.switches());
    by_link_.clear();
    for (std::size_t i = 1; i < order_.size(); ++i) {
      if (only_link_[order_[i]] != kNone) by_link_.emplace(only_link_[order_[i]], order_[i]);
    }
  }

  /// Finds the switches whose distance changes.
  void find_moved(const Down& element) {
    moved_.clear();
    if (element.node != kNone) {
      add_dominated(element.node);
    } else {
      moved_.push_back(by_link_.at(element.link));
    }
    for (std::size_t i = 0; i < moved_.size(); ++i) add_dominated(moved_[i]);
    for (const std::uint32_t at : moved_) is_moved_[at] = true;
  }
  void add_dominated(std::uint32_t at) {
    for (std::uint32_t next = first_dominated_[at]; next != kNone; next = next_dominated_[next]) moved_.push_back(next);
  }
  [[nodiscard]] std::uint32_t distance_now(std::uint32_t at) const {
    return is_moved_[at] ? new_distance_[at] : distance_[at];
  }
  void find_new_distances(const Down& element) {
    using Entry = std::pair<std::uint32_t, std::uint32_t>;  // distance, switch
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> pending;
    for (const std::uint32_t at : moved_) {
      std::uint32_t nearest = kNone;
      for (const Edge& edge : network_.of(at)) {
        if (!element.blocks(edge) && !is_moved_[edge.to]) nearest = std::min(nearest, distance_[edge.to]);
      }
      if (nearest != kNone) pending.emplace(nearest + 1, at);
    }
    while (!pending.empty()) {
      const auto [distance, at] = pending.top();
      pending.pop();
      if (new_distance_[at] <= distance) continue;
      new_distance_[at] = distance;
      for (const Edge& edge : network_.of(at)) {
        if (!element.blocks(edge) && is_moved_[edge.to] && new_distance_[edge.to] > distance + 1)
          pending.emplace(distance + 1, edge.to);
      }
    }
  }
  template <class Visit>
  void next_hops_without(const Down& element, std::uint32_t at, Visit&& visit) const {
    const std::uint32_t distance = distance_now(at);
    for (std::size_t edge = network_.first[at]; edge < network_.first[at + 1]; ++edge) {
      const Edge& to = network_.edges[edge];
      if (element.blocks(to)) continue;
      const std::uint32_t there = distance_now(to.to);
      if (there != kNone && there + 1 == distance) visit(edge);
    }
  }
  /// Follows the new paths of the hosts whose distance changed, until they meet old ones.
  void follow(const Down& element, std::vector<Dependency>& out) {
    std::vector<std::uint32_t> pending;
    std::vector<std::uint32_t> followed;
    const auto go_on = [&](std::uint32_t at) {
      if (is_followed_[at] || at == target_ || (!is_moved_[at] && reached_[at])) return;
      is_followed_[at] = true;
      followed.push_back(at);
      pending.push_back(at);
    };
    for (const std::uint32_t at : moved_) {
      if (network_.has_hosts[at] && new_distance_[at] != kNone) go_on(at);
    }
    while (!pending.empty()) {
      const std::uint32_t at = pending.back();
      pending.pop_back();
      next_hops_without(element, at, [&](std::size_t edge) {
        const std::uint32_t to = network_.edges[edge].to;
        if (to == target_) return;
        next_hops_without(element, to, [&](std::size_t onward) {
          if (!found_.has(edge, onward - network_.first[to]))
            out.emplace_back(static_cast<std::uint32_t>(edge), static_cast<std::uint32_t>(onward));
        });
        go_on(to);
      });
    }
    for (const std::uint32_t at : followed) is_followed_[at] = false;
  }

  const Neighbours& network_;
  Dependencies& found_;
  Down down_;
  std::uint32_t target_ = 0;
  std::vector<std::uint32_t> order_;     // by distance
  std::vector<std::uint32_t> distance_;  // by switch
  std::vector<bool> reached_;            // by switch: frames for the target get there
  std::vector<std::size_t> first_onward_;
  std::vector<std::uint64_t> onward_;  // by switch, one bit per edge: the next hops
  std::vector<std::uint32_t> dominator_;
  std::vector<std::uint32_t> depth_;      // in the tree of dominators
  std::vector<std::uint32_t> only_link_;  // kNone: several links
  std::vector<Down> critical_;
  std::vector<std::uint32_t> first_dominated_;
  std::vector<std::uint32_t> next_dominated_;
  std::map<std::uint32_t, std::uint32_t> by_link_;  // the switch of which it is the only link
  std::vector<std::uint32_t> moved_;
  std::vector<bool> is_moved_;
  std::vector<bool> is_followed_;
  std::vector<std::uint32_t> new_distance_;
};

void aim_at_all(const Neighbours& network, Dependencies& found, Down down) {
  ShortestPaths paths(network, found, down);
  for (std::uint32_t target = 0; target < network.switches(); ++target) {
    if (network.has_hosts[target] && target != down.node) paths.aim(target);
  }
}

/// The maximum that each failure adds to the dependencies with all links up.
using Additions = std::map<Down, std::vector<Dependency>>;

/// Whether `place` is a topological order also with these dependencies.
bool keeps_order(const std::vector<Dependency>& added, const std::vector<std::uint32_t>& place) {
  return std::all_of(added.begin(), added.end(),
                     [&](const Dependency& one) { return place[one.first] < place[one.second]; });
}

class Finder {
 public:
  Finder(const Topology& topology, const std::vector<PortWeight>& weights, std::span<const Turn> turns)
      : topology_(topology), weights_(weights), turns_(turns), network_(topology) {}

  OneFailureCycles find() {
    Dependencies intact(network_);
    Additions additions;
    collect(intact, additions);
    intact.exempt(topology_, turns_);
    const std::vector<std::uint32_t> place = intact.order();
    if (place.empty() && network_has_edges()) {
      OneFailureCycles out = evaluate({});
      // The cycle may be due to ports of weight zero, which the graph above treats like others.
      return out.found.shortest.empty() ? evaluate_each() : out;
    }
    for (const auto& [element, added] : additions) {
      if (keeps_order(added, place) || is_free_without(element)) continue;
      OneFailureCycles out = evaluate(element);
      if (!out.found.shortest.empty()) return out;
    }
    return {};
  }

 private:
  [[nodiscard]] bool network_has_edges() const { return !network_.edges.empty(); }

  void collect(Dependencies& intact, Additions& additions) {
    ShortestPaths paths(network_, intact, {});
    for (std::uint32_t target = 0; target < network_.switches(); ++target) {
      if (!network_.has_hosts[target]) continue;
      paths.aim(target);
      for (const Down& element : paths.critical()) {
        std::vector<Dependency>& added = additions[element];
        paths.add_without(element, added);
        constexpr std::size_t kFew = 1'000'000;  // before duplicates are removed
        if (added.size() > kFew) sort_once(added);
      }
    }
    for (auto& [element, added] : additions) leave_out_exempt(added);
  }
  static void sort_once(std::vector<Dependency>& added) {
    std::sort(added.begin(), added.end());
    added.erase(std::unique(added.begin(), added.end()), added.end());
  }
  void leave_out_exempt(std::vector<Dependency>& added) const {
    std::erase_if(added, [&](const Dependency& one) {
      const Edge& from = network_.edges[one.first];
      const Edge& to = network_.edges[one.second];
      const Link& link = topology_.link(LinkId(from.link));
      const NodeId node = topology_.node_of(SwitchId(from.to));
      const PortId ingress = link.a == node ? link.a_port : link.b_port;
      return std::binary_search(turns_.begin(), turns_.end(),
                                Turn{SwitchId(from.to), ingress, PortId(std::size_t{to.port})});
    });
  }

  /// Exact without ports of weight zero. With them, a cycle that is found may not exist.
  [[nodiscard]] bool is_free_without(const Down& element) const {
    Dependencies all(network_);
    aim_at_all(network_, all, element);
    all.exempt(topology_, turns_);
    return !all.order().empty();
  }

  /// Evaluates the routes themselves.
  [[nodiscard]] OneFailureCycles evaluate(const Down& element) const {
    OneFailureCycles out;
    std::vector<LinkId> failed;
    if (element != Down{}) {
      out.failed.emplace();
      if (element.link != kNone) out.failed->link = LinkId(element.link);
      if (element.node != kNone) out.failed->node = SwitchId(element.node);
      failed = links_of(topology_, *out.failed);
    }
    const std::vector<Routes> routes = compute_routes(topology_, {.failed_links = failed, .weights = weights_});
    out.found = find_buffer_cycles(topology_, routes, turns_);
    if (out.found.shortest.empty()) return {};
    return out;
  }
  /// Evaluates all failures one by one, without knowledge about any.
  [[nodiscard]] OneFailureCycles evaluate_each() const {
    for (std::size_t link = 0; link < topology_.links().size(); ++link) {
      OneFailureCycles out = evaluate({.link = static_cast<std::uint32_t>(link)});
      if (!out.found.shortest.empty()) return out;
    }
    for (std::uint32_t node = 0; node < network_.switches(); ++node) {
      OneFailureCycles out = evaluate({.node = node});
      if (!out.found.shortest.empty()) return out;
    }
    return {};
  }

  const Topology& topology_;
  const std::vector<PortWeight>& weights_;
  std::span<const Turn> turns_;
  Neighbours network_;
};

}  // namespace

std::vector<LinkId> links_of(const Topology& topology, const FailedElement& element) {
  if (element.link.exists()) return {element.link};
  std::vector<LinkId> out;
  for (const PortEnd& end : topology.ports(topology.node_of(element.node))) out.push_back(end.link);
  std::sort(out.begin(), out.end());
  return out;
}

OneFailureCycles find_cycles_with_one_failure(const Topology& topology, const std::vector<PortWeight>& weights,
                                              std::span<const Turn> turns) {
  return Finder(topology, weights, turns).find();
}

bool surely_free_of_cycles(const Topology& topology, std::span<const Turn> turns) {
  const Neighbours network(topology);
  Dependencies all(network);
  aim_at_all(network, all, {});
  all.exempt(topology, turns);
  return network.edges.empty() || !all.order().empty();
}

}  // namespace weir
