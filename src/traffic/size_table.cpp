// SPDX-License-Identifier: Apache-2.0
#include "traffic/size_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "traffic/pieces.h"

namespace weir {

namespace {

constexpr double kLargestSize = 0x1p53;  // above it not every integer is a double
constexpr double kEndTolerance = 1e-6;   // for a last probability that was printed in rounded form

}  // namespace

SizeTable::SizeTable(std::string name, std::vector<SizePoint> points, Form form)
    : name_(std::move(name)), points_(std::move(points)), form_(form) {
  if (points_.empty()) return;
  points_.back().probability = 1.0;
  // The shares may sum to slightly more or less than 1.
  const double mean = bytes_of_flows_up_to(std::numeric_limits<double>::infinity());
  mean_ = std::clamp(mean, points_.front().bytes, points_.back().bytes);
}

std::vector<SizeTable::Problem> SizeTable::problems(std::span<const SizePoint> points) {
  if (points.empty()) return {{0, "no points, expected at least one"}};
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SizePoint& point = points[i];
    if (!(point.bytes >= 0.0 && point.bytes <= kLargestSize)) {
      problems.push_back({i, fmt::format("size {} is out of range, expected 0 to 2^53 bytes", point.bytes)});
    }
    if (!(point.probability >= 0.0 && point.probability <= 1.0 + kEndTolerance)) {
      problems.push_back({i, fmt::format("probability {} is out of range, expected 0 to 1", point.probability)});
    }
    if (i == 0) continue;
    const SizePoint& before = points[i - 1];
    if (point.bytes < before.bytes) {
      problems.push_back(
          {i, fmt::format("size {} is below that of the previous point, {}, expected sizes in ascending order",
                          point.bytes, before.bytes)});
    }
    if (point.probability < before.probability) {
      problems.push_back(
          {i, fmt::format("probability {} is below that of the previous point, {}, expected cumulative probabilities",
                          point.probability, before.probability)});
    }
  }
  const double last = points.back().probability;
  if (problems.empty() && last < 1.0 - kEndTolerance) {
    problems.push_back({points.size() - 1, fmt::format("the last probability is {}, expected 1", last)});
  }
  if (problems.empty() && points.back().bytes < 1.0) {
    problems.push_back({points.size() - 1, "the largest size is below 1 byte, expected at least 1"});
  }
  return problems;
}

double SizeTable::quantile(double p) const {
  // The first point that reaches p.
  const auto upper = std::lower_bound(points_.begin(), points_.end(), p,
                                      [](const SizePoint& point, double share) { return point.probability < share; });
  if (upper == points_.end()) return points_.back().bytes;
  if (form_ == Form::steps || upper == points_.begin()) return upper->bytes;
  const SizePoint& lower = *(upper - 1);
  return lower.bytes +
         (upper->bytes - lower.bytes) * ((p - lower.probability) / (upper->probability - lower.probability));
}

Bytes SizeTable::draw(RandomStream& random) const {
  // In (0, 1]: with steps, a point with probability zero must not be drawn.
  const double p = 1.0 - random.uniform();
  return Bytes(std::max<std::int64_t>(1, static_cast<std::int64_t>(quantile(p) + 0.5)));
}

double SizeTable::share_of_flows(double bytes) const {
  // The first point above this size; of points with the same size the last counts.
  const auto upper = std::upper_bound(points_.begin(), points_.end(), bytes,
                                      [](double size, const SizePoint& point) { return size < point.bytes; });
  if (upper == points_.begin()) return 0.0;
  const SizePoint& lower = *(upper - 1);
  if (form_ == Form::steps || upper == points_.end()) return lower.probability;
  return lower.probability +
         (upper->probability - lower.probability) * ((bytes - lower.bytes) / (upper->bytes - lower.bytes));
}

double SizeTable::bytes_of_flows_up_to(double bytes) const {
  double sum = 0.0;
  SizePoint lower{points_.front().bytes, 0.0};
  for (const SizePoint& point : points_) {
    const double share = point.probability - lower.probability;
    if (form_ == Form::steps) {
      if (point.bytes > bytes) break;
      sum += share * point.bytes;
    } else if (point.bytes <= bytes) {
      sum += share * 0.5 * (lower.bytes + point.bytes);
    } else {
      if (bytes > lower.bytes) {
        const double part = (bytes - lower.bytes) / (point.bytes - lower.bytes);
        sum += share * part * 0.5 * (lower.bytes + bytes);
      }
      break;
    }
    lower = point;
  }
  return sum;
}

std::vector<SizeSegment> SizeTable::segments() const {
  std::vector<SizeSegment> out;
  SizePoint lower{points_.front().bytes, 0.0};
  for (const SizePoint& point : points_) {
    const double share = point.probability - lower.probability;
    if (share > 0) out.push_back({form_ == Form::steps ? point.bytes : lower.bytes, point.bytes, share});
    lower = point;
  }
  return out;
}

double SizeTable::mean_pieces(Bytes piece) const {
  // draw() rounds to the nearest byte, so a quantile of k pieces and less than half a byte is divided into k.
  constexpr double kRounding = 0.5;
  double sum = 0.0;
  SizePoint lower{points_.front().bytes, 0.0};
  for (const SizePoint& point : points_) {
    const double width = form_ == Form::steps ? 0.0 : point.bytes - lower.bytes;
    const double pieces = width > 0.0 ? (integral_of_pieces(point.bytes - kRounding, piece) -
                                         integral_of_pieces(lower.bytes - kRounding, piece)) /
                                            width
                                      : pieces_of(std::max(1.0, std::floor(point.bytes + kRounding)), piece);
    sum += (point.probability - lower.probability) * pieces;
    lower = point;
  }
  return sum;
}

double SizeTable::share_of_bytes(double bytes) const {
  return bytes_of_flows_up_to(bytes) / mean_;
}

}  // namespace weir
