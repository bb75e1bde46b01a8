// SPDX-License-Identifier: Apache-2.0
#include "schemes/qcn/reaction_point.h"

#include <algorithm>

namespace weir::qcn {

void ReactionPoint::on_notification(const ReactionPointSettings& settings, std::uint32_t feedback,
                                    RandomStream& random) {
  if (!active_ || byte_stage_ != 0) {  // [QCN-RP-2] the first of several consecutive cuts sets the target of recovery
    target_ = current_;
    start_byte_counter(settings, random);
  }
  active_ = true;  // [QCN-RP-1]
  byte_stage_ = time_stage_ = 0;
  const double factor = std::max(settings.least_factor, 1 - settings.decrease_gain * feedback);
  const BitRate cut(static_cast<std::int64_t>(static_cast<double>(current_.bits_per_second()) * factor));
  current_ = std::min(line_rate_, std::max(settings.minimum_rate, cut));
}

// [QCN-RP-3]
bool ReactionPoint::on_sent(const ReactionPointSettings& settings, Bytes bytes, RandomStream& random) {
  if (!active_) return false;
  bytes_left_ -= bytes.count();
  if (bytes_left_ > 0) return false;
  ++byte_stage_;
  start_byte_counter(settings, random);
  increase(settings);
  return true;
}

// [QCN-RP-4]
void ReactionPoint::on_timer(const ReactionPointSettings& settings) {
  if (!active_) return;
  ++time_stage_;
  increase(settings);
}

Duration ReactionPoint::timer_period(const ReactionPointSettings& settings) const {
  return time_stage_ < settings.recovery_cycles ? settings.timer : settings.timer / 2;  // [QCN-RP-4]
}

void ReactionPoint::start_byte_counter(const ReactionPointSettings& settings, RandomStream& random) {
  const std::int64_t whole = settings.byte_counter.count();
  const std::int64_t cycle = byte_stage_ < settings.recovery_cycles ? whole : whole / 2;  // [QCN-RP-3]
  const double stretch = 1 + settings.jitter * (2 * random.uniform() - 1);
  bytes_left_ = static_cast<std::int64_t>(static_cast<double>(cycle) * stretch);
}

void ReactionPoint::increase(const ReactionPointSettings& settings) {
  const std::uint32_t lesser = std::min(byte_stage_, time_stage_);
  const bool any_beyond = std::max(byte_stage_, time_stage_) > settings.recovery_cycles;
  const bool first_cycle = byte_stage_ == 1 || time_stage_ == 1;
  if (first_cycle && target_ > 10 * current_) {
    target_ = target_ / 8;  // [QCN-RP-8]
  } else if (lesser > settings.recovery_cycles) {
    target_ = target_ + std::int64_t{lesser - settings.recovery_cycles} * settings.hyper_increase;  // [QCN-RP-7]
  } else if (any_beyond) {
    target_ = target_ + settings.active_increase;  // [QCN-RP-6]
  }
  target_ = std::min(target_, line_rate_);
  current_ = BitRate((target_.bits_per_second() + current_.bits_per_second() + 1) / 2);  // [QCN-RP-5]
  if (current_ >= line_rate_) active_ = false;                                           // [QCN-RP-1]
}

}  // namespace weir::qcn
