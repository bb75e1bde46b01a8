// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/rate_limiter.h"

#include <algorithm>

namespace weir::rocc {

// [ROCC-RP-1]
void RateLimiter::open(BitRate line_rate) {
  *this = RateLimiter();
  rate_ = line_rate_ = line_rate;
}

void RateLimiter::advance(Duration recovery_interval, Time now) {
  while (due_ <= now) recover(recovery_interval);
}

bool RateLimiter::on_feedback(Duration recovery_interval, Time now, std::uint32_t point, BitRate rate) {
  advance(recovery_interval, now);
  const bool of_current_point = installed() && point == point_;
  if (rate > rate_ && !of_current_point) return false;  // [ROCC-RP-2]
  if (rate >= line_rate_) {
    remove();  // [ROCC-RP-5]
    return true;
  }
  // [ROCC-RP-3]
  rate_ = rate;
  point_ = point;
  due_ = now + recovery_interval;
  return true;
}

// [ROCC-RP-6]
Time RateLimiter::next_send(Duration recovery_interval, Time last, Bytes bytes) const {
  Time next = last + time_to_send(bytes, rate_);
  if (next <= due_) return next;
  RateLimiter future = *this;
  while (future.due_ < next) {
    const Time due = future.due_;
    future.recover(recovery_interval);
    next = std::max(due, last + time_to_send(bytes, future.rate_));
  }
  return next;
}

// [ROCC-RP-4] [ROCC-RP-5]
void RateLimiter::recover(Duration recovery_interval) {
  due_ += recovery_interval;
  rate_ = rate_ * 2;
  if (rate_ >= line_rate_) remove();
}

void RateLimiter::remove() {
  rate_ = line_rate_;
  due_ = Time::never();
  point_ = 0;
}

}  // namespace weir::rocc
