// SPDX-License-Identifier: Apache-2.0
// The reaction point of the paper: the sender half of DCQCN as a state machine that is looked at when something
// happens.
#pragma once

#include <cstdint>

#include "schemes/dcqcn/rates.h"

namespace weir::dcqcn {

/// One queue pair's rate (sections 3.1 and 5, figure 7). Its two timers are never scheduled: what they have done by now
/// is worked out when somebody looks, step by step, so that the state is the same however often it is looked at.
class ReactionPoint {
 public:
  /// Starts at line rate and with the initial alpha, without a limiter until the first notification.
  void open(const Settings& settings, BitRate line_rate);

  /// Runs the timers up to `now`. The calls below do it themselves.
  void advance(const Settings& settings, Time now);
  void on_cnp(const Settings& settings, Time now);
  /// A data frame of `bytes` is about to leave.
  void on_sent(const Settings& settings, Time now, Bytes bytes);

  /// The earliest instant t with t >= last + bytes / rate(t), where rate(t) counts in the increases the timer has in
  /// store: when the packet after one of `bytes` that began at `last` may begin if no notification comes.
  [[nodiscard]] Time next_send(const Settings& settings, Time last, Bytes bytes) const;

  [[nodiscard]] const Rates& rates() const { return rates_; }
  [[nodiscard]] double alpha() const { return alpha_; }

  bool operator==(const ReactionPoint&) const = default;

 private:
  void increase(const Settings& settings);
  void increase_by_timer(const Settings& settings);

  Rates rates_;
  double alpha_ = 1;
  Time alpha_due_ = Time::never();
  Time increase_due_ = Time::never();
  std::int64_t bytes_ = 0;         // sent since the byte counter last expired
  std::uint32_t timer_steps_ = 0;  // T: expirations since the last cut
  std::uint32_t byte_steps_ = 0;   // BC
};
static_assert(sizeof(ReactionPoint) <= 96);

}  // namespace weir::dcqcn
