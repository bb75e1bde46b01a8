// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/idle_options.h"

#include <string>
#include <string_view>

#include "schemes/bfc/settings.h"
#include "schemes/bfc/validation.h"

namespace weir::bfc {

// [BFC-IN-4]
std::vector<IdleParameter> idle_options(const Parameters& parameters) {
  using Names = std::vector<std::string_view>;
  const Settings settings(parameters);
  std::vector<IdleParameter> out;
  const auto note = [&](const Names& names, const std::string& beside) {
    for (const std::string_view name : names) out.push_back({name, beside});
  };
  if (settings.empty_queue != EmptyQueue::scan) {
    note({"scan_beside"}, "empty_queue = \"" + parameters.get<std::string>("empty_queue") + "\"");
  }
  if (by_flow(parameters)) {
    note({"flow_table_factor", "flow_table_entries", "sticky", "refresh", "pauses", "nic_queues"}, "pause = \"flow\"");
    if (settings.threshold > Duration()) note({"hop_round_trip"}, "pause = \"flow\" and a threshold");
    return out;
  }
  if (settings.assignment != Assignment::dynamic) {
    const std::string assignment = "assignment = \"" + parameters.get<std::string>("assignment") + "\"";
    Names names;
    if (!settings.keeps_table) names = {"flow_table_factor", "flow_table_entries", "pipelines"};
    names.insert(names.end(), {"empty_refresh", "assign_paused"});
    note(names, assignment);
    // NICs assign empty queues to their queue pairs independently of the switches' options.
    if (!settings.nic_backpressure) {
      note({"sticky", "empty_queue", "scan_beside"}, assignment + " and nic_backpressure = false");
    }
  }
  if (settings.keeps_table && settings.table_entries > 0) note({"flow_table_factor"}, "flow_table_entries");
  if (!settings.nic_backpressure) note({"nic_queues"}, "nic_backpressure = false");
  return out;
}

}  // namespace weir::bfc
