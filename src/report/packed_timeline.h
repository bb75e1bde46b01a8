// SPDX-License-Identifier: Apache-2.0
// A timeline small enough to embed in a page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// Values of some links over time, one byte each; omitted links are always zero.
struct PackedRows {
  std::vector<std::uint32_t> links;  ///< ascending
  std::vector<std::uint8_t> values;  ///< [row * intervals + i]
};

/// A Timeline in bytes. A code is zero only if the value is zero: the smallest non-zero value is a 1.
///
/// - load: 1/255 of the link's capacity in the interval, rounded; frame bytes only, so a permanently busy link reaches
///   about 98 % (preambles and gaps are excluded);
/// - queued: code c means `kLeastQueue` * 2^((c - 1) * queue_step) bytes, rounded to the nearest: within 2.5 % if the
///   run's longest queue is 20 MB, and exact for the longest queue;
/// - paused: 1/255 of the interval for which a pause blocked the link's sender.
struct PackedTimeline {
  static constexpr double kLeastQueue = 64;  ///< bytes; shorter queues count as this

  Duration interval;
  std::size_t intervals = 0;
  double queue_step = 0;  ///< octaves
  PackedRows load;
  PackedRows queued;
  PackedRows paused;

  /// Total bytes of all values.
  [[nodiscard]] std::size_t size() const;
};

/// `record`'s timeline with adjacent intervals merged, as by TimelineRecorder, until there are at most
/// `most_intervals`, which must be above zero. If no timeline was recorded, there are no intervals.
PackedTimeline pack_timeline(const RunRecord& record, std::size_t most_intervals);

/// The duration of interval `i` of a timeline: all but the last have full length. At least one picosecond.
Duration length_of(const Timeline& timeline, std::size_t i, Time simulated);

/// The timeline with each 2^`halvings` intervals merged.
Timeline joined(const Timeline& timeline, int halvings);

/// How long a pause blocked each link's sender in each interval: [link * intervals + i], picoseconds.
std::vector<std::int64_t> paused_time(const Timeline& timeline, std::size_t links);

}  // namespace weir
