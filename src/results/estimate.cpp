// SPDX-License-Identifier: Apache-2.0
#include "results/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "results/text.h"

namespace weir {
namespace {

/// The probability that |T| is below `t`, for T with this many degrees of freedom: the finite sums of Abramowitz and
/// Stegun 26.7.3 and 26.7.4.
double central_probability(double t, std::size_t degrees) {
  const auto n = static_cast<double>(degrees);
  const double angle = std::atan(t / std::sqrt(n));
  const double cosine_squared = 1 / (1 + t * t / n);
  const bool odd = degrees % 2 == 1;
  double term = odd ? std::sqrt(cosine_squared) : 1;
  double sum = degrees > 1 ? term : 0;
  for (std::size_t k = odd ? 3 : 2; k < degrees; k += 2) {
    term *= cosine_squared * static_cast<double>(k - 1) / static_cast<double>(k);
    sum += term;
  }
  if (odd) return 2 / std::numbers::pi * (angle + std::sin(angle) * sum);
  return std::sin(angle) * sum;
}

}  // namespace

double student_t(std::size_t degrees) {
  constexpr double kShare = 0.95;
  // 12.7 for one degree, less for more degrees.
  double low = 1.9;
  double high = 13;
  while (high - low > 1e-12 * high) {
    const double middle = (low + high) / 2;
    (central_probability(middle, degrees) < kShare ? low : high) = middle;
    if (middle == low && middle == high) break;
  }
  return (low + high) / 2;
}

Estimate estimate_of(const std::vector<double>& values) {
  Estimate out;
  out.n = values.size();
  const auto n = static_cast<double>(values.size());
  out.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  out.low = out.high = out.mean;
  if (out.n < 2) return out;
  // Equal values have no spread, even if their mean is rounded.
  if (std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); })) {
    out.mean = out.low = out.high = values.front();
    return out;
  }
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  const double half = student_t(out.n - 1) * std::sqrt(squares / (n - 1) / n);
  out.low = out.mean - half;
  out.high = out.mean + half;
  return out;
}

std::string estimate_text(const Estimate& estimate, double scale) {
  if (estimate.n == 0 || !std::isfinite(estimate.mean)) return std::string(kNothing);
  const double mean = estimate.mean * scale;
  const double half = estimate.half_width() * scale;
  if (!estimate.has_interval()) return format_number(mean);
  if (!(half > 0)) return format_number(mean) + " ±0";
  constexpr int kMostDecimals = 6;
  const int decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, kMostDecimals);
  return fmt::format("{:.{}f} ±{:.{}f}", mean, decimals, half, decimals);
}

}  // namespace weir
