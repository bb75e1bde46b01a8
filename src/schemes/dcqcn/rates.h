// SPDX-License-Identifier: Apache-2.0
// Common parts of both reaction points: their settings, and how a pair of rates is cut and raised.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir::dcqcn {

/// The parameters of a reaction point; dcqcn.md gives the sources of the defaults.
struct Settings {
  double g = 0;                           ///< weight of the newest feedback in alpha
  Duration alpha_timer;                   ///< K
  Duration increase_timer;                ///< T
  Bytes byte_counter;                     ///< B; zero: none
  std::uint32_t fast_recovery_steps = 0;  ///< F
  BitRate additive_increase;              ///< R_AI
  BitRate hyper_increase;                 ///< R_HAI
  BitRate minimum_rate;
  bool clamp_target_rate = true;
  Duration decrease_interval;  ///< of the polled reaction point
  double initial_alpha = 1;    ///< alpha until the first notification
};

/// An alpha below this is set to zero: it would cut any rate by less than 1 bit/s. This bounds the number of steps to
/// catch up after a long idle time.
inline constexpr double kNegligibleAlpha = 0x1.0p-40;

/// The current and the target rate of a queue pair, in whole bit/s: line >= target >= current.
struct Rates {
  BitRate current;  ///< R_C
  BitRate target;   ///< R_T
  BitRate line;

  [[nodiscard]] bool unlimited() const { return current == line; }

  /// Cuts the current rate by half of alpha, but not below the minimum.
  void cut(double alpha, BitRate minimum) {
    const auto reduced = static_cast<double>(current.bits_per_second()) * (1 - alpha / 2);
    current = std::max(std::min(minimum, line), BitRate(static_cast<std::int64_t>(reduced)));  // [DCQCN-RP-9]
  }
  /// Raises the target rate by `step`, and moves the current rate half of the way to it; rounded up, so that it reaches
  /// the target.
  void raise(BitRate step) {
    target = std::min(line, target + step);  // [DCQCN-RP-9]
    current = current + (target - current + BitRate(1)) / 2;
  }
  bool operator==(const Rates&) const = default;
};

}  // namespace weir::dcqcn
