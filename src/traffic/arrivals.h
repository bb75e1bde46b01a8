// SPDX-License-Identifier: Apache-2.0
// The times between arrivals.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "traffic/deterministic_math.h"
#include "units/random.h"
#include "units/time.h"

namespace weir {

/// How the intervals between arrivals are distributed around their mean.
struct ArrivalShape {
  enum class Kind : std::uint8_t {
    constant,     ///< all alike
    exponential,  ///< a Poisson process
    lognormal     ///< burstier the larger sigma is: the coefficient of variation is sqrt(exp(sigma^2) - 1)
  } kind = Kind::exponential;
  double sigma = 2.0;  ///< lognormal only: of the interval's logarithm (bfc 6.2.1 has 2), in [0, 5]; 0: all alike
};

/// What is wrong with the shape; empty when nothing is.
std::vector<std::string> shape_problems(ArrivalShape shape);

/// A renewal process: independent intervals of one distribution. Intervals are kept to fractions of a picosecond and
/// only instants are rounded, so that the mean rate is exact however dense the arrivals.
class ArrivalProcess {
 public:
  ArrivalProcess() = default;
  /// `mean_picoseconds` above zero, not rounded to whole picoseconds; or zero for simultaneous arrivals.
  ArrivalProcess(ArrivalShape shape, double mean_picoseconds);

  /// From one arrival to the next. At most 2^61 ps (26 days).
  Duration next(RandomStream& random);
  [[nodiscard]] double mean_picoseconds() const { return mean_; }
  [[nodiscard]] ArrivalShape shape() const { return shape_; }

 private:
  ArrivalShape shape_;
  double mean_ = 0.0;
  double carry_ = 0.0;  // the fraction of a picosecond that the last instant was rounded down by
};

}  // namespace weir
