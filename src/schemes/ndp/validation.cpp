// SPDX-License-Identifier: Apache-2.0
#include "schemes/ndp/validation.h"

#include <algorithm>
#include <string>

#include "schemes/ndp/ndp.h"
#include "schemes/usual_warnings.h"

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
}

void warn_at_hosts(const Parameters& parameters, const SchemeSurroundings& around, std::vector<std::string>& out) {
  warn_of_small_window("initial_window", parameters.get<Bytes>("initial_window"), around.network, "a single flow", out);
  warn_of_short_timeout("timeout", parameters.get<Duration>("timeout"), around.network,
                        "packets are sent again although nothing is lost", out);
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
