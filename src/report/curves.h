// SPDX-License-Identifier: Apache-2.0
// Whole distributions as few enough points to draw.
#pragma once

#include <utility>
#include <vector>

#include "results/histogram.h"

namespace weir {

/// A point of a distribution function: a share `share` of all values lies at or below `value`.
struct CurvePoint {
  double share = 0;
  double value = 0;
};

/// The shares at which curves are told: dense at both ends, for tails are what is looked for. Rising, from 0 to 1.
const std::vector<double>& curve_shares();

/// Quantiles (nearest rank, see results/rank.h) at curve_shares(), of which points on a level line between neighbours
/// are left out. Empty for no values.
std::vector<CurvePoint> curve_of(std::vector<double> values);
std::vector<CurvePoint> curve_of(const Histogram& histogram);

}  // namespace weir
