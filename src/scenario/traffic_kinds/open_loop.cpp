// SPDX-License-Identifier: Apache-2.0
// Kinds "poisson" and "open_loop".
#include "scenario/traffic_kinds/kinds.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "traffic/load.h"
#include "traffic/open_loop.h"

namespace weir {
namespace {

TrafficReading read_open_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows,
                              bool poisson) {
  OpenLoopSettings settings;
  settings.flows = flows;
  const auto sources = context.names.hosts(reader, "sources", "all", "sources");
  const auto destinations = context.names.hosts(reader, "destinations", "all", "destinations");
  const auto excluded = context.names.hosts(reader, "exclude", "", "hosts that neither send nor receive");
  const PairScope scope = read_scope(reader);
  std::optional<double> local_share;
  reader.optional("rack_local_share", local_share,
                  "fraction of the flows that stay in their rack; the others leave it; instead of scope",
                  between(0.0, 1.0));
  std::vector<TrafficBlock> blocks;
  bool blocks_good = true;
  for (Reader& block : reader.tables("block",
                                     "a group of sources and destinations, chosen in proportion to weight; instead of "
                                     "sources and destinations above")) {
    const auto from = context.names.hosts(block, "sources", "all", "sources");
    const auto to = context.names.hosts(block, "destinations", "all", "destinations");
    TrafficBlock read;
    read.scope = read_scope(block);
    block.optional("weight", read.weight, "share of the flows, relative to the other blocks", at_least(0.0));
    block.finish();
    blocks_good = blocks_good && from && to;
    if (from) read.sources = HostSet(*from);
    if (to) read.destinations = HostSet(*to);
    blocks.push_back(std::move(read));
  }
  const auto size = read_size(reader, context);
  if (!poisson) {
    settings.arrivals = read_arrivals(reader, "arrivals", ArrivalShape::Kind::exponential,
                                      "distribution of the intervals between flows");
  }
  reader.optional(
      "persistent_queue_pairs", settings.persistent_queue_pairs,
      "one queue pair per pair of hosts, which sends its flows one after the other; if false, one queue pair per flow");
  if (!sources || !destinations || !excluded || !blocks_good) {
    read_offered(reader, context, std::nullopt, std::nullopt, LoadOf::sources);
    return {};
  }
  if (blocks.empty()) {
    const HostSet without(*excluded);
    blocks.push_back({HostSet(*sources).without(without), HostSet(*destinations).without(without), scope, 1.0});
  } else if (reader.has("sources") || reader.has("destinations") || reader.has("exclude") || reader.has("scope")) {
    reader.refuse("has blocks, expected sources, destinations, exclude and scope inside the blocks");
  }
  if (local_share) {
    if (reader.has("block") || reader.has("scope")) {
      reader.refuse("has rack_local_share, expected neither scope nor blocks with it");
    }
    const TrafficBlock whole = blocks.front();
    blocks = {{whole.sources, whole.destinations, PairScope::intra_rack, *local_share},
              {whole.sources, whole.destinations, PairScope::inter_rack, 1 - *local_share}};
  }
  std::vector<HostId> senders;
  std::vector<HostId> receivers;
  for (const TrafficBlock& block : blocks) {
    senders.insert(senders.end(), block.sources.begin(), block.sources.end());
    receivers.insert(receivers.end(), block.destinations.begin(), block.destinations.end());
  }
  const auto offered = read_offered(reader, context, HostSet(std::move(senders)).hosts(),
                                    HostSet(std::move(receivers)).hosts(), LoadOf::sources);
  if (!size || !offered || context.names.topology() == nullptr) return {};
  for (const std::string& problem : TrafficMatrix::problems(blocks, context.racks)) {
    reader.refuse(problem);
    return {};
  }
  settings.matrix = TrafficMatrix(blocks, context.racks);
  settings.size = *size;
  settings.offered = *offered;
  return {
      .make = maker_of<OpenLoopSource>(reader, context, std::move(settings)), .endless = true, .size = always(*size)};
}

}  // namespace

TrafficReading read_poisson(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  return read_open_loop(reader, context, flows, true);
}

TrafficReading read_any_open_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  return read_open_loop(reader, context, flows, false);
}

}  // namespace weir
