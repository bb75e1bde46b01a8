// SPDX-License-Identifier: Apache-2.0
// A timeline small enough to stand in a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// Values of some links over time, in a byte each; the links that are left out have zeros throughout.
struct PackedRows {
  std::vector<std::uint32_t> links;  ///< rising
  std::vector<std::uint8_t> values;  ///< [row * intervals + i]
};

/// A Timeline in bytes. Zero is zero, and only zero: the smallest amount is a 1.
///
/// - load: 1/255 of what the link can carry in the interval, rounded; frame bytes, so that a link that is never idle
///   comes to 98 % or so (preambles and gaps are left out);
/// - queued: code c is `kLeastQueue` * 2^((c - 1) * queue_step) bytes, the nearest: within 2.5 % where the run's
/// longest
///   queue is 20 MB, and that one is exact;
/// - paused: 1/255 of the interval that a pause held the link's sender.
struct PackedTimeline {
  static constexpr double kLeastQueue = 64;  ///< bytes; a queue of fewer counts as these

  Duration interval;
  std::size_t intervals = 0;
  double queue_step = 0;  ///< octaves
  PackedRows load;
  PackedRows queued;
  PackedRows paused;

  /// Bytes of all values.
  [[nodiscard]] std::size_t size() const;
};

/// `record`'s timeline with neighbouring intervals joined, as TimelineRecorder does, until there are at most
/// `most_intervals`, which must be above zero. A timeline that was not recorded gives no intervals.
PackedTimeline pack_timeline(const RunRecord& record, std::size_t most_intervals);

/// How long interval `i` of a timeline lasted: all but the last are whole. At least a picosecond.
Duration length_of(const Timeline& timeline, std::size_t i, Time simulated);

/// The timeline with each 2^`halvings` intervals joined.
Timeline joined(const Timeline& timeline, int halvings);

/// How long a pause held each link's sender in each interval: [link * intervals + i], picoseconds.
std::vector<std::int64_t> paused_time(const Timeline& timeline, std::size_t links);

}  // namespace weir
