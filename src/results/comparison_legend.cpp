// SPDX-License-Identifier: Apache-2.0
#include "results/comparison_legend.h"

#include <algorithm>

#include "results/any_run.h"

namespace weir {

std::string comparison_legend(const std::vector<RunSummary>& runs) {
  std::string text =
      "Slowdown: completion time of a flow divided by its ideal FCT (without other traffic), never below 1; completed "
      "flows only.";
  const auto is_few = [](const std::array<FctSummary, kFlowGroups>& groups) {
    return std::any_of(groups.begin(), groups.end(),
                       [](const FctSummary& flows) { return flows.slowdown.count > 0 && flows.slowdown.count < 100; });
  };
  const bool few = any_run(runs, [is_few](const RunSummary& run) {
    return is_few(run.groups) || std::any_of(run.sizes.begin(), run.sizes.end(),
                                             [is_few](const SizeBinSummary& size) { return is_few(size.groups); });
  });
  if (few) text += " The p99 of fewer than 100 flows is their maximum.";
  text += " Max buffer: maximum over all switches of the tier.";
  text +=
      " Pauses: how often switches, and hosts with a receive buffer, paused a neighbour, for a priority or for what a "
      "flow control pauses by itself (a queue, flow, destination or congestion root); repetitions of a pause in force "
      "are not counted. Time: percentage of time paused, mean over all link directions.";
  if (any_run(runs, [](const RunSummary& run) { return run.hold_of(FlowGroup::not_incast).packets > 0; })) {
    text +=
        " Innocent pause: time for which pauses blocked packets of flows outside an incast although the congestion was "
        "not on their path; mean per blocked packet, and percentage of all time blocked.";
  }
  return text;
}

}  // namespace weir
