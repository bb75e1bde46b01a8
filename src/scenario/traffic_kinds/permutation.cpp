// SPDX-License-Identifier: Apache-2.0
// Kind "permutation".
#include "scenario/traffic_kinds/kinds.h"

#include <memory>

#include "traffic/closed_loop.h"
#include "traffic/flow_list.h"

namespace weir {

TrafficReading read_permutation(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  const auto hosts = context.names.hosts(reader, "hosts", "all", "hosts of the permutation");
  const auto size = read_size(reader, context);
  Duration jitter;
  reader.optional("jitter", jitter, "each flow starts after start by a random time, uniform in [0, jitter]");
  if (!hosts || !size || context.names.topology() == nullptr) return {};
  if (hosts->size() < 2) {
    reader.refuse("hosts: a permutation needs at least two hosts");
    return {};
  }
  const HostSet set(*hosts);
  const auto list = [flows, set, size = *size, jitter](std::uint64_t seed) {
    constexpr std::uint64_t kPairsPurpose = 0x70616972;
    const auto pairs = permutation_pairs(set, RandomStream(seed, 0, kPairsPurpose));
    return flows_on_pairs(pairs, size, flows, seed, jitter);
  };
  return {.make = [list](std::uint64_t seed) { return std::make_unique<FlowListSource>(list(seed)); }, .list = list};
}

}  // namespace weir
