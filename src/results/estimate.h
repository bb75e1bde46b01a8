// SPDX-License-Identifier: Apache-2.0
// Estimates of a quantity from replicates: its mean with the 95 % confidence interval.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir {

/// The mean of independent runs, and the interval that contains the true mean in 95 % of all campaigns (Student's t). A
/// single run has no interval: low and high are its value and have no meaning.
struct Estimate {
  std::size_t n = 0;
  double mean = 0;
  double low = 0;
  double high = 0;

  [[nodiscard]] bool has_interval() const { return n > 1; }
  [[nodiscard]] double half_width() const { return (high - low) / 2; }
};

/// Requires at least one value. Apart from rounding, the order of the values does not matter.
Estimate estimate_of(const std::vector<double>& values);

/// The 0.975 quantile of Student's t distribution: half the width of a 95 % interval in standard errors. `degrees` of
/// freedom: at least 1.
double student_t(std::size_t degrees);

/// "4.10 ±0.21": the half width with two significant digits, the mean with as many decimals. Without an interval, the
/// mean alone. `scale`: factor applied to both.
std::string estimate_text(const Estimate& estimate, double scale = 1);

}  // namespace weir
