// SPDX-License-Identifier: Apache-2.0
#include "fabric/link_changes.h"

#include <algorithm>
#include <utility>

namespace weir {

LinkChanges::LinkChanges(const NetworkSettings& network)
    : under_way_(network.topology.links().size()), known_(network.topology.links().size()) {
  for (const LinkFailure& failure : network.failures) {
    for (const auto& [at, up] : {std::pair(failure.down, false), std::pair(failure.up, true)}) {
      if (at == Time::never()) continue;
      changes_.push_back({at, failure.link, up, false});
      const Time known_at = at == Time() ? at : saturating_add(at, network.failure_detection);
      if (known_at != Time::never()) changes_.push_back({known_at, failure.link, up, true});
    }
  }
  std::stable_sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) { return a.at < b.at; });
}

std::vector<LinkId> LinkChanges::known_down() const {
  std::vector<LinkId> out;
  for (std::size_t link = 0; link < known_.size(); ++link) {
    if (known_[link] > 0) out.push_back(LinkId(link));
  }
  return out;
}

}  // namespace weir
