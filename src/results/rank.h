// SPDX-License-Identifier: Apache-2.0
// Which value of a sorted set a quantile is.
#pragma once

#include <cmath>
#include <cstdint>

namespace weir {

/// The nearest rank of quantile `p` among `count` values: the smallest k, from 1, with k / count >= p. So p = 0.5 of
/// four values is the second, and p = 0 the first. `p` in 0..1; zero when `count` is zero.
///
/// k / count is correctly rounded, as `p` written as a decimal is, so 0.07 of 100 values is the 7th although
/// 0.07 * 100 is above 7.
inline std::uint64_t nearest_rank(double p, std::uint64_t count) {
  if (count == 0) return 0;
  const auto n = static_cast<double>(count);
  const auto share = [n](std::uint64_t k) { return static_cast<double>(k) / n; };
  const double guess = std::ceil(p * n);
  std::uint64_t k = guess < 1 ? 1 : (guess >= n ? count : static_cast<std::uint64_t>(guess));
  while (k > 1 && share(k - 1) >= p) --k;
  while (k < count && share(k) < p) ++k;
  return k;
}

}  // namespace weir
