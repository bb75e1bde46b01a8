// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/validation.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "schemes/pyrrha/pyrrha.h"
#include "schemes/pyrrha/settings.h"
#include "schemes/usual_warnings.h"

namespace weir::pyrrha {

// [PYRRHA-IN-1]
std::vector<std::string> errors(const Parameters& parameters) {
  std::vector<std::string> out;
  if (parameters.get<double>("resume_factor") > parameters.get<double>("pause_factor")) {
    out.emplace_back("resume_factor is above pause_factor");
  }
  return out;
}

namespace {

// [PYRRHA-IN-2]
std::string unpredictable_paths(const Settings& settings, const SwitchView& at) {
  const Scheme* const forwarding = at.forwarding.scheme;
  if (settings.last_hop_only || forwarding == nullptr || !forwarding->traits.spreads_packets) return {};
  return "\"" + std::string(forwarding->name) +
         "\" takes each packet along another path, which no switch upstream can predict. Pauses for ports to hosts "
         "hold packets as with roots = \"last_hop\"; those for other ports hold packets only where one path is left to "
         "the port, and let them pass further upstream, where buffers may overflow; expected roots = \"last_hop\"";
}

// [PYRRHA-IN-4]
std::string small_threshold(const Settings& settings, const SchemeSurroundings& around) {
  for (const SwitchLinks& links : around.links) {
    if (links.to != around.at_kind || parameters_of(scheme, around.switches[links.from].flow_control) == nullptr)
      continue;
    const std::int64_t product = hop_product(around.network.fastest_link(), links.delay);
    const double pause = settings.pause_factor * static_cast<double>(product);
    if (pause >= static_cast<double>(around.network.maximum_frame)) continue;
    std::string out = "K_pause is at most " + std::to_string(static_cast<std::int64_t>(pause)) +
                      " B at some links between switches, less than a frame of " +
                      std::to_string(around.network.maximum_frame) +
                      " B: a port that two frames meet is a root at once";
    if (product > 0) {
      const double factor = std::ceil(static_cast<double>(around.network.maximum_frame) / static_cast<double>(product));
      out += "; expected pause_factor = " + std::to_string(static_cast<std::int64_t>(factor)) + " or more";
    }
    return out;
  }
  return {};
}

// [PYRRHA-IN-5]
std::string lost_control_frames(const NetworkView& network) {
  if (!network.damages) return {};
  return "links have an error_rate, and control frames are not repeated: a queue whose RESUME is lost stays closed "
         "until its link changes, so flows may stop for good; expected links without errors";
}

}  // namespace

std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  const Settings settings(parameters);
  std::vector<std::string> out;
  const auto add = [&out](std::string text) {
    if (!text.empty()) out.push_back(std::move(text));
  };
  if (!around.at_switch) return out;
  warn_of_idle_priority(settings.priority, around.hosts, out);  // [PYRRHA-IN-3]
  add(unpredictable_paths(settings, *around.at_switch));
  add(small_threshold(settings, around));
  add(lost_control_frames(around.network));
  return out;
}

}  // namespace weir::pyrrha
