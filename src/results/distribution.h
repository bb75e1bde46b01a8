// SPDX-License-Identifier: Apache-2.0
// Quantiles of values that are all in memory.
#pragma once

#include <cstddef>
#include <vector>

namespace weir {

/// Statistics of a set of values, in their unit. Quantiles are exact: nearest rank over the values (see rank.h). All
/// but `count` are meaningless if there are no values.
struct Distribution {
  std::size_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p90 = 0;
  double p95 = 0;
  double p99 = 0;
  double maximum = 0;

  [[nodiscard]] bool empty() const { return count == 0; }
};

/// Depends only on the values, not on their order.
Distribution distribution_of(std::vector<double> values);

}  // namespace weir
