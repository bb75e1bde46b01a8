// SPDX-License-Identifier: Apache-2.0
// The frames of switches that are blocked, and the pauses that last until they have left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "sim/flow_controls.h"

namespace weir {

/// A closed gate of a priority between two switches (PFC), or the block of a queue of a switch by a flow control's own
/// ID (FlowControl::held_by): a pause, or lack of credit. A queue may also wait for another of its switch.
struct Hold {
  NodeId node;                ///< where frames are blocked
  NodeId acts;                ///< that must act to end it
  std::uint32_t channel = 0;  ///< which it blocks
  Priority priority = 0;      ///< of a gate
  QueueId queue;              ///< that is blocked by ID, or by another queue; none() for a gate
  std::uint64_t name = 0;     ///< ID of the pause
  QueueId behind;             ///< the other queue of its switch that it waits for; none(): it is blocked by ID
  const FlowControl* control = nullptr;  ///< that assigned the ID
  FrameId first;                         ///< in the queue; for a gate, the first of the frames it waits for
  Time arrival;                          ///< of that frame
  bool drains = false;                   ///< one of the frames it waits for is not blocked
  std::int64_t bytes = 0;                ///< for a gate: of the blocked frames it waits for
  std::vector<std::uint32_t> waits_for;  ///< portions

  [[nodiscard]] bool is_gate() const { return !queue.exists(); }
  /// Whether it is the same hold without any change.
  [[nodiscard]] bool same(const Hold& other) const {
    return node == other.node && channel == other.channel && priority == other.priority && queue == other.queue &&
           name == other.name && behind == other.behind && first == other.first && arrival == other.arrival;
  }
};

/// Frames of one ingress and priority that are behind the same holds.
struct Portion {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  NodeId node;
  std::uint32_t gate = kNone;   ///< hold
  std::uint32_t queue = kNone;  ///< the first hold of their queue, if it is blocked by ID
  std::uint32_t ingress = 0;    ///< HeldFrames::slot() of the channel that leaves its port
  FrameId first;
  std::int64_t bytes = 0;  ///< charged; zero if another portion counts them too
};

/// All holds of a fabric at an instant that may be part of a cycle, and what they wait for. A gate waits for the frames
/// charged to its ingress behind the link; a pause or credit by ID for those that keep it in force or owed
/// (FlowControl::keeps); a queue that waits for another one for all frames in that one.
class HeldFrames {
 public:
  static constexpr std::uint32_t kNone = Portion::kNone;
  static std::uint32_t slot(std::uint32_t channel, Priority priority) { return channel * kPriorities + priority; }

  explicit HeldFrames(const Fabric& fabric);

  /// Examines every frame of the switches behind those holds, if there are any.
  void find();

  /// Those of one queue are adjacent.
  [[nodiscard]] const std::vector<Hold>& holds() const { return holds_; }
  [[nodiscard]] const std::vector<Portion>& portions() const { return portions_; }
  /// Visits the holds of a portion until `visit` is true; returns whether it was.
  template <class Visit>
  bool behind(const Portion& portion, Visit visit) const {
    if (portion.gate != kNone && visit(portion.gate)) return true;
    for (std::size_t i = portion.queue; i < holds_.size() && same_queue(holds_[i], holds_[portion.queue]); ++i) {
      if (visit(static_cast<std::uint32_t>(i))) return true;
    }
    return false;
  }

 private:
  using Place = std::tuple<NodeId, PortId, std::uint64_t>;

  static bool same_queue(const Hold& a, const Hold& b) { return a.node == b.node && a.queue == b.queue; }
  void find_gates();
  void find_pauses();
  void leave_out_ends();
  void number();
  void add_holds(NodeId node, const Switch& at, const FlowControl& control, QueueId queue);
  void find_portions(NodeId node);
  std::uint32_t portion_of(Portion wanted, const Frame& frame, std::size_t first, bool counts);
  void wait_for(std::uint32_t hold, std::uint32_t portion);

  const Fabric& fabric_;
  std::vector<Hold> holds_;
  std::vector<Portion> portions_;
  std::vector<std::uint32_t> gate_at_;                            // by slot(): hold, or kNone
  std::map<std::pair<NodeId, QueueId>, std::uint32_t> queue_at_;  // the first hold of a queue
  std::map<Place, std::vector<std::uint32_t>> pause_at_;          // by the ID at the switch that sent the pause
  std::map<std::pair<NodeId, QueueId>, std::vector<std::uint32_t>> behind_;  // the holds that wait for a queue
  std::vector<std::uint32_t> latest_portion_;                                // by slot() of the ingress
  FlowControls controls_;
  std::vector<HeldBy> by_;              // scratch
  std::vector<HopPause> keeps_;         // scratch
  std::vector<std::uint32_t> leaving_;  // by node: its holds; scratch
};

}  // namespace weir
