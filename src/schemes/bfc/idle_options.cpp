// SPDX-License-Identifier: Apache-2.0
#include "schemes/bfc/idle_options.h"

#include <algorithm>

#include "schemes/bfc/bfc.h"
#include "schemes/bfc/settings.h"
#include "schemes/bfc/validation.h"
#include "units/words.h"

namespace weir::bfc {
namespace {

using Names = std::vector<std::string>;

/// A parameter that is given with its default value cannot be distinguished from one that is not given.
bool is_given(const Parameters& parameters, const std::string& name) {
  const auto spec = std::find_if(scheme.parameters.begin(), scheme.parameters.end(),
                                 [&name](const ParameterSpec& of) { return of.name == name; });
  const auto& values = parameters.values();
  return std::any_of(values.begin(), values.end(),
                     [&](const auto& value) { return value.first == name && value.second != spec->default_value; });
}

}  // namespace

// [BFC-IN-4]
std::vector<std::string> idle_options(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  const auto note = [&](Names names, const std::string& beside) {
    std::erase_if(names, [&parameters](const std::string& name) { return !is_given(parameters, name); });
    if (names.empty()) return;
    out.push_back(join_words(names) + (names.size() == 1 ? " has" : " have") + " no effect with " + beside);
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
