// SPDX-License-Identifier: Apache-2.0
// The reaction point of the public HPCC simulator and its descendants ("Mellanox DCQCN"): notifications set a bit that
// is polled every few microseconds.
#pragma once

#include <cstdint>

#include "schemes/dcqcn/rates.h"

namespace weir::dcqcn {

/// The rate of one queue pair. Nothing is scheduled; see ReactionPoint.
class PolledReactionPoint {
 public:
  void open(const Settings& settings, BitRate line_rate);

  /// Runs the timers up to `now`. The functions below call it themselves.
  void advance(const Settings& settings, Time now);
  /// An acknowledgement with the echo of a congestion mark has arrived.
  void on_congestion(const Settings& settings, Time now);
  /// A data frame is about to be sent: the current rate paces the next one.
  void on_sent(const Settings& settings, Time now);
  [[nodiscard]] Time next_send(Time last, Bytes bytes) const { return last + time_to_send(bytes, pacing_rate_); }

  [[nodiscard]] const Rates& rates() const { return rates_; }
  [[nodiscard]] double alpha() const { return alpha_; }

  bool operator==(const PolledReactionPoint&) const = default;

 private:
  void run_timers(const Settings& settings, Time until);
  void decrease(const Settings& settings);

  Rates rates_;
  BitRate pacing_rate_;
  double alpha_ = 1;
  Time first_cnp_ = Time::never();
  Time alpha_due_ = Time::never();
  Time decrease_due_ = Time::never();  // the next check, if the bit is set
  Time increase_due_ = Time::never();
  std::uint32_t steps_ = 0;    // increases since the last cut
  bool alpha_marked_ = false;  // a notification has arrived since alpha was updated
};
static_assert(sizeof(PolledReactionPoint) <= 96);

}  // namespace weir::dcqcn
