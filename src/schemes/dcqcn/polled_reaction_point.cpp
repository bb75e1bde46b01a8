// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/polled_reaction_point.h"

namespace weir::dcqcn {

namespace {

// Checks follow alpha's updates by this offset, so that they use the newest alpha.
constexpr Duration kCheckOffset = Duration::picoseconds(1'000);

}  // namespace

void PolledReactionPoint::open(const Settings& settings, BitRate line_rate) {
  *this = PolledReactionPoint();
  alpha_ = settings.initial_alpha;  // [DCQCN-ALPHA-1]
  rates_ = {line_rate, line_rate, line_rate};
  pacing_rate_ = line_rate;
}

void PolledReactionPoint::advance(const Settings& settings, Time now) {
  if (decrease_due_ <= now) {
    run_timers(settings, decrease_due_);  // [DCQCN-SIM-6]
    decrease(settings);
  }
  run_timers(settings, now);
}

void PolledReactionPoint::on_congestion(const Settings& settings, Time now) {
  if (first_cnp_ == Time::never()) {  // [DCQCN-SIM-2]
    first_cnp_ = now;
    alpha_due_ = now + settings.alpha_timer;
    decrease_due_ = now + settings.decrease_interval + kCheckOffset;
    return;
  }
  advance(settings, now);
  alpha_marked_ = true;
  if (decrease_due_ != Time::never()) return;
  // [DCQCN-SIM-4] The first check after now, and not before the one of the first notification.
  const Time grid = first_cnp_ + kCheckOffset;
  const std::int64_t passed = (now - grid) / settings.decrease_interval;
  decrease_due_ = grid + settings.decrease_interval * (passed + 1);
}

void PolledReactionPoint::on_sent(const Settings& settings, Time now) {
  advance(settings, now);
  pacing_rate_ = rates_.current;  // [DCQCN-SIM-7]
}

void PolledReactionPoint::run_timers(const Settings& settings, Time until) {
  while (alpha_due_ <= until) {  // [DCQCN-SIM-3]
    if (alpha_ == 0 && !alpha_marked_) {
      alpha_due_ += settings.alpha_timer * ((until - alpha_due_) / settings.alpha_timer + 1);
      break;
    }
    alpha_ *= 1 - settings.g;
    if (alpha_marked_) alpha_ += settings.g;
    if (alpha_ < kNegligibleAlpha) alpha_ = 0;
    alpha_marked_ = false;
    alpha_due_ += settings.alpha_timer;
  }
  while (increase_due_ <= until) {  // [DCQCN-SIM-5]
    const bool recovers = steps_ < settings.fast_recovery_steps;
    const bool adds = steps_ == settings.fast_recovery_steps;
    rates_.raise(recovers ? BitRate() : adds ? settings.additive_increase : settings.hyper_increase);
    ++steps_;
    increase_due_ = rates_.unlimited() ? Time::never() : increase_due_ + settings.increase_timer;
  }
}

void PolledReactionPoint::decrease(const Settings& settings) {
  if (settings.clamp_target_rate || steps_ > 0) rates_.target = rates_.current;  // [DCQCN-CLAMP-1]
  rates_.cut(alpha_, settings.minimum_rate);                                     // [DCQCN-SIM-4]
  steps_ = 0;
  increase_due_ = rates_.unlimited() ? Time::never() : decrease_due_ + settings.increase_timer;
  decrease_due_ = Time::never();
}

}  // namespace weir::dcqcn
