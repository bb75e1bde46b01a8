// SPDX-License-Identifier: Apache-2.0
// Deadlocks: cycles of closed gates and paused queues in which no frame can leave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/deadlock_cycle.h"
#include "sim/held_frames.h"

namespace weir {

/// Checks from time to time for permanently blocked frames. A closed egress gate (PFC) waits for the ingress that
/// paused it, and that ingress for the frames charged to it. A pause with a flow control's own ID (BFC's upstream
/// queues, the flows of its ideal form) waits for the frames that keep it in force, and a lack of credit for the frames
/// for which credit is owed. A queue may wait for another of its switch. A set of holds is stuck if every frame that
/// any of them waits for is behind a hold of the set, and each of those ingresses still pauses: such a set contains a
/// cycle (the converse of bfc theorem 1). It is a deadlock if
/// - none of its ingresses may resume even when everything except the frames behind the set has left the buffers, and
///   no PAUSE can be lost on the way (quanta would expire, and a frame could pass): each uses headroom, which nothing
///   can release, or has a linear threshold (BufferPolicy::linear_xoff) whose xon stays below its shared bytes; and it
///   has not changed for as long as a RESUME may be in flight; or if
/// - it has not changed for kPatience, whatever may still happen.
///
/// Blocking that a pause watchdog ends is not a deadlock. Pauses of hosts are not considered, because hosts never wait
/// for anything. Future failures and restorations of links are not predicted.
class DeadlockWatch {
 public:
  /// Many times the duration of quanta (3.4 ms at 10 Gbit/s), and the time that a full buffer takes to drain.
  static constexpr Duration kPatience = Duration::picoseconds(50'000'000'000);

  explicit DeadlockWatch(const Fabric& fabric);

  /// One cycle of ports and queues that wait for each other; nothing if there is no deadlock. If closed gates may form
  /// a cycle, it examines every frame behind them. `now` must not decrease between calls.
  std::optional<DeadlockCycle> look(Time now);
  /// A set that has not changed for this time waits for no frame and no RESUME in flight.
  [[nodiscard]] Duration on_its_way() const;
  /// Whether the last check found a stuck set.
  [[nodiscard]] bool suspects() const { return !suspected_.empty(); }

 private:
  /// Holds, by their numbers in HeldFrames.
  using Set = std::vector<bool>;
  struct Suspect {
    Hold hold;
    Time since;  // of its last change
  };
  /// The largest part of `set` that waits only for itself and for all of whose holds `stays`(number of the hold) is
  /// true.
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
  Duration longest_crossing_;              // maximum time for one frame to cross a link between switches
  Duration longest_response_;              // to a PAUSE or RESUME
  std::vector<Duration> longest_release_;  // by node: FlowControl::longest_release()
  HeldFrames held_;
  std::vector<Suspect> suspected_;        // stuck at the last check
  std::vector<Time> since_;               // by hold
  std::vector<std::int64_t> held_bytes_;  // by HeldFrames::slot() of the ingress: bytes behind the present set
};

}  // namespace weir
