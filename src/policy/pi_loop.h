// SPDX-License-Identifier: Apache-2.0
// The loop of a queue whose arrivals a PI controller steers: whether it is stable, and how fast it is.
#pragma once

#include "units/time.h"

namespace weir {

/// The open loop of a controller that adds to a rate -alpha (q - q_ref) - beta (q - q_old) every `interval`, which
/// `flows` senders follow one interval later, and of the queue they fill (rocc 5.1, equations 2 to 6):
///
///     G(s) = K (1 + s / z) e^(-s interval) / s^2,   K = step_ratio flows alpha / interval,
///     z = alpha / ((beta + alpha / 2) interval)
///
/// `step_ratio` is a step of the rate over a step of the queue: one a second. All must be above zero but beta, which
/// may be zero. Worked out without libm, so the figures are the same everywhere.
struct PiLoop {
  double alpha = 0;
  double beta = 0;
  double flows = 1;
  double step_ratio = 0;
  Duration interval;

  [[nodiscard]] double gain() const;  ///< K, 1/s^2
  [[nodiscard]] double zero() const;  ///< z, rad/s
  /// Where the open loop's gain is one: the loop bandwidth, rad/s.
  [[nodiscard]] double crossover() const;
  /// |G| at `frequency` rad/s.
  [[nodiscard]] double magnitude(double frequency) const;
  /// The phase of G at `frequency` rad/s, in degrees; not wrapped, so it falls below -180.
  [[nodiscard]] double phase(double frequency) const;
  /// How far the phase is above -180 degrees at the crossover. The closed loop is stable when it is above zero.
  [[nodiscard]] double phase_margin() const { return 180 + phase(crossover()); }
};

/// The angle, in radians, of a slope of zero or above. Within 1e-15 of the true one.
[[nodiscard]] double arc_tangent(double slope);

}  // namespace weir
