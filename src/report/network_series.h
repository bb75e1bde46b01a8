// SPDX-License-Identifier: Apache-2.0
// Series of the whole network, derived from a timeline of links.
#pragma once

#include <cstddef>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// The queues at the switch ports of one tier.
struct TierQueues {
  int tier = 0;
  std::vector<double> total;    ///< bytes, over all its switches
  std::vector<double> fullest;  ///< bytes, of the fullest switch
};

/// The links from one tier to another.
struct TierPairPauses {
  int paused_tier = 0;
  int pausing_tier = 0;
  std::vector<double> held;  ///< number of links blocked by a pause, averaged over the interval
};

/// Frame bits per second that arrived at hosts, including acknowledgements and retransmissions.
std::vector<double> delivered_rate(const RunRecord& record);

/// Lowest tier first. An interval contains the maximum of each port in it, so where intervals were merged, maxima at
/// different times add up: totals are upper bounds.
std::vector<TierQueues> queues_by_tier(const RunRecord& record);

/// By paused, then pausing tier; only pairs with pauses.
std::vector<TierPairPauses> pauses_by_tiers(const RunRecord& record);

/// A series with at most `most` values, each the mean or the maximum of an equal number of adjacent values. The last
/// may cover fewer.
Series thinned(const Series& series, std::size_t most, bool maximum);

}  // namespace weir
