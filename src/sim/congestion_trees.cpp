// SPDX-License-Identifier: Apache-2.0
#include "sim/congestion_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace weir {
namespace {

/// The most members paused at once, from pauses as (time, begins or ends, member). A node with several links may be
/// paused by several at once, and counts once.
class AtOnce {
 public:
  void add(Time begin, Time end, NodeId member) {
    changes_.push_back({begin, 1, member});
    changes_.push_back({end, -1, member});
  }
  [[nodiscard]] std::int64_t most() {
    // Of one instant, ends first: a tree that moves on does not count twice.
    std::sort(changes_.begin(), changes_.end());
    std::map<NodeId, int> pauses;
    std::int64_t now = 0;
    std::int64_t most = 0;
    for (const auto& [at, by, member] : changes_) {
      int& of_member = pauses[member];
      now += of_member == 0 && by > 0 ? 1 : of_member == 1 && by < 0 ? -1 : 0;
      of_member += by;
      most = std::max(most, now);
    }
    return most;
  }

 private:
  std::vector<std::tuple<Time, int, NodeId>> changes_;
};

}  // namespace

CongestionTrees::CongestionTrees(const Fabric& fabric, std::size_t most_pauses)
    : fabric_(fabric), controls_(fabric), most_pauses_(most_pauses) {}

std::optional<Hop> CongestionTrees::root_of(const SwitchContext& at, std::uint64_t name) const {
  for (const FlowControl* control : controls_.of(fabric_.topology().node_of(at.id()))) {
    if (const std::optional<Hop> root = control->root_of_pause(name)) return root;
  }
  return std::nullopt;
}

bool CongestionTrees::has_roots() const {
  for (std::size_t node = 0; node < fabric_.nodes(); ++node) {
    for (const FlowControl* control : controls_.of(NodeId(node))) {
      if (control->root_of_pause(0)) return true;
    }
  }
  return false;
}

void CongestionTrees::on_hop_pause(const SwitchContext& at, PortId ingress, std::uint64_t name, bool paused) {
  const std::optional<Hop> root = root_of(at, name);
  if (!root) return;
  const NodeId node = fabric_.topology().node_of(at.id());
  const std::uint32_t channel = fabric_.channels()[fabric_.channel(node, ingress)].reverse;
  if (!paused) {
    const auto open = open_.find({channel, *root});
    if (open == open_.end()) return;  // it was left out
    pauses_[open->second].end = at.now();
    open_.erase(open);
    return;
  }
  if (pauses_.size() == most_pauses_) {
    ++left_out_;
    return;
  }
  if (!open_.try_emplace({channel, *root}, pauses_.size()).second) return;  // a repeated pause
  pauses_.push_back({*root, channel, at.now(), Time::never()});
}

void CongestionTrees::on_merge(const SwitchContext& at, std::uint64_t name, std::uint64_t successor) {
  const std::optional<Hop> root = root_of(at, name);
  const std::optional<Hop> into = root_of(at, successor);
  if (root && into && merges_.size() < most_pauses_) merges_[*root].push_back({at.now(), *into});
}

void CongestionTrees::add_tree(std::vector<Pause>::const_iterator first, std::vector<Pause>::const_iterator last,
                               Statistics& out) const {
  const Topology& topology = fabric_.topology();
  const Hop root = first->root;
  const NodeId at = topology.node_of(root.node);
  CongestionTreeRecord tree;
  tree.root = topology.node(at).name;
  tree.root_to = topology.node(topology.peer(at, root.port).node).name;
  tree.port = root.port.value;
  tree.tier = topology.node(at).tier;
  tree.begin_us = first->begin.microseconds();
  tree.pauses = last - first;
  const auto number = static_cast<std::int64_t>(out.congestion_trees.size());
  std::map<NodeId, std::int64_t> depth = {{at, 0}};
  AtOnce at_once;
  Time end = first->end;
  for (auto pause = first; pause != last; ++pause) {
    const ChannelSpec& channel = fabric_.channels()[pause->channel];
    end = std::max(end, pause->end);
    at_once.add(pause->begin, pause->end, channel.from);
    // A switch pauses for the root only after it was paused itself; a pause that was left out has an unknown depth.
    const auto by = depth.find(channel.to);
    const std::int64_t below = by == depth.end() ? 0 : by->second;
    const bool is_new = depth.try_emplace(channel.from, below + 1).second;
    if (is_new) {
      ++tree.members;
      tree.hosts += fabric_.switch_at(channel.from) == nullptr ? 1 : 0;
      tree.depth = std::max(tree.depth, below + 1);
    }
    out.tree_pauses.push_back({number, topology.node(channel.from).name, topology.node(channel.to).name,
                               pause->begin.microseconds(), pause->end.microseconds()});
  }
  tree.most = at_once.most();
  tree.end_us = end.microseconds();
  const auto merges = merges_.find(root);
  for (const Merge& merge : merges == merges_.end() ? std::vector<Merge>() : merges->second) {
    if (merge.at < first->begin || merge.at > end) continue;
    tree.merged_into =
        fmt::format("{}:{}", topology.node(topology.node_of(merge.successor.node)).name, merge.successor.port.value);
    tree.merged_us = merge.at.microseconds();
  }
  out.congestion_trees.push_back(std::move(tree));
}

void CongestionTrees::finish(Time now, Statistics& out) const {
  std::vector<Pause> pauses = pauses_;
  for (Pause& pause : pauses) pause.end = std::min(pause.end, now);
  std::sort(pauses.begin(), pauses.end(), [](const Pause& a, const Pause& b) {
    return std::tie(a.root, a.begin, a.channel, a.end) < std::tie(b.root, b.begin, b.channel, b.end);
  });
  struct Life {
    std::ptrdiff_t first;
    std::ptrdiff_t last;
  };
  std::vector<Life> lives;
  Time until;
  for (std::ptrdiff_t i = 0; i < std::ssize(pauses); ++i) {
    const Pause& pause = pauses[static_cast<std::size_t>(i)];
    const bool continues = i > 0 && pauses[static_cast<std::size_t>(i - 1)].root == pause.root && pause.begin <= until;
    if (!continues) lives.push_back({i, i});
    lives.back().last = i + 1;
    until = continues ? std::max(until, pause.end) : pause.end;
  }
  std::stable_sort(lives.begin(), lives.end(), [&](const Life& a, const Life& b) {
    return pauses[static_cast<std::size_t>(a.first)].begin < pauses[static_cast<std::size_t>(b.first)].begin;
  });
  for (const Life& life : lives) add_tree(pauses.cbegin() + life.first, pauses.cbegin() + life.last, out);
}

}  // namespace weir
