// SPDX-License-Identifier: Apache-2.0
#include "schemes/homa/validation.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "policy/pausing.h"
#include "schemes/homa/division.h"
#include "schemes/homa/settings.h"
#include "schemes/usual_warnings.h"
#include "units/words.h"

namespace weir::homa {
namespace {

bool is_unset(const Parameters& parameters, std::string_view name) {
  return std::ranges::count(parameters.of_traffic(), name) > 0;
}

std::string words_of(const std::set<Priority>& priorities) {
  std::vector<std::string> words;
  for (const Priority priority : priorities) words.push_back(std::to_string(priority));
  return join_words(words);
}

// [HOMA-NET-2]
void warn_of_pauses(const Settings& settings, const std::vector<SwitchView>& switches, std::vector<std::string>& out) {
  std::set<Priority> paused;
  for (const SwitchView& at : switches) {
    const bool any = std::any_of(at.flow_control.begin(), at.flow_control.end(),
                                 [](const SchemeInUse& one) { return pauses(*one.scheme); });
    for (Priority priority = settings.lowest(); any && priority < kPriorities; ++priority) {
      if (at.lossless[priority]) paused.insert(priority);
    }
  }
  if (paused.empty()) return;
  out.push_back(
      (paused.size() == 1 ? "priority " + words_of(paused) + " is" : "priorities " + words_of(paused) + " are") +
      " lossless, so that the pauses of flow controls hold up some of its priorities; expected "
      "switch.lossless = []");
}

// [HOMA-NET-1]
void warn_of_other_order(const Settings& settings, const std::vector<SwitchView>& switches,
                         std::vector<std::string>& out) {
  std::set<Priority> late;  // priorities that are not served before the next lower one
  for (const SwitchView& at : switches) {
    for (Priority priority = settings.lowest() + 1; priority < kPriorities; ++priority) {
      if (at.level_of_priority[priority] >= at.level_of_priority[priority - 1]) late.insert(priority);
    }
  }
  if (late.empty()) return;
  const std::string which =
      late.size() == 1 ? "priority " + words_of(late) + " strictly before priority " + std::to_string(*late.begin() - 1)
                       : "priorities " + words_of(late) + " strictly before the next lower ones";
  out.push_back("switches do not serve " + which + ", and it needs " + std::to_string(settings.levels()) +
                " priorities in strict order; expected switch.levels = [[7], [6], [5], [4], [3], [2], [1], [0]]");
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
  warn_of_pauses(settings, around.switches, out);
  warn_of_other_order(settings, around.switches, out);
  warn_of_small_window("round_trip_bytes", settings.round_trip_bytes, around.network, "a message alone", out);
  warn_of_short_timeout("resend_after", settings.resend_after, around.network,
                        "packets are sent again although nothing is lost", out);
  return out;
}

}  // namespace weir::homa
