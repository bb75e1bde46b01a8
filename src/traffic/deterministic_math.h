// SPDX-License-Identifier: Apache-2.0
// log, exp and the normal distribution, computed with + - * / and sqrt only.
//
// The results of log and exp differ between C libraries and versions; IEEE 754 defines the four operations and sqrt to
// the last bit. Values that determine start times of flows are therefore computed here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "units/random.h"

namespace weir::deterministic {

// ln 2 in two parts: the first has trailing zeros, so its product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42feep-1;
inline constexpr double kLn2Low = 0x1.a39ef35793c76p-33;
inline constexpr double kInverseLn2 = 0x1.71547652b82fep+0;

/// The natural logarithm of a positive normal number; relative error below 1e-15 away from 1.
constexpr double log(double x) {
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52) - 1;
  constexpr std::uint64_t kOne = std::uint64_t{1023} << 52;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int exponent = static_cast<int>(bits >> 52) - 1023;
  double mantissa = std::bit_cast<double>((bits & kMantissa) | kOne);
  if (mantissa > 0x1.6a09e667f3bcdp+0) {  // sqrt 2: keeps the argument of the series small
    mantissa *= 0.5;
    ++exponent;
  }
  // ln m = 2 artanh t with t = (m - 1) / (m + 1), |t| < 0.172: eleven terms reach 2^-56.
  const double t = (mantissa - 1.0) / (mantissa + 1.0);
  const double t2 = t * t;
  double series = 0.0;
  for (int k = 10; k >= 1; --k) series = (series + 1.0 / (2 * k + 1)) * t2;
  const double e = exponent;
  return e * kLn2High + (2.0 * t + (2.0 * t * series + e * kLn2Low));
}

/// e to the power of x; relative error below 1e-15. x is clamped to [-700, 700].
constexpr double exp(double x) {
  if (x > 700.0) x = 700.0;
  if (x < -700.0) x = -700.0;
  const auto exponent = static_cast<std::int64_t>(x * kInverseLn2 + (x < 0.0 ? -0.5 : 0.5));
  const double e = static_cast<double>(exponent);
  const double r = (x - e * kLn2High) - e * kLn2Low;  // |r| <= ln 2 / 2: thirteen terms reach 2^-57
  double series = 1.0;
  for (int k = 13; k >= 1; --k) series = 1.0 + series * r / k;
  return series * std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// A sample of the exponential distribution with mean 1.
constexpr double exponential(RandomStream& random) {
  return -log(1.0 - random.uniform());
}

/// A sample of the standard normal distribution (polar method, Marsaglia and Bray 1964).
inline double normal(RandomStream& random) {
  for (;;) {
    const double u = 2.0 * random.uniform() - 1.0;
    const double v = 2.0 * random.uniform() - 1.0;
    const double s = u * u + v * v;
    if (s < 1.0 && s > 0.0) return u * std::sqrt(-2.0 * log(s) / s);
  }
}

}  // namespace weir::deterministic
