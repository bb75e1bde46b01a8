// SPDX-License-Identifier: Apache-2.0
// Congestion trees over time, from pauses that name their congestion root.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "results/statistics.h"
#include "sim/flow_controls.h"

namespace weir {

/// Records who pauses whom for which congestion root (FlowControl::root_of_pause), and which roots merge. Pauses whose
/// IDs name no root are ignored. Costs nothing per frame.
class CongestionTrees {
 public:
  static constexpr std::size_t kPauses = 100'000;  ///< maximum; a pause takes 40 bytes

  explicit CongestionTrees(const Fabric& fabric, std::size_t most_pauses = kPauses);

  // For each switch in time order; the switches may be in any order.
  void on_hop_pause(const SwitchContext& at, PortId ingress, std::uint64_t name, bool paused);
  void on_merge(const SwitchContext& at, std::uint64_t name, std::uint64_t successor);

  /// Whether any flow control of a switch pauses by congestion root.
  [[nodiscard]] bool has_roots() const;
  /// Pauses that were not recorded.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Adds the rows. Pauses in force end with the run.
  void finish(Time now, Statistics& out) const;

 private:
  struct Pause {
    Hop root;
    std::uint32_t channel = 0;  // from the paused node to the one that paused it
    Time begin;
    Time end = Time::never();
  };
  struct Merge {
    Time at;
    Hop successor;
  };
  struct Key {
    std::uint32_t channel = 0;
    Hop root;
    auto operator<=>(const Key&) const = default;
  };
  [[nodiscard]] std::optional<Hop> root_of(const SwitchContext& at, std::uint64_t name) const;
  void add_tree(std::vector<Pause>::const_iterator first, std::vector<Pause>::const_iterator last,
                Statistics& out) const;

  const Fabric& fabric_;
  FlowControls controls_;
  std::size_t most_pauses_;
  std::vector<Pause> pauses_;
  std::map<Hop, std::vector<Merge>> merges_;  // by root, each in time order
  std::map<Key, std::size_t> open_;           // into pauses_
  std::uint64_t left_out_ = 0;
};

}  // namespace weir
