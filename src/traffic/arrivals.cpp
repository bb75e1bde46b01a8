// SPDX-License-Identifier: Apache-2.0
#include "traffic/arrivals.h"

#include <fmt/format.h>

namespace weir {

std::vector<std::string> shape_problems(ArrivalShape shape) {
  constexpr double kLargestSigma = 5.0;  // the mean is then e^12.5 times the median, too large for samples to be
                                         // meaningful
  if (shape.kind != ArrivalShape::Kind::lognormal || (shape.sigma >= 0.0 && shape.sigma <= kLargestSigma)) return {};
  return {fmt::format("sigma is {}, expected 0 to 5", shape.sigma)};
}

ArrivalProcess::ArrivalProcess(ArrivalShape shape, double mean_picoseconds) : shape_(shape), mean_(mean_picoseconds) {}

Duration ArrivalProcess::next(RandomStream& random) {
  double factor = 1.0;
  if (shape_.kind == ArrivalShape::Kind::exponential) {
    factor = deterministic::exponential(random);
  } else if (shape_.kind == ArrivalShape::Kind::lognormal) {
    // The mean of exp(sigma z) is exp(sigma^2 / 2).
    factor = deterministic::exp(shape_.sigma * deterministic::normal(random) - 0.5 * shape_.sigma * shape_.sigma);
  }
  constexpr double kLongest = 0x1p61;
  const double interval = mean_ * factor + carry_;
  if (interval >= kLongest) {
    carry_ = 0.0;
    return Duration::picoseconds(std::int64_t{1} << 61);
  }
  const auto whole = static_cast<std::int64_t>(interval);
  carry_ = interval - static_cast<double>(whole);
  return Duration::picoseconds(whole);
}

}  // namespace weir
