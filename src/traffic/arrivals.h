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

/// The distribution of the intervals between arrivals around their mean.
struct ArrivalShape {
  enum class Kind : std::uint8_t {
    constant,     ///< all equal
    exponential,  ///< a Poisson process
    lognormal     ///< the larger sigma, the burstier: the coefficient of variation is sqrt(exp(sigma^2) - 1)
  } kind = Kind::exponential;
  double sigma = 2.0;  ///< lognormal only: of the interval's logarithm (2 in bfc 6.2.1), in [0, 5]; 0: all equal
};

/// Errors in the shape; empty if there are none.
std::vector<std::string> shape_problems(ArrivalShape shape);

/// A renewal process: independent intervals of one distribution. Intervals are kept with fractions of a picosecond and
/// only instants are rounded, so the mean rate is exact for any density of arrivals.
class ArrivalProcess {
 public:
  ArrivalProcess() = default;
  /// `mean_picoseconds` is above zero and need not be an integer; or it is zero for simultaneous arrivals.
  ArrivalProcess(ArrivalShape shape, double mean_picoseconds);

  /// From one arrival to the next. At most 2^61 ps (26 days).
  Duration next(RandomStream& random);
  [[nodiscard]] double mean_picoseconds() const { return mean_; }
  [[nodiscard]] ArrivalShape shape() const { return shape_; }

 private:
  ArrivalShape shape_;
  double mean_ = 0.0;
  double carry_ = 0.0;  // the fraction of a picosecond by which the last instant was rounded down
};

}  // namespace weir
