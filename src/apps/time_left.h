// SPDX-License-Identifier: Apache-2.0
// How long rows that are run one after the other will still take.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace weir::apps {

/// An estimate from what rows took before, where that is known; of the others it is taken that they need the mean of
/// those that are known.
class TimeLeft {
 public:
  /// What each row is expected to take, in seconds; nothing: unknown. Rows that need nothing take 0.
  explicit TimeLeft(std::vector<std::optional<double>> expected) : expected_(std::move(expected)) {}

  /// The row that is now run, in their order.
  void begin(std::size_t row) { current_ = row; }
  /// What the current row took.
  void finish(double seconds) { expected_[current_] = seconds; }
  /// For the rest of the current row, of which a part of 0 to 1 is done after so many seconds, and all rows behind it.
  /// Nothing as long as nothing is known of any.
  [[nodiscard]] std::optional<double> seconds(double part, double elapsed) const;

 private:
  std::vector<std::optional<double>> expected_;
  std::size_t current_ = 0;
};

}  // namespace weir::apps
