// SPDX-License-Identifier: Apache-2.0
// Distributions reduced to few enough points to draw.
#pragma once

#include <utility>
#include <vector>

#include "results/histogram.h"

namespace weir {

/// A point of a distribution function: a share `share` of all values is at most `value`.
struct CurvePoint {
  double share = 0;
  double value = 0;
};

/// The shares at which curves are evaluated: dense at both ends, because tails matter most. Ascending, from 0 to 1.
const std::vector<double>& curve_shares();

/// Quantiles (nearest rank, see results/rank.h) at curve_shares(); points on a horizontal line between neighbours are
/// omitted. Empty if there are no values.
std::vector<CurvePoint> curve_of(std::vector<double> values);
std::vector<CurvePoint> curve_of(const Histogram& histogram);

}  // namespace weir
