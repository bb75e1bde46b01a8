// SPDX-License-Identifier: Apache-2.0
#include "sim/time_limit.h"

#include <algorithm>
#include <cstdint>

#include "fabric/fabric.h"
#include "sim/agenda.h"
#include "traffic/source.h"

namespace weir {

Time event_limit(const Topology& topology) {
  std::size_t ports = 1;
  for (std::size_t node = 0; node < topology.nodes().size(); ++node) {
    ports = std::max(ports, topology.ports(NodeId(node)).size());
  }
  const auto limit_of = [](std::size_t nodes) {
    return NodeAgenda::limit_of(static_cast<std::uint32_t>(std::max<std::size_t>(1, nodes)));
  };
  return std::min(
      {limit_of(topology.switches()), limit_of(topology.hosts()), Agenda::limit_of(static_cast<std::uint32_t>(ports))});
}

Duration longest_reach(const Settings& settings) {
  const Bytes frame(maximum_frame_bytes(settings) + settings.network.framing.wire_overhead);
  Duration ahead;
  for (const Link& link : settings.network.topology.links()) {
    ahead = std::max(ahead, link.delay + time_to_send(frame, link.rate));
  }
  return saturating_add(Time() + ahead, settings.measurement.sample_interval).since_start();
}

Time run_limit(const Settings& settings) {
  const Time limit = event_limit(settings.network.topology);
  const Duration reach = longest_reach(settings);
  return reach < limit.since_start() ? limit - reach : Time();
}

Time latest_end(const RunSettings& run) {
  return run.drain ? saturating_add(run.stop, run.drain_limit) : run.stop;
}

}  // namespace weir
