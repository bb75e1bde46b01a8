// SPDX-License-Identifier: Apache-2.0
#include "fabric/failure_states.h"

#include <utility>

#include "fabric/link_changes.h"

namespace weir {

std::vector<FailureState> failure_states(const NetworkSettings& network, Time stop) {
  std::vector<FailureState> states = {{Time(), Time::never(), {}}};
  LinkChanges changes(network);
  for (Time at = changes.next(); at < stop; at = changes.next()) {
    std::optional<std::vector<LinkId>> down = changes.advance(at, [](LinkId, bool) {});
    if (!down || *down == states.back().failed) continue;
    if (at == Time()) {
      states.back().failed = std::move(*down);
      continue;
    }
    states.back().until = at;
    states.push_back({at, Time::never(), std::move(*down)});
  }
  return states;
}

}  // namespace weir
