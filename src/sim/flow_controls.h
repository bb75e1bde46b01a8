// SPDX-License-Identifier: Apache-2.0
// The flow controls of each node, for queries about what they block.
#pragma once

#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace weir {

/// Queries all flow controls of a node together.
class FlowControls {
 public:
  explicit FlowControls(const Fabric& fabric) {
    for (std::size_t i = 0; i < fabric.nodes(); ++i) {
      of_node_.emplace_back();
      const Switch* at = fabric.switch_at(NodeId(i));
      if (at == nullptr) continue;
      for (const SwitchPolicy* policy : at->policies()) {
        if (const auto* control = dynamic_cast<const FlowControl*>(policy)) of_node_.back().push_back(control);
      }
    }
  }

  [[nodiscard]] const std::vector<const FlowControl*>& of(NodeId node) const { return of_node_[node.index()]; }

  /// What blocks a queue of the switch at this node; replaces the content of `out`.
  void held_by(NodeId node, const SwitchContext& at, QueueId queue, std::vector<HeldBy>& out) const {
    out.clear();
    for (const FlowControl* control : of(node)) control->held_by(at, queue, out);
  }
  /// What a frame keeps in force; replaces the content of `out`.
  void keeps(NodeId node, const SwitchContext& at, QueueId queue, const Frame& frame,
             std::vector<HopPause>& out) const {
    out.clear();
    for (const FlowControl* control : of(node)) control->keeps(at, queue, frame, out);
  }

 private:
  std::vector<std::vector<const FlowControl*>> of_node_;
};

/// Whether a queue of a switch is blocked by its own gates or by what its head frame waits for; `by` is the answer of
/// its flow controls. The gates of its priority are not considered.
inline bool is_held(const QueueState& queue, const std::vector<HeldBy>& by) {
  if (queue.closed_by != 0) return true;
  return queue.service == Service::released && !queue.empty() && !by.empty();
}

}  // namespace weir
