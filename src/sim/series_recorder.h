// SPDX-License-Identifier: Apache-2.0
// A quantity sampled over time, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// Fills a Series from samples that come at equal intervals. When as many values are there as are kept, each two
/// neighbours become one, so a value stands for the sample interval times a power of two, and at least half as many
/// values as are kept are used by a run that is long enough.
class SeriesRecorder {
 public:
  static constexpr std::size_t kValues = 8192;  ///< kept, at most: 82 ms of the default sample interval as sampled

  /// What becomes of several samples: of a rate the mean, of a level the highest, so that no peak is lost.
  enum class Joint : std::uint8_t { mean, highest };

  /// `interval` is between samples; `values`, even, are kept.
  SeriesRecorder(Joint joint, Duration interval, std::size_t values = kValues);

  void add(double sample);
  /// The series until now. If samples have come for a part of its last interval only, they are its value.
  [[nodiscard]] Series series(std::string name) const;

 private:
  /// Of so many samples.
  struct Value {
    double value = 0;
    std::size_t samples = 0;
  };
  [[nodiscard]] Value join(const Value& a, const Value& b) const;

  Joint joint_;
  Duration interval_;
  std::size_t most_;
  std::size_t samples_a_value_ = 1;
  std::vector<Value> values_;
};

}  // namespace weir
