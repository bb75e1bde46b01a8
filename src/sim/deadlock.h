// SPDX-License-Identifier: Apache-2.0
// Deadlocks: circles of closed gates and paused queues in which nothing can drain.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/deadlock_cycle.h"
#include "sim/held_frames.h"

namespace weir {

/// Looks now and then for what is held for good. An egress gate that is closed (PFC) waits for the ingress that paused
/// it, and that ingress for the frames it is charged with; a pause by a flow control's own name (BFC's queues upstream,
/// the flows of its ideal) waits for the frames that keep it in force, and what needs credit for those for which it is
/// owed; a queue may wait for another of its switch. A set of holds is stuck when every frame that
/// any of them waits for lies behind a hold of the set, and each of those ingresses still pauses: such a set has a
/// circle in it (bfc theorem 1, read backwards). It is a deadlock when
/// - none of its ingresses may resume even once all has left the buffers but what lies behind the set, and no PAUSE can
///   be lost on the way (quanta would expire, and a frame pass): each uses headroom, which nothing can give back, or
///   has a linear threshold (BufferPolicy::linear_xoff) whose xon stays below its shared bytes; and it has not moved
///   for as long as a RESUME may be under way; or when
/// - it has not moved for kPatience, whatever may yet happen.
///
/// What a pause watchdog ends is no deadlock. Pauses of hosts are none of it, as hosts never wait for anything. Links
/// that may yet fail or come back are not foreseen.
class DeadlockWatch {
 public:
  /// Many times as long as quanta last (3.4 ms at 10 Gbit/s), and as a full buffer takes to drain.
  static constexpr Duration kPatience = Duration::picoseconds(50'000'000'000);

  explicit DeadlockWatch(const Fabric& fabric);

  /// Which ports and queues wait for which, one circle of them; nothing when there is no deadlock. Where what is closed
  /// may wait for each other in a circle it looks at every frame behind it. `now` does not decrease from look to look.
  std::optional<DeadlockCycle> look(Time now);
  /// What has stood for so long waits for no frame and no RESUME that is on its way.
  [[nodiscard]] Duration on_its_way() const;
  /// Whether the last look found a set that is stuck.
  [[nodiscard]] bool suspects() const { return !suspected_.empty(); }

 private:
  /// Holds, by their numbers in HeldFrames.
  using Set = std::vector<bool>;
  struct Suspect {
    Hold hold;
    Time since;  // it has not moved
  };
  /// The largest part of `set` that waits only for itself and all of which `stays`(number of the hold).
  template <class Stays>
  [[nodiscard]] Set stuck_in(Set set, Stays stays);
  [[nodiscard]] bool is_ended_by_watchdog(const Hold& hold) const;
  [[nodiscard]] bool lies_behind(const Portion& portion, const Set& set) const;
  void count_held(const Set& set);
  void keep_since(const Set& set, Time now);
  [[nodiscard]] bool may_end(std::uint32_t number, Time now) const;
  [[nodiscard]] bool may_be_under_way(const Hold& gate, Duration stood) const;
  [[nodiscard]] bool resume_may_be_under_way(const Hold& gate, Duration stood) const;
  [[nodiscard]] std::int64_t held_in_pool(const Switch& at, NodeId node, Priority priority) const;
  [[nodiscard]] DeadlockCycle circle_in(const Set& set) const;
  [[nodiscard]] std::string name_of(const Hold& hold) const;

  const Fabric& fabric_;
  Duration longest_crossing_;              // of a link between switches, by one frame
  Duration longest_response_;              // to a PAUSE or RESUME
  std::vector<Duration> longest_release_;  // by node: FlowControl::longest_release()
  HeldFrames held_;
  std::vector<Suspect> suspected_;        // stuck at the last look
  std::vector<Time> since_;               // by hold
  std::vector<std::int64_t> held_bytes_;  // by HeldFrames::slot() of the ingress: behind the set at hand
};

}  // namespace weir
