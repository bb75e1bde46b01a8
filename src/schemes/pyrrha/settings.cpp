// SPDX-License-Identifier: Apache-2.0
#include "schemes/pyrrha/settings.h"

#include <string>

namespace weir::pyrrha {

Settings::Settings(const Parameters& parameters)
    : priority(static_cast<Priority>(parameters.get<std::int64_t>("priority"))),
      pause_factor(parameters.get<double>("pause_factor")),
      resume_factor(parameters.get<double>("resume_factor")),
      queues(static_cast<std::size_t>(parameters.get<std::int64_t>("queues"))),
      roots(static_cast<std::size_t>(parameters.get<std::int64_t>("known_roots"))),
      flows(static_cast<std::size_t>(parameters.get<std::int64_t>("flows"))),
      merges(parameters.get<bool>("merging")),
      single_tier(parameters.get<std::int64_t>("tiers") == 1),
      last_hop_only(parameters.get<std::string>("roots") == "last_hop"),
      pauses_hosts(parameters.get<bool>("pause_hosts")),
      signals_output(parameters.get<std::string>("signal") == "output") {}

std::int64_t hop_product(BitRate egress, Duration ingress_delay) {
  return bytes_in(2 * ingress_delay, egress).count();
}

}  // namespace weir::pyrrha
