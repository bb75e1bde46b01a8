// SPDX-License-Identifier: Apache-2.0
// A quantity sampled over time, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// Fills a Series from samples at equal intervals. When the maximum number of values is reached, neighbouring values
/// are combined in pairs. A value thus represents the sample interval times a power of two, and a sufficiently long run
/// uses at least half of the maximum number of values.
class SeriesRecorder {
 public:
  static constexpr std::size_t kValues = 8192;  ///< maximum: 82 ms at the default sample interval without combining

  /// How samples are combined: the mean for a rate; the highest for a level, so that no peak is lost.
  enum class Joint : std::uint8_t { mean, highest };

  /// `interval` between samples; `values`, even, is the maximum number.
  SeriesRecorder(Joint joint, Duration interval, std::size_t values = kValues);

  void add(double sample);
  /// The series until now. If the last interval is incomplete, its value is that of its samples so far.
  [[nodiscard]] Series series(std::string name) const;

 private:
  /// A combination of several samples.
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
