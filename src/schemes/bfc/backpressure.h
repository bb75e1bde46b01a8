// SPDX-License-Identifier: Apache-2.0
// The upstream half of BFC's switch: counts frames over the threshold, pauses and resumes queues of upstream
// neighbours.
#pragma once

#include <vector>

#include "policy/switch_policy.h"
#include "schemes/bfc/pause_counters.h"
#include "schemes/bfc/settings.h"

namespace weir::bfc {

class Backpressure {
 public:
  Backpressure() = default;
  /// Creates a timer of `owner`.
  Backpressure(SwitchContext& context, SwitchPolicy& owner, const Settings& settings);

  [[nodiscard]] const PauseCounters& counters() const { return counters_; }
  /// A frame over the threshold has arrived from this queue of the neighbour of `ingress`, or has left.
  void add(SwitchContext& context, PortId ingress, std::size_t queue);
  void remove(SwitchContext& context, PortId ingress, std::size_t queue);
  /// Whether the timer belongs to this object.
  bool on_timer(SwitchContext& context, TimerId timer);
  void on_link(SwitchContext& context, PortId ingress);

  /// Number of decisions to pause a queue of the neighbour of `ingress`, and to resume one.
  [[nodiscard]] std::uint64_t pauses(PortId ingress) const { return decisions_[2 * ingress.index() + 1]; }
  [[nodiscard]] std::uint64_t resumes(PortId ingress) const { return decisions_[2 * ingress.index()]; }

 private:
  /// [BFC-B-6] Consecutive bitmaps without a paused queue before bitmaps stop. A resume is lost permanently only if all
  /// of them are lost.
  static constexpr std::uint8_t kLastBitmaps = 16;

  /// The number of queues of the neighbour with the most queues.
  [[nodiscard]] static std::size_t queues_upstream(const SwitchContext& context, const Settings& settings);
  void tell(SwitchContext& context, PortId ingress, bool pause, std::size_t queue);
  void arm(SwitchContext& context);
  void restate(SwitchContext& context, PortId ingress);
  /// Returns whether a frame was available.
  bool send_bitmap(SwitchContext& context, PortId ingress);

  Duration refresh_;
  bool pause_at_once_ = true;  // otherwise only bitmaps announce pauses
  TimerId timer_;
  bool armed_ = false;
  PauseCounters counters_;
  std::vector<std::uint8_t> bitmaps_left_;  // by ingress: bitmaps still to send before they stop
  std::vector<std::uint64_t> decisions_;    // by 2 * ingress + (1 if a pause)
};

}  // namespace weir::bfc
