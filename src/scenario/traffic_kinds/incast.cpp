// SPDX-License-Identifier: Apache-2.0
// Kind "incast".
#include "scenario/traffic_kinds/kinds.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "traffic/incast.h"
#include "traffic/load.h"

namespace weir {
namespace {

/// Whether every possible destination of an event has at least as many sources as the event has flows. If not, the
/// degree is refused.
bool check_degree(Reader& reader, const TrafficContext& context, const IncastSettings& settings) {
  const Topology* topology = context.names.topology();
  if (topology == nullptr || settings.with_replacement) return true;
  if (settings.destination_choice == DestinationChoice::random_by_flow) return true;
  const HostsByRack sources(settings.sources, settings.racks);
  for (const HostId destination : settings.destinations) {
    const std::size_t eligible = sources.choice(destination, settings.scope).size();
    if (eligible == 0 || eligible >= settings.degree) continue;
    reader.refuse(
        *reader.value()->find("degree"),
        fmt::format("is {}, but only {} sources may send to \"{}\", expected at most {}, or with_replacement = "
                    "true",
                    settings.degree, eligible, topology->node(topology->node_of(destination)).name, eligible));
    return false;
  }
  return true;
}

}  // namespace

TrafficReading read_incast(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  static constexpr Named<DestinationChoice> kChoices[] = {{"rotating", DestinationChoice::rotating},
                                                          {"random_by_event", DestinationChoice::random_by_event},
                                                          {"random_by_flow", DestinationChoice::random_by_flow}};
  IncastSettings settings;
  settings.flows = flows;
  settings.racks = context.racks;
  const auto sources = context.names.hosts(reader, "sources", "all", "sources");
  reader.required("degree", settings.degree, "flows per event", Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("with_replacement", settings.with_replacement,
                  "whether a source may have several flows in one event");
  std::optional<std::vector<HostId>> destinations;
  if (reader.has("destinations") || reader.describing()) {
    destinations = context.names.hosts(reader, "destinations", "", "destinations");
    reader.require();
  } else {
    reader.ignore("destinations");
    reader.refuse(fmt::format("destinations is missing, expected {}", NodeNames::kHostForms));
  }
  reader.choice<DestinationChoice>(
      "destination_choice", settings.destination_choice, kChoices,
      "choice of the destination: in turn per event (rotating), at random per event, or at random per flow");
  settings.scope = read_scope(reader);
  const auto size = read_size(reader, context);
  reader.optional("one_size_an_event", settings.one_size_an_event, "draw one size for all flows of an event");
  settings.events =
      read_arrivals(reader, "events", ArrivalShape::Kind::constant, "distribution of the intervals between events");
  std::optional<Duration> interval;
  reader.optional("interval", interval, "mean interval between events; alternatively give rate or load",
                  above(Duration()));
  const auto limit = read_limit(reader, "event_limit", "maximum number of events");
  reader.optional("jitter", settings.jitter,
                  "each flow starts after its event by a random time, uniform in [0, jitter]");
  const bool by_rate = reader.has("rate") || reader.has("load") || reader.describing();
  std::optional<BitRate> offered;
  if (by_rate) {
    offered = read_offered(reader, context, sources, destinations, LoadOf::destinations);
  } else {
    for (const char* key : {"rate", "load", "load_of", "core_share"}) reader.ignore(key);
  }
  if (by_rate && reader.has("interval")) reader.refuse("has both interval and rate or load, expected only one of them");
  if (!by_rate && !interval && limit != 1) {
    // An invalid one has been refused already.
    if (!reader.has("interval")) reader.refuse("has no interval, expected interval, rate, load, or event_limit = 1");
    return {};
  }
  if (!sources || !destinations || !size || (by_rate && !offered) || settings.degree == 0) return {};
  settings.sources = HostSet(*sources);
  settings.destinations = *destinations;
  settings.size = *size;
  settings.event_limit = limit_or_none(limit);
  if (interval) settings.mean_interval_picoseconds = static_cast<double>(interval->picoseconds());
  if (offered) settings.mean_interval_picoseconds = mean_interval(settings.degree * size->mean(), *offered);
  if (!check_degree(reader, context, settings)) return {};
  return {.make = maker_of<IncastSource>(reader, context, std::move(settings)),
          .endless = !limit,
          .incast_destinations = *destinations,
          .size = always(*size)};
}

}  // namespace weir
