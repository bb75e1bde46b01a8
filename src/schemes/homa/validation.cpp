// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/validation.h"

#include <algorithm>
#include <cstdint>

#include "schemes/homa/division.h"
#include "schemes/homa/settings.h"
#include "schemes/usual_warnings.h"

namespace weir::homa {
namespace {

bool is_unset(const Parameters& parameters, std::string_view name) {
  return std::ranges::count(parameters.of_traffic(), name) > 0;
}

}  // namespace

// [HOMA-PRIO-3] [HOMA-PRIO-4] What is set takes its levels, and the rest is divided.
std::vector<std::pair<std::string_view, ParameterValue>> from_traffic(const Parameters& parameters,
                                                                      std::span<const SizeSegment> sizes) {
  Settings settings(parameters);
  const bool has_scheduled = !is_unset(parameters, "scheduled_priorities");
  if (is_unset(parameters, "cutoffs")) {
    const std::size_t left = kPriorities - std::min<std::size_t>(settings.scheduled, kPriorities - 1);
    const std::size_t levels = has_scheduled ? left : unscheduled_levels(sizes, settings.round_trip_bytes, kPriorities);
    settings.cutoffs = cutoffs_for(sizes, settings.round_trip_bytes, levels);
    if (!has_scheduled) settings.scheduled = kPriorities - levels;
  } else if (!has_scheduled) {
    settings.scheduled = kPriorities - std::min<std::size_t>(settings.unscheduled(), kPriorities - 1);
  }
  const auto scheduled = static_cast<std::int64_t>(settings.scheduled);
  return {{"cutoffs", settings.cutoffs}, {"scheduled_priorities", scheduled}, {"overcommitment", scheduled}};
}

// [HOMA-PRIO-5]
std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  for (std::size_t i = 1; i < settings.cutoffs.size(); ++i) {
    if (settings.cutoffs[i - 1] < settings.cutoffs[i]) continue;
    out.push_back("cutoffs: " + std::to_string(settings.cutoffs[i].count()) + " B after " +
                  std::to_string(settings.cutoffs[i - 1].count()) + " B, expected increasing sizes");
  }
  if (settings.levels() > kPriorities) {
    out.push_back("cutoffs and scheduled_priorities: " + std::to_string(settings.unscheduled()) + " unscheduled and " +
                  std::to_string(settings.scheduled) + " scheduled priorities, expected at most " +
                  std::to_string(kPriorities) + " in all");
  }
  return out;
}

// [HOMA-NET-1] [HOMA-NET-2] [HOMA-NET-3] [HOMA-NET-4]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  for (const SwitchView& at : around.switches) {
    for (Priority priority = settings.lowest(); priority < kPriorities; ++priority) {
      if (at.lossless[priority]) {
        out.push_back("priority " + std::to_string(priority) +
                      " is lossless, so that the pauses of flow controls hold up some of its priorities; expected "
                      "switch.lossless = []");
      }
      if (priority > settings.lowest() && at.level_of_priority[priority] >= at.level_of_priority[priority - 1]) {
        out.push_back("switches do not serve priority " + std::to_string(priority) + " strictly before priority " +
                      std::to_string(priority - 1) + ", and it needs " + std::to_string(settings.levels()) +
                      " priorities in strict order; expected switch.levels = [[7], [6], [5], [4], [3], [2], [1], [0]]");
      }
    }
  }
  warn_of_small_window("round_trip_bytes", settings.round_trip_bytes, around.network, "a message alone", out);
  warn_of_short_timeout("resend_after", settings.resend_after, around.network,
                        "packets are sent again although nothing is lost", out);
  return out;
}

}  // namespace weir::homa
