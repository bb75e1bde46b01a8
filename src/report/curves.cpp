// SPDX-License-Identifier: Apache-2.0
#include "report/curves.h"

#include <algorithm>

#include "results/rank.h"

namespace weir {
namespace {

template <class Quantile>
std::vector<CurvePoint> curve(const Quantile& quantile) {
  std::vector<CurvePoint> points;
  for (const double share : curve_shares()) {
    const double value = quantile(share);
    const std::size_t count = points.size();
    // Of a run of equal values only the ends are kept.
    if (count >= 2 && points[count - 1].value == value && points[count - 2].value == value) points.pop_back();
    points.push_back({share, value});
  }
  return points;
}

}  // namespace

const std::vector<double>& curve_shares() {
  static const std::vector<double> shares = [] {
    std::vector<double> out{0, 0.001, 0.002, 0.005};
    for (int percent = 1; percent <= 99; ++percent) out.push_back(percent / 100.0);
    for (const double tail : {0.992, 0.994, 0.996, 0.998, 0.999, 0.9995, 0.9999, 1.0}) out.push_back(tail);
    return out;
  }();
  return shares;
}

std::vector<CurvePoint> curve_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return curve([&values](double share) { return values[nearest_rank(share, values.size()) - 1]; });
}

std::vector<CurvePoint> curve_of(const Histogram& histogram) {
  if (histogram.count() == 0) return {};
  return curve([&histogram](double share) { return static_cast<double>(histogram.quantile(share)); });
}

}  // namespace weir
