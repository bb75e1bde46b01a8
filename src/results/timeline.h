// SPDX-License-Identifier: Apache-2.0
// The state of a network over the time of a run, coarse enough to store and to display.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/time.h"

namespace weir {

/// A period in which pauses blocked the sender of one direction of a link: from when it obeyed the first pause until it
/// may send everything again, or the end of the run.
struct PauseSpan {
  std::uint32_t link = 0;  ///< index into RunRecord::links: its `to` paused its `from`
  Time begin;
  Time end;
};

/// What every direction of every link carried and queued, in equal intervals. The interval doubles as often as the run
/// requires, so that the number of intervals is bounded for any duration.
struct Timeline {
  Duration interval;                   ///< zero: none was recorded
  std::size_t intervals = 0;           ///< interval i covers [i, i + 1) * interval
  std::vector<std::uint32_t> carried;  ///< [link * intervals + i]: frame bytes that arrived in it
  std::vector<std::uint32_t> queued;   ///< maximum of the sampled bytes queued at the sender for this link
  std::vector<PauseSpan> pauses;       ///< in order of begin
  std::uint64_t pauses_left_out = 0;   ///< beyond the maximum number
  [[nodiscard]] bool recorded() const { return intervals > 0; }
};

}  // namespace weir
