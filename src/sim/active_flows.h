// SPDX-License-Identifier: Apache-2.0
// How many flows a port of a switch serves at an instant.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "policy/switch_context.h"
#include "results/histogram.h"

namespace weir {

/// Counts active flows: those with data queued at a port (bfc 2: what a port would need queues for, were each to have
/// one of its own). A flow is what a queue pair carries; its frames count wherever in the switch they wait for the
/// port.
class ActiveFlows {
 public:
  /// Adds each port's number to `counts`. Takes time in proportion to the frames that the switch holds.
  void count(const SwitchContext& at, Histogram& counts);

 private:
  std::vector<std::pair<std::uint32_t, std::uint64_t>> seen_;  // egress and queue pair of each data frame
};

}  // namespace weir
