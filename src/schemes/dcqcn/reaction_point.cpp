// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/reaction_point.h"

namespace weir::dcqcn {

// [DCQCN-RP-1] [DCQCN-ALPHA-1]
void ReactionPoint::open(const Settings& settings, BitRate line_rate) {
  *this = ReactionPoint();
  alpha_ = settings.initial_alpha;
  rates_ = {line_rate, line_rate, line_rate};
}

void ReactionPoint::advance(const Settings& settings, Time now) {
  while (alpha_due_ <= now) {  // [DCQCN-RP-3]
    alpha_ *= 1 - settings.g;
    alpha_due_ += settings.alpha_timer;
    if (alpha_ < kNegligibleAlpha) {
      alpha_ = 0;
      alpha_due_ = Time::never();
    }
  }
  while (increase_due_ <= now) increase_by_timer(settings);
}

void ReactionPoint::on_cnp(const Settings& settings, Time now) {
  advance(settings, now);
  // [DCQCN-RP-2] The cut uses alpha before its update. [DCQCN-CLAMP-1] Unclamped, an unfinished recovery keeps its
  // target.
  if (settings.clamp_target_rate || timer_steps_ + byte_steps_ > 0) rates_.target = rates_.current;
  rates_.cut(alpha_, settings.minimum_rate);
  alpha_ = (1 - settings.g) * alpha_ + settings.g;
  // [DCQCN-RP-4]
  alpha_due_ = now + settings.alpha_timer;
  increase_due_ = rates_.unlimited() ? Time::never() : now + settings.increase_timer;
  bytes_ = 0;
  timer_steps_ = 0;
  byte_steps_ = 0;
}

void ReactionPoint::on_sent(const Settings& settings, Time now, Bytes bytes) {
  advance(settings, now);
  if (rates_.unlimited() || settings.byte_counter == Bytes()) return;
  bytes_ += bytes.count();
  while (bytes_ >= settings.byte_counter.count() && !rates_.unlimited()) {  // [DCQCN-RP-5]
    bytes_ -= settings.byte_counter.count();
    increase(settings);
    ++byte_steps_;
  }
}

Time ReactionPoint::next_send(const Settings& settings, Time last, Bytes bytes) const {
  Time next = last + time_to_send(bytes, rates_.current);
  if (next <= increase_due_) return next;
  // [DCQCN-RP-10]
  ReactionPoint future = *this;
  while (future.increase_due_ < next) {
    const Time due = future.increase_due_;
    future.increase_by_timer(settings);
    next = std::max(due, last + time_to_send(bytes, future.rates_.current));
  }
  return next;
}

// Figure 7. The counters still have their values before this expiration.
void ReactionPoint::increase(const Settings& settings) {
  const auto [fewer, more] = std::minmax(timer_steps_, byte_steps_);
  if (more < settings.fast_recovery_steps) {  // [DCQCN-RP-6]
    rates_.raise(BitRate());
  } else if (fewer > settings.fast_recovery_steps) {  // [DCQCN-RP-8]
    rates_.raise(settings.hyper_increase * (fewer - settings.fast_recovery_steps));
  } else {  // [DCQCN-RP-7]
    rates_.raise(settings.additive_increase);
  }
  if (rates_.unlimited()) increase_due_ = Time::never();
}

void ReactionPoint::increase_by_timer(const Settings& settings) {
  increase_due_ += settings.increase_timer;  // [DCQCN-RP-5]
  increase(settings);
  ++timer_steps_;
}

}  // namespace weir::dcqcn
