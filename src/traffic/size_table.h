// SPDX-License-Identifier: Apache-2.0
// The distribution of flow sizes, given by its quantiles.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "units/bytes.h"
#include "units/random.h"
#include "units/size_segment.h"

namespace weir {

/// A point of a cumulative distribution: a share `probability` of all flows have at most `bytes`.
struct SizePoint {
  double bytes = 0.0;
  double probability = 0.0;
  constexpr bool operator==(const SizePoint&) const = default;
};

/// A cumulative distribution of flow sizes, given by points with non-decreasing sizes and probabilities.
class SizeTable {
 public:
  /// The distribution between its points.
  enum class Form : std::uint8_t {
    linear,  ///< sizes are uniform between two points; flows up to the first point's probability have its size (HPCC's
             ///< convention)
    steps    ///< every flow has the size of a point (Homa's convention)
  };

  SizeTable() = default;
  /// `points` must pass problems(); the last probability is taken as exactly 1.
  SizeTable(std::string name, std::vector<SizePoint> points, Form form);

  /// Errors in these points, by index; empty if there are none.
  struct Problem {
    std::size_t point;
    std::string what;
  };
  static std::vector<Problem> problems(std::span<const SizePoint> points);

  /// A size drawn from the distribution, rounded to whole bytes, at least 1.
  [[nodiscard]] Bytes draw(RandomStream& random) const;
  /// The smallest size that a share `p` of all flows do not exceed, in bytes, not rounded; p is in [0, 1].
  [[nodiscard]] double quantile(double p) const;
  /// The mean in bytes, exact for the form.
  [[nodiscard]] double mean() const { return mean_; }
  /// The mean number of pieces, such as packets, of at most `piece` bytes into which a flow is divided; exact for the
  /// form and the rounding of draw(). `piece` is above zero.
  [[nodiscard]] double mean_pieces(Bytes piece) const;
  /// The share of flows of at most this size.
  [[nodiscard]] double share_of_flows(double bytes) const;
  /// The share of all bytes carried by flows of at most this size (bfc fig. 2, spfc table II).
  [[nodiscard]] double share_of_bytes(double bytes) const;

  /// The distribution: one segment between two points, or per point for steps.
  [[nodiscard]] std::vector<SizeSegment> segments() const;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Form form() const { return form_; }
  [[nodiscard]] const std::vector<SizePoint>& points() const { return points_; }

 private:
  /// The integral of the quantile function over the flows of at most this size.
  [[nodiscard]] double bytes_of_flows_up_to(double bytes) const;

  std::string name_;
  std::vector<SizePoint> points_;
  Form form_ = Form::linear;
  double mean_ = 0.0;
};

}  // namespace weir
