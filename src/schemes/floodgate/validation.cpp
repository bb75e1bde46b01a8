// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/validation.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "schemes/floodgate/floodgate.h"
#include "schemes/floodgate/settings.h"
#include "units/words.h"

namespace weir::floodgate {
namespace {

/// Without effect on PFC with tags, which has no windows, credits and PSNs, no groups of VOQs, limits of its own, and
/// no signal of its own to congestion points.
constexpr auto kNotOfTags = std::to_array<std::string_view>(
    {"unit", "window_factor", "window", "window_of", "credit_timer", "credit_bytes", "credit_frames", "credit_earned",
     "delay_credit", "groups", "pipeline", "recovery", "syn_timeout", "pause_threshold", "resume_threshold", "signal"});

/// Whether the scenario gives the parameter another value than its default. A default of the network has no fixed
/// value, so then any value counts.
bool is_changed(const Parameters& parameters, std::string_view name) {
  if (!parameters.is_given(name)) return false;
  const auto spec = std::find_if(scheme.parameters.begin(), scheme.parameters.end(),
                                 [name](const ParameterSpec& of) { return of.name == name; });
  if (spec->from_network.figure != NetworkFigure::none) return true;
  return std::any_of(parameters.values().begin(), parameters.values().end(),
                     [&](const auto& value) { return value.first == name && value.second != spec->default_value; });
}

/// Parameters that are changed though others leave them without effect.
std::vector<std::string> idle_options(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  const auto note = [&](std::vector<std::string> names, const std::string& beside) {
    std::erase_if(names, [&parameters](const std::string& name) { return !is_changed(parameters, name); });
    if (names.empty()) return;
    out.push_back(join_words(names) + (names.size() == 1 ? " has" : " have") + " no effect with " + beside);
  };
  const std::string variant = "variant = \"" + parameters.get<std::string>("variant") + "\"";
  if (settings.tags) {  // others are errors; this one is also in the configuration that a run writes
    note({"credit_threshold"}, variant);
    return out;
  }
  note({"tag_threshold", "tag_queue_threshold", "tag_resume"}, variant);
  if (settings.per_packet) {
    note({"credit_timer", "credit_bytes", "credit_frames", "delay_credit", "credit_threshold"}, variant);
  } else if (!settings.delays_credit) {
    note({"credit_threshold"}, "delay_credit = false");
  }
  if (settings.window > Bytes()) note({"window_factor"}, "window");
  if (settings.pipeline == Pipeline::port) note({"groups"}, "pipeline = \"port\"");
  if (!settings.recovers) note({"syn_timeout"}, "recovery = false");
  if (!settings.pauses_hosts) {
    note({"pause_threshold", "resume_threshold", "pause_timeout"}, "pause_destinations = false");
  }
  return out;
}

/// Where another switch differs, so that the two exchange no credits and pauses; empty: nowhere.
std::vector<std::string> differences(const Settings& a, const Settings& b) {
  std::vector<std::string> out;
  if (a.tags != b.tags) out.emplace_back("variant");
  if (a.priority != b.priority) out.emplace_back("priority");
  if (a.counts_bytes != b.counts_bytes) out.emplace_back("unit");
  if (!a.tags && !b.tags && a.recovers != b.recovers) out.emplace_back("recovery");
  if (a.hashed != b.hashed) out.emplace_back("table and table_entries");
  return out;
}

}  // namespace

// [FLOODGATE-IN-1]
std::vector<std::string> errors(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  if (!settings.tags && settings.pipeline == Pipeline::egress && settings.queues < settings.groups) {
    out.push_back("queues = " + std::to_string(settings.queues) + " is not enough for groups = " +
                  std::to_string(settings.groups) + "; expected a VOQ for each group, or groups = 1");
  }
  if (parameters.get<std::string>("table") == "hashed" && settings.hashed == 0) {
    out.emplace_back("table = \"hashed\" does not say how many hash values there are; expected table_entries above 0");
  }
  if (settings.pause_threshold > Bytes() && settings.resume_threshold > settings.pause_threshold) {
    out.emplace_back("resume_threshold is above pause_threshold; expected at most that");
  }
  if (settings.pause_threshold == Bytes() && settings.resume_threshold > Bytes()) {
    out.emplace_back("resume_threshold is set and pause_threshold is not; expected both, or pause_threshold only");
  }
  if (settings.tags) {
    for (const std::string_view name : kNotOfTags) {
      if (!is_changed(parameters, name)) continue;
      out.push_back(std::string(name) + " has no effect on PFC with tags (variant = \"tag\")");
    }
  }
  return out;
}

// [FLOODGATE-IN-2]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  std::vector<std::string> out = idle_options(parameters);
  const std::string priority = std::to_string(static_cast<int>(settings.priority));
  if (!around.hosts.offered.empty() && !around.hosts.offered.contains(settings.priority)) {
    std::vector<std::string> offered;
    for (const Priority other : around.hosts.offered) offered.push_back(std::to_string(static_cast<int>(other)));
    out.push_back("no data has its priority (" + priority + "), so it has no effect: the data has " +
                  join_words(offered) + "; expected priority = " + offered.back());
  }
  for (const SwitchView& other : around.switches) {
    const Parameters* of = parameters_of(scheme, other.flow_control);
    const std::vector<std::string> differing =
        of == nullptr ? std::vector<std::string>() : differences(settings, Settings(*of));
    if (differing.empty()) continue;
    out.push_back("switches differ in " + join_words(differing) +
                  ": they exchange no credits or pauses, and have no windows towards each other; expected the same "
                  "everywhere");
    break;
  }
  if (!settings.tags && !settings.recovers && around.network.damages) {
    out.emplace_back(
        "recovery = false, and links have an error_rate: each packet or credit that is lost reduces a window for the "
        "rest of the run; expected recovery = true");
  }
  return out;
}

}  // namespace weir::floodgate
