// SPDX-License-Identifier: Apache-2.0
// QCN's reaction point: the rate limiter of one queue pair.
#pragma once

#include <cstdint>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/random.h"
#include "units/time.h"

namespace weir::qcn {

struct ReactionPointSettings {
  double decrease_gain = 0;           ///< Gd: fraction of the rate, per unit of feedback
  double least_factor = 0;            ///< a cut leaves at least this fraction of the rate
  std::uint32_t recovery_cycles = 0;  ///< of fast recovery
  Bytes byte_counter;                 ///< sent in one cycle of fast recovery
  Duration timer;                     ///< period of the timer
  double jitter = 0;                  ///< of the byte counter, in both directions
  BitRate active_increase;
  BitRate hyper_increase;
  BitRate minimum_rate;
};

/// An inactive rate limiter lets a queue pair send at its line rate.
class ReactionPoint {
 public:
  void open(BitRate line_rate) { line_rate_ = target_ = current_ = line_rate; }

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] BitRate current() const { return current_; }
  [[nodiscard]] BitRate target() const { return target_; }

  /// A notification with a feedback of 1 to 63 has arrived. The timer restarts.
  void on_notification(const ReactionPointSettings& settings, std::uint32_t feedback, RandomStream& random);
  /// Frame bytes were sent. Returns whether the byte counter expired.
  bool on_sent(const ReactionPointSettings& settings, Bytes bytes, RandomStream& random);
  /// The timer has expired.
  void on_timer(const ReactionPointSettings& settings);
  /// The current period of the timer.
  [[nodiscard]] Duration timer_period(const ReactionPointSettings& settings) const;

 private:
  void start_byte_counter(const ReactionPointSettings& settings, RandomStream& random);
  void increase(const ReactionPointSettings& settings);

  BitRate line_rate_;
  BitRate target_;
  BitRate current_;
  std::int64_t bytes_left_ = 0;  // of the byte counter's cycle
  std::uint32_t byte_stage_ = 0;
  std::uint32_t time_stage_ = 0;
  bool active_ = false;
};

}  // namespace weir::qcn
