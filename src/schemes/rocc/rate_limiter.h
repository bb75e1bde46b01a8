// SPDX-License-Identifier: Apache-2.0
// The rate limiter of one flow: algorithm 2.
#pragma once

#include <cstdint>

#include "units/bit_rate.h"
#include "units/time.h"

namespace weir::rocc {

/// Installed by the first CNP below line rate, gone when the rate is back there. Its recovery timer is never scheduled:
/// what it has done by now is worked out when somebody looks, step by step, so that the state is the same however often
/// one looks.
class RateLimiter {
 public:
  /// No limiter; R_max is `line_rate`.
  void open(BitRate line_rate);

  /// Runs the recovery timer up to `now`. on_feedback() does it itself.
  void advance(Duration recovery_interval, Time now);
  /// A CNP of the congestion point `point` says `rate`. True when it is accepted.
  bool on_feedback(Duration recovery_interval, Time now, std::uint32_t point, BitRate rate);

  /// The earliest instant t with t >= last + bytes / rate(t), where rate(t) counts in the recovery to come: when the
  /// packet after one of `bytes` that began at `last` may begin if no CNP comes.
  [[nodiscard]] Time next_send(Duration recovery_interval, Time last, Bytes bytes) const;

  [[nodiscard]] BitRate rate() const { return rate_; }  ///< R_cur; R_max without a limiter
  [[nodiscard]] bool installed() const { return due_ != Time::never(); }

  bool operator==(const RateLimiter&) const = default;

 private:
  void recover(Duration recovery_interval);
  void remove();

  BitRate rate_;
  BitRate line_rate_;
  Time due_ = Time::never();  // the timer; never: there is no limiter
  std::uint32_t point_ = 0;   // CP_cur, with a limiter
};

}  // namespace weir::rocc
