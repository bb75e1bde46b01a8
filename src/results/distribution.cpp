// SPDX-License-Identifier: Apache-2.0
#include "results/distribution.h"

#include <algorithm>
#include <numeric>

#include "results/rank.h"

namespace weir {

Distribution distribution_of(std::vector<double> values) {
  Distribution result;
  result.count = values.size();
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());  // also fixes the order of the sum, and so its rounding
  const auto quantile = [&values](double p) { return values[nearest_rank(p, values.size()) - 1]; };
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  result.p50 = quantile(0.5);
  result.p90 = quantile(0.9);
  result.p95 = quantile(0.95);
  result.p99 = quantile(0.99);
  result.maximum = values.back();
  return result;
}

}  // namespace weir
