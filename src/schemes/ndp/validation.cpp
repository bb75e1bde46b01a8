// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/validation.h"

#include <algorithm>
#include <string>

#include "schemes/ndp/ndp.h"
#include "units/bit_rate.h"

namespace weir::ndp {
namespace {

bool has_flow_control(const std::vector<SchemeInUse>& flow_control) {
  return std::any_of(flow_control.begin(), flow_control.end(),
                     [](const SchemeInUse& one) { return one.scheme == &scheme; });
}

void warn_at_switch(const SwitchView& at, const HostView& hosts, std::vector<std::string>& out) {
  if (!has_flow_control(at.flow_control)) return;  // forwarding only
  for (const Priority priority : hosts.offered) {
    if (!at.lossless[priority]) continue;
    out.push_back("priority " + std::to_string(priority) +
                  " is lossless, but switches trim only lossy priorities; expected switch.lossless without it");
  }
  const Scheme* const forwarding = at.forwarding.scheme;
  if (forwarding != nullptr && !forwarding->traits.spreads_packets) {
    out.push_back(
        "\"" + std::string(forwarding->name) +
        "\" does not spread the packets of a flow evenly, so that some paths are overloaded and trim them; expected "
        "switch.forwarding = \"ndp\" or \"spray\"");
  }
}

void warn_at_hosts(const Parameters& parameters, const SchemeSurroundings& around, std::vector<std::string>& out) {
  const Bytes least = bytes_in(around.network.longest_round_trip, around.network.slowest_link());
  const auto window = parameters.get<Bytes>("initial_window");
  if (window < least) {
    out.push_back("initial_window is " + std::to_string(window.count()) +
                  " B, less than a bandwidth-delay product, so that a single flow cannot fill its link; expected at "
                  "least " +
                  std::to_string(least.count()) + " B");
  }
  if (parameters.get<Duration>("timeout") < around.network.longest_round_trip) {
    out.push_back(
        "timeout is less than a round trip, so that packets are sent again although nothing is lost; expected "
        "at least " +
        std::to_string(around.network.longest_round_trip.picoseconds() / 1'000'000 + 1) + " us");
  }
}

}  // namespace

std::vector<std::string> warnings(const Parameters& parameters, const SchemeSurroundings& around) {
  std::vector<std::string> out;
  if (around.at_switch) {
    warn_at_switch(*around.at_switch, around.hosts, out);
  } else {
    warn_at_hosts(parameters, around, out);
  }
  return out;
}

}  // namespace weir::ndp
