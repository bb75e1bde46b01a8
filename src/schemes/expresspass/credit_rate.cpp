// SPDX-License-Identifier: Apache-2.0
#include "schemes/expresspass/credit_rate.h"

#include <algorithm>

namespace weir::expresspass {
namespace {

/// Without data for this number of round trips, all credits count as lost.
constexpr std::int64_t kSilence = 3;

}  // namespace

// [XPASS-F-1]
void CreditRate::start(const Settings& settings, std::uint32_t backlog, Time now) {
  weight_ = settings.initial_weight;
  rate_ = settings.alpha;
  if (backlog < settings.small_flow) {
    rate_ *= static_cast<double>(std::max<std::uint32_t>(backlog, 1)) / static_cast<double>(settings.small_flow);
  }
  updated_ = now;
  returned_ = missing_ = 0;
  calm_ = false;
}

// [XPASS-F-2] Once per round-trip time, when a credit is sent.
void CreditRate::update(const Settings& settings, Time now, Duration round_trip, Duration gap, Time silent_since) {
  const Duration period = round_trip > Duration() ? round_trip : settings.initial_round_trip;
  const Duration elapsed = now - updated_;
  if (elapsed < period) return;
  // [XPASS-F-6] A rate of one credit per round trip.
  const double least = static_cast<double>(gap.picoseconds()) / static_cast<double>(period.picoseconds());
  const std::uint32_t all = returned_ + missing_;
  if (all == 0) {
    if (now - std::max(silent_since, updated_) < kSilence * period) return;
    decrease(settings, 1, 0);  // [XPASS-F-7]
  } else {
    const double loss = static_cast<double>(missing_) / all;
    const double target =
        settings.feedback_of_paper ? settings.target_loss : settings.target_loss * std::max(0.0, 1 - rate_);
    if (loss > target) {
      decrease(settings, loss,
               returned_ * static_cast<double>(gap.picoseconds()) / static_cast<double>(elapsed.picoseconds()));
    } else {
      increase(settings);
    }
  }
  const double most = settings.feedback_of_paper ? 1 + settings.target_loss : 1;
  rate_ = std::clamp(rate_, std::min(least, 1.0), most);
  returned_ = missing_ = 0;
  updated_ = now;
}

// [XPASS-F-4] `returned`: the rate at which credits returned.
void CreditRate::decrease(const Settings& settings, double loss, double returned) {
  if (settings.feedback_of_paper) {
    rate_ *= (1 - loss) * (1 + settings.target_loss);  // [XPASS-F-8]
  } else {
    rate_ = std::min(rate_, returned * (1 + settings.target_loss * (1 - rate_)));
  }
  weight_ = std::max(weight_ / 2, settings.minimum_weight);  // [XPASS-F-5]
  calm_ = false;
}

// [XPASS-F-3]
void CreditRate::increase(const Settings& settings) {
  double top = 1;
  if (settings.feedback_of_paper) {  // [XPASS-F-8]
    if (calm_) weight_ = (weight_ + settings.maximum_weight) / 2;
    top = 1 + settings.target_loss;
  } else if (calm_) {
    weight_ = std::min(weight_ + settings.weight_step, settings.maximum_weight);  // [XPASS-F-5]
  }
  rate_ = weight_ * top + (1 - weight_) * rate_;
  calm_ = true;
}

}  // namespace weir::expresspass
