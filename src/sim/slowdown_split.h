// SPDX-License-Identifier: Apache-2.0
// What made flows slower than ideal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host/sender_waits.h"
#include "results/statistics.h"
#include "results/summary.h"

namespace weir {

/// Sums up, by group of flows, what the senders of completed flows waited for. Of the time by which a flow was slower
/// than ideal, timeouts come first, then pauses, then pacing, each with no more than is left; what is left in the end
/// is queueing. So no part is below zero, and they add up however a flow alone would have waited itself.
class SlowdownSplit {
 public:
  /// A flow that is over. One that did not complete, was stopped, or whose ideal FCT is not known counts nowhere.
  void add(const FlowRecord& flow, const SenderWaits& waits);
  /// By FlowGroup; of groups without flows none.
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
