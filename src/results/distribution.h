// SPDX-License-Identifier: Apache-2.0
// Quantiles of values that are all at hand.
#pragma once

#include <cstddef>
#include <vector>

namespace weir {

/// What is told of a set of values, in their unit. Quantiles are exact: nearest rank over the values (see rank.h). All
/// but `count` mean nothing when there is no value.
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

/// Depends on the values alone, not on their order.
Distribution distribution_of(std::vector<double> values);

}  // namespace weir
