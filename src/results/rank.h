// SPDX-License-Identifier: Apache-2.0
// The rank of a quantile in a sorted set.
#pragma once

#include <cmath>
#include <cstdint>

namespace weir {

/// The nearest rank of quantile `p` among `count` values: the smallest k, from 1, with k / count >= p. For example, p =
/// 0.5 of four values is the second, and p = 0 the first. `p` in 0..1; zero if `count` is zero.
///
/// k / count is rounded correctly, as is `p` written as a decimal, so 0.07 of 100 values is the 7th although 0.07 * 100
/// is above 7.
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
