// SPDX-License-Identifier: Apache-2.0
// The rate limiter of one flow: algorithm 2.
#pragma once

#include <cstdint>

#include "units/bit_rate.h"
#include "units/time.h"

namespace weir::rocc {

/// Installed by the first CNP below line rate, and removed when the rate is back there. Its recovery timer is never
/// scheduled: its expirations are evaluated step by step at the next call, so the state does not depend on how often it
/// is read.
class RateLimiter {
 public:
  /// No limiter; R_max is `line_rate`.
  void open(BitRate line_rate);

  /// Runs the recovery timer up to `now`. on_feedback() calls it itself.
  void advance(Duration recovery_interval, Time now);
  /// A CNP of the congestion point `point` with `rate` has arrived. True if it is accepted.
  bool on_feedback(Duration recovery_interval, Time now, std::uint32_t point, BitRate rate);

  /// The earliest time t with t >= last + bytes / rate(t), where rate(t) includes the pending recovery: when the packet
  /// after one of `bytes` that began at `last` may begin if no CNP arrives.
  [[nodiscard]] Time next_send(Duration recovery_interval, Time last, Bytes bytes) const;

  [[nodiscard]] BitRate rate() const { return rate_; }  ///< R_cur; R_max without a limiter
  [[nodiscard]] bool installed() const { return due_ != Time::never(); }

  bool operator==(const RateLimiter&) const = default;

 private:
  void recover(Duration recovery_interval);
  void remove();

  BitRate rate_;
  BitRate line_rate_;
  Time due_ = Time::never();  // the timer; never: no limiter
  std::uint32_t point_ = 0;   // CP_cur, with a limiter
};

}  // namespace weir::rocc
