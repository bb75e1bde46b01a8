// SPDX-License-Identifier: Apache-2.0
#include "scenario/switch_schemes.h"

#include <algorithm>

#include "policy/scheme.h"

namespace weir {

std::vector<const Scheme*> schemes_of_real_switches() {
  std::vector<const Scheme*> out;
  for (const Scheme* scheme : all_schemes()) {
    const bool at_switch = scheme->flow_control != nullptr || scheme->buffer != nullptr ||
                           scheme->forwarding != nullptr || scheme->congestion_point != nullptr;
    if (at_switch && !scheme->traits.ideal) out.push_back(scheme);
  }
  return out;
}

Settings with_scheme_in_switches(Settings settings, const PolicyChoice& choice) {
  const Scheme& scheme = *choice.scheme;
  std::vector<PolicyChoice>& flow_control = settings.switches.flow_control;
  if (scheme.flow_control != nullptr) {
    const auto present = std::find_if(flow_control.begin(), flow_control.end(),
                                      [&](const PolicyChoice& one) { return one.scheme == &scheme; });
    if (present != flow_control.end()) {
      *present = choice;
    } else {
      flow_control.insert(flow_control.begin(), choice);
    }
  }
  if (scheme.buffer != nullptr) settings.switches.buffer_policy = choice;
  if (scheme.forwarding != nullptr) settings.switches.forwarding = choice;
  if (scheme.congestion_point != nullptr) settings.switches.congestion_point = {choice};
  if (scheme.transport != nullptr) {
    settings.hosts.transport = choice;
    settings.hosts.congestion_control = {};
    settings.hosts.loss_recovery = {};
  }
  return settings;
}

}  // namespace weir
