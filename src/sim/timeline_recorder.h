// SPDX-License-Identifier: Apache-2.0
// A network over time, in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "results/timeline.h"

namespace weir {

/// Fills a Timeline from samples that come at equal intervals. When as many intervals are full as are kept, each two
/// neighbours become one: carried bytes add up, of queued bytes the larger remains. So an interval is the sample
/// interval times a power of two, and at least half as many intervals as are kept are used by a run that is long
/// enough.
class TimelineRecorder {
 public:
  static constexpr std::size_t kIntervals = 512;   ///< kept, at most
  static constexpr std::size_t kPauses = 200'000;  ///< kept, at most; a pause takes 24 bytes

  /// Of `links` directions. `interval` is between samples and above zero; `intervals`, even, are kept.
  TimelineRecorder(std::size_t links, Duration interval, std::size_t intervals = kIntervals,
                   std::size_t pauses = kPauses);

  // ---- a sample: look() at each link, then end_sample() ----

  /// `arrived`: frame bytes that came over the link since the beginning of the run, never fewer than before; `queued`:
  /// bytes that wait at its sender now. Both are clipped to 32 bits an interval.
  void look(std::size_t link, std::int64_t arrived, std::int64_t queued) {
    if (!looked_) begin_sample();
    if (arrived != arrived_[link] || queued != 0) record(link, arrived, queued);  // of many links, few have something
  }
  void end_sample();

  // ---- pauses ----

  /// The link's sender is held from `now` on; it was not before. In order of `now`.
  void pause(std::size_t link, Time now);
  /// It is held no longer. Without a pause() before it there is nothing to end.
  void resume(std::size_t link, Time now);

  /// The run ends at `now`: pauses in force end with it. If look() was called for what has come since the last sample,
  /// it is an interval, though a shorter one. Once.
  [[nodiscard]] Timeline finish(Time now);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  /// What a link has had in an interval.
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
  std::vector<std::int64_t> arrived_;  // by link, when last looked at
  // By interval and link: those that are full, and the one that is being recorded once it has begun, which is at hand.
  std::vector<std::vector<Cell>> recorded_;
  Cell* recording_ = nullptr;
  std::size_t current_ = 0;  // full intervals
  std::vector<PauseSpan> pauses_;
  std::vector<std::uint32_t> open_;  // by link: its pause in pauses_
  std::uint64_t pauses_left_out_ = 0;
};

}  // namespace weir
