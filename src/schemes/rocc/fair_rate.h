// SPDX-License-Identifier: Apache-2.0
// The fair rate of an egress port: algorithm 1 in fixed-point arithmetic.
#pragma once

#include <cstdint>

namespace weir::rocc {

/// Fractional bits of a fixed-point rate, which counts steps of the rate (delta F), and of a gain.
inline constexpr int kRateBits = 12;
inline constexpr int kGainBits = 16;
/// Bounds that exclude overflow. Rates in whole steps, lengths in steps, gains in fixed point.
inline constexpr std::int64_t kMostRate = (std::int64_t{1} << 20) - 1;
inline constexpr std::int64_t kMostLength = (std::int64_t{1} << 28) - 1;
inline constexpr std::int64_t kMostGain = (std::int64_t{1} << 27) - 1;

/// The settings of the algorithm at one port.
struct LoopSettings {
  std::int64_t q_reference = 0;  ///< in steps of the length (delta Q), as are the others
  std::int64_t q_middle = 0;
  std::int64_t q_maximum = 0;
  std::int64_t f_minimum = 1;  ///< in whole steps of the rate (delta F), above zero
  std::int64_t f_maximum = 1;
  std::int64_t alpha = 0;  ///< fixed point, in the first region
  std::int64_t beta = 0;

  /// Whether all are within the bounds above and f_minimum does not exceed f_maximum.
  [[nodiscard]] bool valid() const;
  bool operator==(const LoopSettings&) const = default;
};

/// The state of the algorithm between updates.
struct LoopState {
  std::int64_t rate = 0;    ///< F, fixed point
  std::int64_t length = 0;  ///< Q_old, steps

  /// The rate in a CNP: whole steps, rounded down.
  [[nodiscard]] std::int64_t whole_rate() const { return rate >> kRateBits; }
  bool operator==(const LoopState&) const = default;
};

/// Before any congestion: F_max, and an empty queue.
[[nodiscard]] LoopState initial_state(const LoopSettings& settings);
/// How often the gains are halved at this rate: from 0 in the first of the six regions to 5 in the last.
[[nodiscard]] int region_of(const LoopSettings& settings, std::int64_t rate);
/// The state after an update with a queue length of `length` steps.
[[nodiscard]] LoopState updated(const LoopSettings& settings, const LoopState& state, std::int64_t length);

}  // namespace weir::rocc
