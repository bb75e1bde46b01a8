// SPDX-License-Identifier: Apache-2.0
// The reaction point of the paper: the sending half of DCQCN as a state machine that is evaluated on events.
#pragma once

#include <cstdint>

#include "schemes/dcqcn/rates.h"

namespace weir::dcqcn {

/// The rate of one queue pair (sections 3.1 and 5, figure 7). Its two timers are never scheduled: their expirations are
/// evaluated step by step at the next call, so the state does not depend on how often it is read.
class ReactionPoint {
 public:
  /// Starts at line rate and with the initial alpha; there is no rate limit until the first notification.
  void open(const Settings& settings, BitRate line_rate);

  /// Runs the timers up to `now`. The functions below call it themselves.
  void advance(const Settings& settings, Time now);
  void on_cnp(const Settings& settings, Time now);
  /// A data frame of `bytes` is about to be sent.
  void on_sent(const Settings& settings, Time now, Bytes bytes);

  /// The earliest time t with t >= last + bytes / rate(t), where rate(t) includes the pending timer increases: when the
  /// packet after one of `bytes` that began at `last` may begin if no notification arrives.
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
