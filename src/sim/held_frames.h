// SPDX-License-Identifier: Apache-2.0
// Which frames of switches wait behind what is closed, and what is closed until they have left.
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

/// A closed gate of a priority from a switch to a switch (PFC), or what holds a queue of a switch by a name of a flow
/// control's own (FlowControl::held_by): a pause, or want of credit. A queue may also wait for another of its switch.
struct Hold {
  NodeId node;                           ///< where it holds
  NodeId acts;                           ///< which must act before it ends
  std::uint32_t channel = 0;             ///< on which nothing of it goes
  Priority priority = 0;                 ///< of a gate
  QueueId queue;                         ///< that is held by name, or by another queue; none() for a gate
  std::uint64_t name = 0;                ///< by which it is held
  QueueId behind;                        ///< the other queue of its switch that it waits for; none(): it has a name
  const FlowControl* control = nullptr;  ///< that knows the name
  FrameId first;                         ///< in the queue; of a gate, the first of the frames it waits for
  Time arrival;                          ///< of that frame
  bool drains = false;                   ///< one of the frames it waits for is not held
  std::int64_t bytes = 0;                ///< of a gate: of the frames it waits for that are held
  std::vector<std::uint32_t> waits_for;  ///< portions

  [[nodiscard]] bool is_gate() const { return !queue.exists(); }
  /// Whether it is the same, and nothing has moved.
  [[nodiscard]] bool same(const Hold& other) const {
    return node == other.node && channel == other.channel && priority == other.priority && queue == other.queue &&
           name == other.name && behind == other.behind && first == other.first && arrival == other.arrival;
  }
};

/// Frames of one ingress and priority that lie in one place behind holds.
struct Portion {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  NodeId node;
  std::uint32_t gate = kNone;   ///< hold
  std::uint32_t queue = kNone;  ///< the first hold of their queue, if it is held by name
  std::uint32_t ingress = 0;    ///< HeldFrames::slot() of the channel that leaves its port
  FrameId first;
  std::int64_t bytes = 0;  ///< charged; zero of one that another counts too
};

/// All holds of a fabric at an instant that may be part of a circle, and what they wait for. A gate waits for the
/// frames that its ingress behind the link is charged with; a pause or credit by name for those that keep it in force
/// or owed (FlowControl::keeps); a queue that waits for another for all that is in that one.
class HeldFrames {
 public:
  static constexpr std::uint32_t kNone = Portion::kNone;
  static std::uint32_t slot(std::uint32_t channel, Priority priority) { return channel * kPriorities + priority; }

  explicit HeldFrames(const Fabric& fabric);

  /// Looks at every frame of the switches behind those holds, if there are any.
  void find();

  /// Those of one queue stand side by side.
  [[nodiscard]] const std::vector<Hold>& holds() const { return holds_; }
  [[nodiscard]] const std::vector<Portion>& portions() const { return portions_; }
  /// Visits the holds that a portion lies behind until `visit` is true; gives that.
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
  std::vector<std::uint32_t> gate_at_;                                       // by slot(): hold, or kNone
  std::map<std::pair<NodeId, QueueId>, std::uint32_t> queue_at_;             // the first hold of a queue
  std::map<Place, std::vector<std::uint32_t>> pause_at_;                     // as the switch that has said it knows it
  std::map<std::pair<NodeId, QueueId>, std::vector<std::uint32_t>> behind_;  // what waits for a queue
  std::vector<std::uint32_t> latest_portion_;                                // by slot() of the ingress
  FlowControls controls_;
  std::vector<HeldBy> by_;              // scratch
  std::vector<HopPause> keeps_;         // scratch
  std::vector<std::uint32_t> leaving_;  // by node: its holds; scratch
};

}  // namespace weir
