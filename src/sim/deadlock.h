// Deadlocks of pauses: cycles of closed gates in which nothing can drain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/fabric.h"
#include "sim/deadlock_cycle.h"

namespace weir {

/// Looks now and then for priorities that are held for good. An egress gate that is closed waits for the ingress that
/// paused it, and that ingress for the egress queues that hold its frames. A set of closed gates is stuck when every
/// frame that any of them waits for lies behind gates of the set and each of those ingresses still pauses (so no RESUME
/// is under way): such a set has a cycle in it. It is a deadlock when
/// - none of those ingresses may resume even once all has left the buffers but what lies behind gates of the set, and
///   no PAUSE can be lost on the way (quanta would expire, and a frame pass): each uses headroom, which nothing can
///   give back, or has a linear threshold (BufferPolicy::linear_xoff) that stays below its shared bytes; or when
/// - it has not moved for kPatience, whatever may yet happen.
///
/// It judges the gates of priorities (PFC); HopDeadlockWatch judges what schemes pause by names of their own. Links
/// that may yet fail or come back are not foreseen.
class DeadlockWatch {
 public:
  /// Many times as long as quanta last (3.4 ms at 10 Gbit/s), and as a full buffer takes to drain.
  static constexpr Duration kPatience = Duration::picoseconds(50'000'000'000);

  explicit DeadlockWatch(const Fabric& fabric);

  /// Which ports wait for which, one cycle of them; nothing when there is no deadlock. Where closed gates may wait for
  /// each other in a circle it looks at every frame behind them. `now` does not decrease from look to look.
  std::optional<DeadlockCycle> look(Time now);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// A priority of a channel from switch to switch whose sender's gate is closed.
  struct Held {
    std::uint32_t channel = 0;
    Priority priority = 0;
    Time since;                            // it has not moved
    FrameId first;                         // of the frames it waits for, ...
    Time arrival;                          // ... and when that came
    std::int64_t bytes = 0;                // of those frames, behind closed gates
    std::vector<std::uint32_t> waits_for;  // those gates
  };
  /// What of one ingress lies behind one closed gate of the same switch.
  struct Portion {
    NodeId node;
    std::uint32_t gate = 0;
    std::uint32_t ingress = 0;  // gate() of the channel that leaves its port, and its priority
    FrameId first;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] static std::uint32_t gate(std::uint32_t channel, Priority priority) {
    return channel * kPriorities + priority;
  }
  [[nodiscard]] std::vector<Held> closed_gates(Time now) const;
  [[nodiscard]] std::vector<Held> without_ends(std::vector<Held> closed) const;
  void find_waits(std::vector<Held>& set);
  void find_portions(const Switch& at, NodeId node);
  void keep_since(std::vector<Held>& set) const;
  void number(const std::vector<Held>& set);
  void count_held(const std::vector<Held>& set);
  /// The largest part of `set` that waits only for itself and all of which `stays`(held).
  template <class Stays>
  [[nodiscard]] std::vector<Held> stuck_in(std::vector<Held> set, Stays stays);
  [[nodiscard]] bool may_resume(const Held& held, Time now) const;
  [[nodiscard]] bool may_be_under_way(const Held& held, Time now) const;
  [[nodiscard]] std::int64_t held_in_pool(const Switch& at, NodeId node, Priority priority) const;
  [[nodiscard]] DeadlockCycle cycle_in(const std::vector<Held>& set);

  const Fabric& fabric_;
  std::vector<std::uint32_t> number_of_gate_;  // in the set at hand, or kNone
  std::vector<Held> suspected_;                // stuck at the last look
  std::vector<Portion> portions_;              // of the set that was found closed, by node
  std::vector<std::size_t> latest_portion_;    // by ingress: the place of its last one
  std::vector<std::int64_t> held_bytes_;       // by ingress: behind gates of the set at hand
};

}  // namespace weir
