#include "fabric/failure_states.h"

#include <map>
#include <utility>

namespace weir {

std::vector<FailureState> failure_states(const NetworkSettings& network, Time stop) {
  std::map<Time, std::map<LinkId, int>> changes = {{Time(), {}}};
  for (const LinkFailure& failure : network.failures) {
    const bool from_start = failure.down == Time();
    ++changes[from_start ? Time() : saturating_add(failure.down, network.failure_detection)][failure.link];
    if (failure.up != Time::never()) --changes[saturating_add(failure.up, network.failure_detection)][failure.link];
  }
  std::vector<FailureState> states;
  std::map<LinkId, int> down;
  for (const auto& [at, by_link] : changes) {
    if (at >= stop) break;
    for (const auto& [link, change] : by_link) down[link] += change;
    std::vector<LinkId> failed;
    for (const auto& [link, failures] : down) {
      if (failures > 0) failed.push_back(link);
    }
    if (!states.empty() && states.back().failed == failed) continue;
    if (!states.empty()) states.back().until = at;
    states.push_back({at, Time::never(), std::move(failed)});
  }
  return states;
}

}  // namespace weir
