// SPDX-License-Identifier: Apache-2.0
#include "sim/slowdown_split.h"

#include <algorithm>
#include <string>

namespace weir {

void SlowdownSplit::add(const FlowRecord& flow, const SenderWaits& waits) {
  if (flow.stopped || !flow.completed() || flow.ideal_fct <= Duration()) return;
  Duration left = std::max(flow.sender_completion - flow.ideal_fct, Duration());
  const auto ideal = static_cast<double>(flow.ideal_fct.picoseconds());
  const auto take = [&](Duration waited) {
    const Duration taken = std::min(waited, left);
    left -= taken;
    return static_cast<double>(taken.picoseconds()) / ideal;
  };
  const double timeout = take(waits.timed_out);
  const double pause = take(waits.paused);
  const double pacing = take(waits.paced);
  const double queueing = take(left);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (!is_in(static_cast<FlowGroup>(i), flow.flow_class)) continue;
    Sum& sum = sums_[i];
    ++sum.flows;
    sum.slowdown += slowdown_of(flow);
    sum.queueing += queueing;
    sum.pause += pause;
    sum.pacing += pacing;
    sum.timeout += timeout;
  }
}

std::vector<SlowdownSplitRecord> SlowdownSplit::rows() const {
  std::vector<SlowdownSplitRecord> out;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const Sum& sum = sums_[i];
    if (sum.flows == 0) continue;
    const auto flows = static_cast<double>(sum.flows);
    out.push_back({std::string(kSplitClasses[i]), sum.flows, sum.slowdown / flows, sum.queueing / flows,
                   sum.pause / flows, sum.pacing / flows, sum.timeout / flows});
  }
  return out;
}

}  // namespace weir
