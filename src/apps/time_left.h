// SPDX-License-Identifier: Apache-2.0
// Remaining time of rows that are run in sequence.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace weir::apps {

/// An estimate from the known times of earlier runs of rows; other rows are assumed to take the mean of the known
/// times.
class TimeLeft {
 public:
  /// The expected time of each row, in seconds; nullopt: unknown. Rows without work take 0.
  explicit TimeLeft(std::vector<std::optional<double>> expected) : expected_(std::move(expected)) {}

  /// Starts the next row, in their order.
  void begin(std::size_t row) { current_ = row; }
  /// The time taken by the current row.
  void finish(double seconds) { expected_[current_] = seconds; }
  /// The time for the rest of the current row, of which a part of 0 to 1 was done in this number of seconds, and for
  /// all later rows. nullopt while no time is known.
  [[nodiscard]] std::optional<double> seconds(double part, double elapsed) const;

 private:
  std::vector<std::optional<double>> expected_;
  std::size_t current_ = 0;
};

}  // namespace weir::apps
