// SPDX-License-Identifier: Apache-2.0
// The state of a network over time, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/timeline.h"

namespace weir {

/// Fills a Timeline from samples at equal intervals. When the maximum number of intervals is reached, neighbouring
/// intervals are combined in pairs: carried bytes are added, of queued bytes the maximum is kept. An interval is thus
/// the sample interval times a power of two, and a sufficiently long run uses at least half of the maximum number of
/// intervals.
class TimelineRecorder {
 public:
  static constexpr std::size_t kIntervals = 512;   ///< maximum
  static constexpr std::size_t kPauses = 200'000;  ///< maximum; a pause takes 24 bytes

  /// For `links` directions. `interval` between samples is above zero; `intervals`, even, is the maximum number.
  TimelineRecorder(std::size_t links, Duration interval, std::size_t intervals = kIntervals,
                   std::size_t pauses = kPauses);

  // ---- a sample: look() for each link, then end_sample() ----

  /// `arrived`: frame bytes that arrived over the link since the start of the run, never decreasing; `queued`: bytes
  /// that wait at its sender now. Both are clipped to 32 bits per interval.
  void look(std::size_t link, std::int64_t arrived, std::int64_t queued) {
    if (!looked_) begin_sample();
    if (arrived != arrived_[link] || queued != 0) record(link, arrived, queued);  // most links have nothing
  }
  void end_sample();

  // ---- pauses ----

  /// The link's sender is blocked from `now` on; it was not before. In order of `now`.
  void pause(std::size_t link, Time now);
  /// It is no longer blocked. No effect without a preceding pause().
  void resume(std::size_t link, Time now);

  /// The run ends at `now`, and pauses in force end with it. If look() was called since the last sample, the remainder
  /// is a shorter interval. To be called once.
  [[nodiscard]] Timeline finish(Time now);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// The values of a link in an interval.
  struct Cell {
    std::uint32_t carried = 0;
    std::uint32_t queued = 0;
  };

  void begin_sample();
  void record(std::size_t link, std::int64_t arrived, std::int64_t queued);
  void join_neighbours();

  std::size_t links_;
  std::size_t intervals_;
  std::size_t most_pauses_;
  Duration interval_;
  std::size_t samples_an_interval_ = 1;
  std::size_t samples_ = 0;            // of the last interval
  bool looked_ = false;                // since the last end_sample()
  std::vector<std::int64_t> arrived_;  // by link, at the last look()
  // By interval and link: the full ones, and the one that is being recorded, once it has begun.
  std::vector<std::vector<Cell>> recorded_;
  Cell* recording_ = nullptr;
  std::size_t current_ = 0;  // full intervals
  std::vector<PauseSpan> pauses_;
  std::vector<std::uint32_t> open_;  // by link: its pause in pauses_
  std::uint64_t pauses_left_out_ = 0;
};

}  // namespace weir
