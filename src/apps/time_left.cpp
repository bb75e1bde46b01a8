// SPDX-License-Identifier: Apache-2.0
#include "apps/time_left.h"

#include <algorithm>

namespace weir::apps {

std::optional<double> TimeLeft::seconds(double part, double elapsed) const {
  // Below this part an estimate from the row itself would fluctuate.
  constexpr double kLeastPart = 0.01;
  std::vector<std::optional<double>> all = expected_;
  if (part >= kLeastPart) all[current_] = elapsed / part;
  double known = 0;
  std::size_t count = 0;
  for (const std::optional<double>& row : all) {
    // A row that takes no time gives no estimate for others.
    if (!row || *row <= 0) continue;
    known += *row;
    ++count;
  }
  if (count == 0) return std::nullopt;
  const double mean = known / static_cast<double>(count);
  double left = std::max(0.0, all[current_].value_or(mean) - elapsed);
  for (std::size_t row = current_ + 1; row < all.size(); ++row) left += all[row].value_or(mean);
  return left;
}

}  // namespace weir::apps
