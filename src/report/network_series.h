// SPDX-License-Identifier: Apache-2.0
// What a timeline of links says of the network as a whole.
#pragma once

#include <cstddef>
#include <vector>

#include "results/run_record.h"

namespace weir {

/// The queues at the ports of the switches of a tier.
struct TierQueues {
  int tier = 0;
  std::vector<double> total;    ///< bytes, of all its switches
  std::vector<double> fullest;  ///< bytes, of the switch with the most
};

/// The links from one tier to another.
struct TierPairPauses {
  int paused_tier = 0;
  int pausing_tier = 0;
  std::vector<double> held;  ///< links that a pause held, a mean over the interval
};

/// Frame bits a second that came to hosts, whatever they carry: acknowledgements and retransmissions count.
std::vector<double> delivered_rate(const RunRecord& record);

/// Lowest tier first. An interval has the most that each port held in it, so where intervals were joined, ports that
/// were full at different moments add up: a total can only be too high.
std::vector<TierQueues> queues_by_tier(const RunRecord& record);

/// By paused, then pausing tier; only of pairs with pauses.
std::vector<TierPairPauses> pauses_by_tiers(const RunRecord& record);

/// A series with at most `most` values, each of as many neighbours: their mean, or their maximum. The last may stand
/// for fewer.
Series thinned(const Series& series, std::size_t most, bool maximum);

}  // namespace weir
