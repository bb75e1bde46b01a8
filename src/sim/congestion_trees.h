// SPDX-License-Identifier: Apache-2.0
// Congestion trees over time, from pauses that name their congestion root.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "results/statistics.h"
#include "sim/flow_controls.h"

namespace weir {

/// Records who pauses whom for which congestion root (FlowControl::root_of_pause), and which roots merge. Pauses whose
/// IDs name no root are ignored. Costs nothing per frame.
class CongestionTrees {
 public:
  static constexpr std::size_t kMost = 100'000;  ///< pauses, and as many merges; a pause takes 48 bytes

  /// `most`: the maximum number of pauses, and of merges, that are recorded.
  explicit CongestionTrees(const Fabric& fabric, std::size_t most = kMost);

  // For each node in time order; the nodes may be in any order.
  void on_hop_pause(NodeId at, PortId ingress, std::uint64_t name, bool paused, Time now);
  void on_merge(const SwitchContext& at, std::uint64_t name, std::uint64_t successor);

  /// Whether any flow control of a switch pauses by congestion root.
  [[nodiscard]] bool has_roots() const;
  /// Pauses that were not recorded.
  [[nodiscard]] std::uint64_t pauses_left_out() const { return pauses_left_out_; }
  /// Merges that were not recorded.
  [[nodiscard]] std::uint64_t merges_left_out() const { return merges_left_out_; }
  /// What was not recorded, as one line; empty: nothing.
  [[nodiscard]] std::string left_out_text() const;
  /// Adds the rows. Pauses in force end with the run.
  void finish(Time now, Statistics& out) const;

 private:
  struct Pause {
    CongestionRoot root;
    std::uint32_t channel = 0;  // from the paused node to the one that paused it
    Time begin;
    Time end = Time::never();
  };
  struct Merge {
    Time at;
    CongestionRoot successor;
  };
  struct Key {
    std::uint32_t channel = 0;
    CongestionRoot root;
    auto operator<=>(const Key&) const = default;
  };
  /// The root of an ID that a node uses: a host uses those of its switch.
  [[nodiscard]] std::optional<CongestionRoot> root_of(NodeId at, std::uint64_t name) const;
  [[nodiscard]] NodeId node_of(const CongestionRoot& root) const;
  void add_tree(std::vector<Pause>::const_iterator first, std::vector<Pause>::const_iterator last,
                Statistics& out) const;

  const Fabric& fabric_;
  FlowControls controls_;
  std::size_t most_;
  std::vector<Pause> pauses_;
  std::map<CongestionRoot, std::vector<Merge>> merges_;  // by root, each in time order
  std::size_t merges_kept_ = 0;
  std::map<Key, std::size_t> open_;  // into pauses_
  std::uint64_t pauses_left_out_ = 0;
  std::uint64_t merges_left_out_ = 0;
};

}  // namespace weir
