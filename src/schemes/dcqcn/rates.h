// SPDX-License-Identifier: Apache-2.0
// What both reaction points share: their settings, and how a pair of rates is cut and raised.
#pragma once

#include <algorithm>
#include <cstdint>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/time.h"

namespace weir::dcqcn {

/// The parameters of a reaction point; dcqcn.md says where the defaults come from.
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

/// Alpha below this is zero: a cut by it is less than a bit a second at any rate there is. It bounds how many steps a
/// long idle time takes to catch up with.
inline constexpr double kNegligibleAlpha = 0x1.0p-40;

/// The current and the target rate of a queue pair, in whole bits a second: line >= target >= current.
struct Rates {
  BitRate current;  ///< R_C
  BitRate target;   ///< R_T
  BitRate line;

  [[nodiscard]] bool unlimited() const { return current == line; }

  /// Cuts the current rate by half of alpha, to the minimum at most.
  void cut(double alpha, BitRate minimum) {
    const auto reduced = static_cast<double>(current.bits_per_second()) * (1 - alpha / 2);
    current = std::max(std::min(minimum, line), BitRate(static_cast<std::int64_t>(reduced)));  // [DCQCN-RP-9]
  }
  /// Raises the target rate by `step`, and the current rate half of the way there; rounded up, so that it arrives.
  void raise(BitRate step) {
    target = std::min(line, target + step);  // [DCQCN-RP-9]
    current = current + (target - current + BitRate(1)) / 2;
  }
  bool operator==(const Rates&) const = default;
};

}  // namespace weir::dcqcn
