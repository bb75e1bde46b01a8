// Deadlocks of pauses by a scheme's own names: cycles of closed queues in which nothing can drain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "sim/deadlock_cycle.h"

namespace weir {

/// Looks now and then for queues that are held for good by what a flow control pauses by name (BFC's queues upstream).
/// A closed queue waits for the frames, at the switch behind its link, that keep its pause in force
/// (FlowControl::keeps_paused). A set of closed queues is stuck when every such frame lies in a queue of the set: none
/// of them can leave, so no pause can end (bfc theorem 1, read backwards). As a RESUME may still be under way, it is a
/// deadlock when the queues of a stuck set have not moved from one look to a later one.
///
/// Not judged: pauses of hosts, which never wait for anything; frames held by PFC as well, since that may end; links
/// that may yet fail or come back.
class HopDeadlockWatch {
 public:
  explicit HopDeadlockWatch(const Fabric& fabric);

  /// Which queues wait for which, one cycle of them; nothing when there is no deadlock. Where closed queues may wait
  /// for each other it looks at every frame of those switches. `now` does not decrease from look to look.
  std::optional<DeadlockCycle> look(Time now);

 private:
  /// A queue towards a switch that is closed and not empty, and what keeps it so.
  struct Held {
    NodeId node;
    QueueId queue;
    std::uint64_t name = 0;  // by which the switch behind its link pauses it
    FrameId first;
    Time arrival;  // of that frame
    Time since;    // it has not moved
    bool drains = false;
    std::vector<std::uint32_t> waits_for;  // others of the set
    bool operator==(const Held& other) const {
      return node == other.node && queue == other.queue && first == other.first && arrival == other.arrival;
    }
  };
  [[nodiscard]] std::vector<Held> closed_queues(Time now) const;
  [[nodiscard]] std::vector<Held> without_ends(std::vector<Held> closed) const;
  void find_waits(std::vector<Held>& set) const;
  [[nodiscard]] static std::vector<Held> stuck_in(std::vector<Held> set);
  [[nodiscard]] DeadlockCycle cycle_in(const std::vector<Held>& set) const;
  [[nodiscard]] const PortEnd& end_of(const Held& held) const;

  const Fabric& fabric_;
  Duration longest_crossing_;    // of a link between switches, by one frame
  std::vector<Held> suspected_;  // stuck at the last look
};

}  // namespace weir
