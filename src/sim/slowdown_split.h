// SPDX-License-Identifier: Apache-2.0
// The causes of slowdown.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/sender_waits.h"
#include "results/statistics.h"
#include "results/summary.h"

namespace weir {

/// Sums up, per group of flows, the waiting times of the senders of completed flows. Of a flow's completion time beyond
/// the ideal, timeouts are subtracted first, then pauses, then pacing, each limited to what is left; the remainder is
/// queueing. So no part is negative and the parts add up, even if the flow would also have waited without other
/// traffic.
class SlowdownSplit {
 public:
  /// A flow that has ended. Flows that did not complete, were stopped, or have no known ideal FCT are not counted.
  void add(const FlowRecord& flow, const SenderWaits& waits);
  /// By FlowGroup; groups without flows are omitted.
  [[nodiscard]] std::vector<SlowdownSplitRecord> rows() const;

 private:
  struct Sum {
    std::int64_t flows = 0;
    double slowdown = 0;
    double queueing = 0;
    double pause = 0;
    double pacing = 0;
    double timeout = 0;
  };
  std::array<Sum, kFlowGroups> sums_;
};

}  // namespace weir
