// SPDX-License-Identifier: Apache-2.0
// Kind "train".
#include "scenario/traffic_kinds/kinds.h"

#include <memory>
#include <optional>
#include <utility>

#include "traffic/train.h"

namespace weir {

TrafficReading read_train(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  TrainSettings settings;
  settings.flows = flows;
  const auto pairs = read_pairs(reader, context);
  reader.required("size", settings.size, "payload per flow", above(Bytes()));
  std::optional<BitRate> rate;
  reader.optional("rate", rate, "payload rate per train; if omitted, the maximum of the source's link",
                  above(BitRate()));
  const auto limit = read_limit(reader, "flows_per_train", "flows per train");
  reader.optional("jitter", settings.jitter, "each train is delayed by a random time, uniform in [0, jitter]");
  if (!pairs || settings.size == Bytes() || context.names.topology() == nullptr) return {};
  if (!check_length(reader, context, settings.size)) return {};
  settings.flows_per_train = limit_or_none(limit);
  settings.pairs = (*pairs)(0);
  if (rate) {
    settings.rate = *rate;
  } else if (!settings.pairs.empty()) {
    const Topology& topology = *context.names.topology();
    const BitRate line = topology.link_at(topology.node_of(settings.pairs.front().source), PortId(0)).rate;
    for (const HostPair& pair : settings.pairs) {
      if (topology.link_at(topology.node_of(pair.source), PortId(0)).rate == line) continue;
      reader.refuse("has sources with links of different rates, expected the key rate");
      return {};
    }
    const std::int64_t wire =
        context.framing.data(static_cast<std::uint32_t>(context.payload)) + context.framing.wire_overhead;
    settings.rate = line * context.payload / wire;
  }
  const MakeTraffic checked = maker_of<TrainSource>(reader, context, settings);
  if (!checked) return {};
  return {.make =
              [settings, pairs = *pairs](std::uint64_t seed) {
                TrainSettings of_seed = settings;
                of_seed.pairs = pairs(seed);
                return std::make_unique<TrainSource>(std::move(of_seed), seed);
              },
          .endless = !limit,
          .size = always(FlowSize::fixed(settings.size))};
}

}  // namespace weir
