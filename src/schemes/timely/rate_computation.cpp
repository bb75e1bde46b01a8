// SPDX-License-Identifier: Apache-2.0
#include "schemes/timely/rate_computation.h"

#include <algorithm>

namespace weir::timely {
namespace {

double count(Duration duration) {
  return static_cast<double>(duration.picoseconds());
}

double bits(BitRate rate) {
  return static_cast<double>(rate.bits_per_second());
}

}  // namespace

// [TIMELY-START-1]
void RateComputation::open(BitRate line_rate) {
  rate_ = line_rate_ = bits(line_rate);
}

void RateComputation::on_round_trip(const Settings& settings, Duration measured) {
  const double round_trip = count(measured);
  const double change = round_trip - previous_;
  const bool is_first = previous_ == 0;
  previous_ = round_trip;
  if (is_first) return;                                                        // [TIMELY-RTT-3]
  difference_ = (1 - settings.alpha) * difference_ + settings.alpha * change;  // [TIMELY-RATE-1]
  gradient_ = difference_ / count(settings.minimum_round_trip);

  if (measured < settings.low_threshold) {  // [TIMELY-RATE-2]
    if (settings.variant == Variant::hpcc_simulator) {
      count_increases(settings);
    } else {
      increases_ = 0;
      increase(settings, 1);
    }
  } else if (measured > settings.high_threshold) {  // [TIMELY-RATE-3]
    // [TIMELY-PATCH-3]
    const double beta = settings.variant == Variant::patched ? settings.patched_beta : settings.beta;
    multiply(1 - beta * (1 - count(settings.high_threshold) / round_trip));
  } else if (settings.variant == Variant::patched) {
    by_gradient_and_length(settings, round_trip);
  } else {
    by_gradient(settings);
  }
  rate_ = std::clamp(rate_, std::min(bits(settings.minimum_rate), line_rate_), line_rate_);  // [TIMELY-RATE-6]
}

void RateComputation::by_gradient(const Settings& settings) {
  if (gradient_ <= 0) {
    count_increases(settings);  // [TIMELY-RATE-4]
  } else {
    multiply(std::max(0.0, 1 - settings.beta * gradient_));  // [TIMELY-RATE-5]
  }
}

// [TIMELY-PATCH-1] [TIMELY-PATCH-2]
void RateComputation::by_gradient_and_length(const Settings& settings, double round_trip) {
  const double weight = std::clamp(2 * gradient_ + 0.5, 0.0, 1.0);
  const double reference = count(settings.reference_round_trip);
  const double error = (round_trip - reference) / reference;
  rate_ = bits(settings.additive_increase) * (1 - weight) + rate_ * (1 - settings.patched_beta * weight * error);
}

// [TIMELY-SIM-2] There the sixth consecutive increase is the first hyper increase, in the paper the fifth.
void RateComputation::count_increases(const Settings& settings) {
  const bool after = settings.variant == Variant::hpcc_simulator;
  const std::uint32_t before = increases_;
  if (increases_ < settings.hyper_increase_after) ++increases_;
  const bool hyper = (after ? before : increases_) >= settings.hyper_increase_after;
  increase(settings, hyper ? settings.hyper_increase : 1);
}

void RateComputation::increase(const Settings& settings, std::uint32_t steps) {
  rate_ += bits(settings.additive_increase) * steps;
}

void RateComputation::multiply(double factor) {
  increases_ = 0;
  rate_ *= factor;
}

}  // namespace weir::timely
