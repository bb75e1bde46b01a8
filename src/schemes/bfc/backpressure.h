// SPDX-License-Identifier: Apache-2.0
// The half of BFC's switch that talks to the neighbours upstream: counts frames over the threshold, pauses and resumes.
#pragma once

#include <vector>

#include "policy/switch_policy.h"
#include "schemes/bfc/pause_counters.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

class Backpressure {
 public:
  Backpressure() = default;
  /// Asks for a timer of `owner`'s.
  Backpressure(SwitchContext& context, SwitchPolicy& owner, const Settings& settings);

  [[nodiscard]] const PauseCounters& counters() const { return counters_; }
  /// A frame over the threshold has come from this queue of the neighbour of `ingress`, or one has left.
  void add(SwitchContext& context, PortId ingress, std::size_t queue);
  void remove(SwitchContext& context, PortId ingress, std::size_t queue);
  /// Whether this timer was its own.
  bool on_timer(SwitchContext& context, TimerId timer);
  void on_link(SwitchContext& context, PortId ingress);

  /// Decisions since the start: to pause a queue of the neighbour of `ingress`, and to resume one.
  [[nodiscard]] std::uint64_t pauses(PortId ingress) const { return decisions_[2 * ingress.index() + 1]; }
  [[nodiscard]] std::uint64_t resumes(PortId ingress) const { return decisions_[2 * ingress.index()]; }

 private:
  /// [BFC-B-6] How many bitmaps in a row say that nothing is paused before there are no more of them: a resume is lost
  /// for good only if all of these are.
  static constexpr std::uint8_t kLastBitmaps = 16;

  /// The most that any neighbour has.
  [[nodiscard]] static std::size_t queues_upstream(const SwitchContext& context, const Settings& settings);
  void tell(SwitchContext& context, PortId ingress, bool pause, std::size_t queue);
  void arm(SwitchContext& context);
  void restate(SwitchContext& context, PortId ingress);
  /// Whether there was a frame for it.
  bool send_bitmap(SwitchContext& context, PortId ingress);

  Duration refresh_;
  bool pause_at_once_ = true;  // else bitmaps alone say pauses, and resumes
  TimerId timer_;
  bool armed_ = false;
  PauseCounters counters_;
  std::vector<std::uint8_t> bitmaps_left_;  // by ingress, those to send before it is left alone
  std::vector<std::uint64_t> decisions_;    // by 2 * ingress + whether it is to pause
};

}  // namespace weir::bfc
