// SPDX-License-Identifier: Apache-2.0
#include "schemes/floodgate/validation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

#include "schemes/floodgate/floodgate.h"
#include "schemes/floodgate/settings.h"
#include "schemes/usual_warnings.h"
#include "units/words.h"

namespace weir::floodgate {
namespace {

/// Without effect on PFC with tags, which has no windows, credits and PSNs, no groups of VOQs, limits of its own, and
/// no signal of its own to congestion points.
constexpr auto kNotOfTags = std::to_array<std::string_view>(
    {"unit", "window_factor", "window", "window_of", "credit_timer", "credit_bytes", "credit_frames", "credit_earned",
     "delay_credit", "groups", "pipeline", "recovery", "syn_timeout", "pause_threshold", "resume_threshold", "signal"});

/// At most six digits after the point.
std::string number_text(double number) {
  std::string text = std::to_string(number);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
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
      if (!is_changed(scheme, parameters, name)) continue;
      out.push_back(std::string(name) + " has no effect on PFC with tags (variant = \"tag\")");
    }
  }
  return out;
}

// [FLOODGATE-IN-3]
std::vector<IdleParameter> idle(const Parameters& parameters) {
  const Settings settings(parameters);
  std::vector<IdleParameter> out;
  const auto note = [&](std::initializer_list<std::string_view> names, const std::string& beside) {
    for (const std::string_view name : names) out.push_back({name, beside});
  };
  const std::string variant = "variant = \"" + parameters.get<std::string>("variant") + "\"";
  if (settings.tags) {
    for (const std::string_view name : kNotOfTags) out.push_back({name, variant});
    note({"credit_threshold"}, variant);  // no error: older runs wrote it into their configurations
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

namespace {

/// Whether switches at both ends of these links run Floodgate and exchange credits or pauses. [FLOODGATE-C-7]
bool are_windowed(const SchemeSurroundings& around, const SwitchLinks& links) {
  const Parameters* from = parameters_of(scheme, around.switches[links.from].flow_control);
  const Parameters* to = parameters_of(scheme, around.switches[links.to].flow_control);
  return from != nullptr && to != nullptr && Settings(*from).announced() == Settings(*to).announced();
}

/// Why it does nothing; empty: it does something.
std::string uselessness(const Settings& settings, const SchemeSurroundings& around) {
  if (settings.tags && settings.pauses_hosts) return {};  // also where all hosts are at one switch
  const auto windowed = [&](const SwitchLinks& links) { return are_windowed(around, links); };
  if (std::any_of(around.links.begin(), around.links.end(), windowed)) return {};
  return std::string("it has no effect: no link joins two switches that exchange its ") +
         (settings.tags ? "pauses" : "credits") + "; expected it in neighbouring switches, such as those of two tiers";
}

/// What is wrong with the protection against losses at this switch; empty: nothing.
std::string lack_of_pfc(const Settings& settings, const SwitchView& at) {
  const bool pauses = std::any_of(at.flow_control.begin(), at.flow_control.end(),
                                  [](const SchemeInUse& use) { return use.scheme->traits.pfc; });
  const bool lossless = at.lossless[settings.priority];
  if (pauses && lossless) return {};
  const std::string priority = std::to_string(static_cast<int>(settings.priority));
  std::string out = !pauses ? "switches that run it have no PFC beneath it"
                            : "its priority (" + priority + ") is lossy in switches that run it, so PFC does not act";
  out += ": if a buffer is full, frames are dropped";
  if (!settings.tags && !settings.recovers) {
    out += ", and because recovery = false, each one reduces a window for the rest of the run";
  }
  out += "; expected ";
  if (!pauses) out += std::string("PFC beside it in switch.flow_control") + (lossless ? "" : " and ");
  if (!lossless) out += priority + " in switch.lossless";
  return out;
}

/// Which windows are too small to fill a link; empty: none.
std::string small_windows(const Settings& settings, const SchemeSurroundings& around) {
  std::int64_t product = 0;
  for (const SwitchLinks& links : around.links) {
    if (links.from != around.at_kind || !are_windowed(around, links)) continue;
    const std::int64_t needed = hop_product(links.rate, links.delay);
    if (window_bytes(settings, links.rate, links.delay) < needed) product = std::max(product, needed);
  }
  if (product == 0) return {};
  const std::string expected = "a link between switches, so packets of one destination cannot fill it; expected ";
  if (settings.window > Bytes()) {
    return "window = " + std::to_string(settings.window.count()) + " B is below BDP_nextHop (" +
           std::to_string(product) + " B) of " + expected + "at least that";
  }
  return "window_factor gives a window below BDP_nextHop (" + std::to_string(product) + " B) of " + expected +
         "at least 1";
}

}  // namespace

// [FLOODGATE-IN-2]
std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  const auto add = [&out](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  const bool has_data = !warn_of_idle_priority(settings.priority, around.hosts, out);
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
  add(uselessness(settings, around));
  if (around.at_switch && has_data) add(lack_of_pfc(settings, *around.at_switch));
  if (around.at_switch && !settings.tags) add(small_windows(settings, around));
  if (!settings.tags && !settings.recovers && around.network.damages) {
    out.emplace_back(
        "recovery = false, and links have an error_rate: each packet or credit that is lost reduces a window for the "
        "rest of the run; expected recovery = true");
  }
  return out;
}

// [FLOODGATE-IN-4]
std::vector<DerivedValue> derived(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  std::vector<DerivedValue> out;
  if (settings.tags || !around.at_switch) return out;
  const std::int64_t packet = around.network.maximum_frame + around.network.framing.wire_overhead;
  const auto bytes = [](std::int64_t count) { return std::to_string(count) + " B"; };
  const std::string name = std::string("window per ") + (settings.hashed > 0 ? "entry of the table" : "destination") +
                           (settings.window_of_port ? " and egress port" : "");
  std::set<std::pair<BitRate, Duration>> known;
  for (const SwitchLinks& links : around.links) {
    if (links.from != around.at_kind || !are_windowed(around, links)) continue;
    if (!known.emplace(links.rate, links.delay).second) continue;
    const std::int64_t window = window_of(settings, links.rate, links.delay, packet);
    std::string text = settings.counts_bytes ? bytes(window)
                                             : counted(static_cast<std::size_t>(window), "packet") + " (" +
                                                   bytes(window * packet) + " with preamble and gap)";
    if (settings.window > Bytes()) {
      text += ", from window = " + bytes(settings.window.count());
    } else {
      const std::int64_t product = hop_product(links.rate, links.delay);
      const std::int64_t timed = window_bytes(settings, links.rate, links.delay);
      const auto scaled = static_cast<std::int64_t>(settings.window_factor * static_cast<double>(product));
      text += ", from " + (settings.window_factor == 1 ? "" : number_text(settings.window_factor) + " x ") +
              "BDP_nextHop of " + bytes(product);
      if (!settings.per_packet) text += " + C_out x T of " + bytes(timed - scaled);
    }
    out.push_back({name, std::move(text), links.rate, links.delay});
  }
  return out;
}

}  // namespace weir::floodgate
