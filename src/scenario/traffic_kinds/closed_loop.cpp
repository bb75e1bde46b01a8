// SPDX-License-Identifier: Apache-2.0
// Kind "closed_loop".
#include "scenario/traffic_kinds/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "traffic/closed_loop.h"

namespace weir {

TrafficReading read_closed_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  ClosedLoopSettings settings;
  settings.flows = flows;
  const auto pairs = read_pairs(reader, context);
  const auto size = read_size(reader, context);
  reader.optional("outstanding", settings.outstanding, "messages in flight per pair",
                  Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("persistent_queue_pairs", settings.persistent_queue_pairs,
                  "one queue pair per pair of hosts; if false, one per message");
  Duration think;
  reader.optional("think_time", think, "mean time from a completion to the next start");
  settings.think = read_arrivals(reader, "think", ArrivalShape::Kind::constant, "distribution of think times");
  settings.mean_think_picoseconds = static_cast<double>(think.picoseconds());
  const auto limit = read_limit(reader, "messages_per_pair", "maximum number of messages per pair");
  reader.optional("jitter", settings.jitter,
                  "the first message of each pair starts after start by a random time, uniform in [0, jitter]");
  if (!pairs || !size || context.names.topology() == nullptr) return {};
  settings.messages_per_pair = limit_or_none(limit);
  settings.size = *size;
  settings.pairs = (*pairs)(0);
  if (settings.outstanding > kMostPairs / std::max<std::size_t>(1, settings.pairs.size())) {
    const std::string wrong = fmt::format("{} messages for each of {} pairs, expected at most {} in total",
                                          settings.outstanding, settings.pairs.size(), kMostPairs);
    const Value::Member* member = reader.value()->find("outstanding");
    member != nullptr ? reader.refuse(*member, "is " + wrong) : reader.refuse(wrong);
    return {};
  }
  const MakeTraffic checked = maker_of<ClosedLoopSource>(reader, context, settings);
  if (!checked) return {};
  return {.make =
              [settings, pairs = *pairs](std::uint64_t seed) {
                ClosedLoopSettings of_seed = settings;
                of_seed.pairs = pairs(seed);
                return std::make_unique<ClosedLoopSource>(std::move(of_seed), seed);
              },
          .endless = !limit,
          .size = always(*size)};
}

}  // namespace weir
