// SPDX-License-Identifier: Apache-2.0
// A network over the time of a run, coarse enough to keep and to look at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/time.h"

namespace weir {

/// One direction of a link while pauses held its sender: from when it obeyed the first until it may send everything
/// again, or the end of the run.
struct PauseSpan {
  std::uint32_t link = 0;  ///< index into RunRecord::links: its `to` paused its `from`
  Time begin;
  Time end;
};

/// What every direction of every link carried and held, in equal intervals. The interval doubles as often as a run
/// needs it to, so that the number of intervals is bounded whatever the run's length.
struct Timeline {
  Duration interval;                   ///< zero: none was recorded
  std::size_t intervals = 0;           ///< interval i covers [i, i + 1) * interval
  std::vector<std::uint32_t> carried;  ///< [link * intervals + i]: frame bytes that arrived in it
  std::vector<std::uint32_t> queued;   ///< the most bytes a sample found queued at the sender for this link
  std::vector<PauseSpan> pauses;       ///< in order of begin
  std::uint64_t pauses_left_out = 0;   ///< beyond the number that is kept
  [[nodiscard]] bool recorded() const { return intervals > 0; }
};

}  // namespace weir
