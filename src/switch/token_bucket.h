// SPDX-License-Identifier: Apache-2.0
// The rate limiter of shaped queues.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// An exact token bucket in bytes: it counts in units of 1 / 8e12 byte, so that one picosecond adds as many units as
/// the rate has bits per second. Nothing is lost to rounding, however long it runs.
class TokenBucket {
 public:
  static constexpr std::int64_t kMaximumBurst = 1'000'000;

  TokenBucket() = default;
  /// `rate` above zero; `burst` from 1 to kMaximumBurst bytes. Full at time zero, or empty.
  TokenBucket(BitRate rate, std::int64_t burst, bool full)
      : rate_(rate.bits_per_second()), size_(burst * kByte), tokens_(full ? size_ : 0) {}

  /// The earliest time, not before `now`, at which `bytes` may be taken: when the bucket holds them, or is full.
  [[nodiscard]] Time ready_at(Time now, std::int64_t bytes) {
    fill(now);
    const std::int64_t lacking = std::min(bytes * kByte, size_) - tokens_;
    return lacking <= 0 ? now : now + Duration::picoseconds(divide_up(lacking));
  }
  /// Takes `bytes`; the balance may become negative.
  void take(Time now, std::int64_t bytes) {
    fill(now);
    tokens_ -= bytes * kByte;
  }

 private:
  static constexpr std::int64_t kByte = 8'000'000'000'000;

  [[nodiscard]] std::int64_t divide_up(std::int64_t units) const { return (units - 1) / rate_ + 1; }
  void fill(Time now) {
    const std::int64_t elapsed = (now - filled_at_).picoseconds();
    if (elapsed <= 0) return;
    filled_at_ = now;
    if (tokens_ >= size_) return;
    // Whole picoseconds until the bucket is full: until then it does not overflow.
    tokens_ = elapsed >= divide_up(size_ - tokens_) ? size_ : tokens_ + elapsed * rate_;
  }

  std::int64_t rate_ = 1;  // bits per second, and units per picosecond
  std::int64_t size_ = 0;  // units
  std::int64_t tokens_ = 0;
  Time filled_at_;
};

}  // namespace weir
