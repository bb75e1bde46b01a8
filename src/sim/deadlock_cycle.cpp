// SPDX-License-Identifier: Apache-2.0
#include "sim/deadlock_cycle.h"

#include <utility>

namespace weir {

DeadlockCycle deadlock_cycle(const Fabric& fabric, std::string_view held, std::vector<FoundPort> ports) {
  const auto name = [&fabric](const FoundPort& port) {
    const ChannelSpec& channel = fabric.channels()[port.link];
    return fabric.topology().node(channel.from).name + " -> " + fabric.topology().node(channel.to).name;
  };
  DeadlockCycle out;
  out.finding.kind = FindingKind::deadlock;
  out.finding.text = std::string(held) + " are blocked forever";
  out.failure = "deadlock: " + out.finding.text + "; ";
  for (const FoundPort& port : ports) out.failure += name(port) + " (" + port.what + ") waits for ";
  out.failure += name(ports.front());
  out.finding.ports = std::move(ports);
  return out;
}

}  // namespace weir
