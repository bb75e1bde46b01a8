// SPDX-License-Identifier: Apache-2.0
// The number of flows that a port of a switch serves at an instant.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "policy/switch_context.h"
#include "results/histogram.h"

namespace weir {

/// Counts active flows: those with data queued at a port (bfc 2: the number of queues that a port would need for one
/// queue per flow). A flow is the traffic of one queue pair; its frames count wherever in the switch they wait for the
/// port.
class ActiveFlows {
 public:
  /// Adds each port's number to `counts`. Takes time proportional to the number of frames in the switch.
  void count(const SwitchContext& at, Histogram& counts);

 private:
  /// The egress and the queue pair of a data frame.
  struct Entry {
    std::uint32_t egress = ~std::uint32_t{0};
    std::uint64_t queue_pair = 0;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> seen_;
};

}  // namespace weir
