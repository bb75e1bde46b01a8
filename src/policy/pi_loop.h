// SPDX-License-Identifier: Apache-2.0
// The loop of a PI controller and the queue whose arrivals it controls: its stability and its speed.
#pragma once

#include "units/time.h"

namespace weir {

/// The open loop of a controller that adds to a rate -alpha (q - q_ref) - beta (q - q_old) every `interval`, which
/// `flows` senders follow one interval later, and of the queue that they fill (rocc 5.1, equations 2 to 6):
///
///     G(s) = K (1 + s / z) e^(-s interval) / s^2,   K = step_ratio flows alpha / interval,
///     z = alpha / ((beta + alpha / 2) interval)
///
/// `step_ratio` is a step of the rate divided by a step of the queue, in 1/s. All must be above zero except beta, which
/// may be zero. Computed without libm, so the figures are the same on all platforms.
struct PiLoop {
  double alpha = 0;
  double beta = 0;
  double flows = 1;
  double step_ratio = 0;
  Duration interval;

  [[nodiscard]] double gain() const;  ///< K, 1/s^2
  [[nodiscard]] double zero() const;  ///< z, rad/s
  /// Frequency at which the open loop's gain is one: the loop bandwidth, rad/s.
  [[nodiscard]] double crossover() const;
  /// |G| at `frequency` rad/s.
  [[nodiscard]] double magnitude(double frequency) const;
  /// The phase of G at `frequency` rad/s, in degrees; not wrapped, so it falls below -180.
  [[nodiscard]] double phase(double frequency) const;
  /// Distance of the phase above -180 degrees at the crossover. The closed loop is stable if it is above zero.
  [[nodiscard]] double phase_margin() const { return 180 + phase(crossover()); }
};

/// Arc tangent, in radians, of a slope of zero or above. The error is at most 1e-15.
[[nodiscard]] double arc_tangent(double slope);

}  // namespace weir
