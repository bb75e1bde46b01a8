// SPDX-License-Identifier: Apache-2.0
#include "scenario/traffic_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "config/quantity.h"
#include "scenario/section_meanings.h"
#include "scenario/traffic_kinds/kinds.h"
#include "units/random.h"

namespace weir {
namespace {

using ReadTraffic = TrafficReading (*)(Reader&, const TrafficContext&, const SourceSettings&);

struct NamedKind {
  TrafficKind kind;
  ReadTraffic read;
  FlowLabel label;
};

constexpr std::array kTrafficKinds = {
    NamedKind{{"poisson", "open-loop flows with Poisson arrivals"}, read_poisson, FlowLabel::plain},
    NamedKind{{"open_loop", "open-loop flows with constant, exponential or lognormal intervals"},
              read_any_open_loop,
              FlowLabel::plain},
    NamedKind{{"incast", "events in which many sources send to one destination"}, read_incast, FlowLabel::incast},
    NamedKind{{"train", "back-to-back flows, each on a new queue pair"}, read_train, FlowLabel::burst},
    NamedKind{{"closed_loop", "closed-loop messages: a pair starts the next one when one has completed"},
              read_closed_loop,
              FlowLabel::plain},
    NamedKind{{"all_to_all", "steps in which every host of a group sends to every other host of the group"},
              read_all_to_all,
              FlowLabel::collective},
    NamedKind{{"permutation", "each host sends to one other host and receives from one other host"},
              read_permutation,
              FlowLabel::plain},
    NamedKind{{"flows", "flows listed one by one"}, read_flows, FlowLabel::plain},
    NamedKind{{"file", "a flow file of a public simulator"}, read_file, FlowLabel::plain},
};

/// The keys common to all kinds.
SourceSettings read_common(Reader& reader, FlowLabel label, FlowLabels& labels, TrafficEntry& entry) {
  enum class Overload : std::uint8_t { refused, intended };
  static constexpr Named<Overload> kOverloads[] = {{"refused", Overload::refused}, {"intended", Overload::intended}};
  SourceSettings settings;
  std::optional<std::string> name;
  reader.optional("name", name, "name of the traffic in variants and tables");
  reader.optional("enabled", entry.enabled, "whether this traffic is offered; variants can set it to false");
  std::string label_name = labels.name(label);
  reader.optional("label", label_name, "label of the flows in the results");
  settings.label = labels.label(label_name);
  reader.optional("priority", settings.priority, "priority of the data",
                  Range<Priority>{Priority{0}, Priority{7}, false});
  reader.optional("rate_limit", settings.rate_limit, "maximum rate per flow; 0: no limit");
  reader.optional("start", settings.start, "no flow starts before this time");
  std::optional<Time> stop;
  std::optional<Time> end_flows;
  std::optional<std::int64_t> limit;
  reader.optional("stop", stop, "no flow starts at or after this time");
  reader.optional("end_flows", end_flows, "time at which the senders of unfinished flows stop");
  reader.optional("flow_limit", limit, "maximum number of flows", at_least<std::int64_t>(1));
  if (stop && *stop <= settings.start) reader.refuse("stop is not after start");
  settings.stop = stop.value_or(Time::never());
  settings.end_flows = end_flows.value_or(Time::never());
  settings.flow_limit = limit_or_none(limit);
  Overload overload = Overload::refused;
  reader.choice<Overload>("overload", overload, kOverloads,
                          "\"refused\": offering a link more than its capacity is an error; \"intended\": it is "
                          "allowed for the links that this traffic uses");
  entry.name = name.value_or(reader.path());
  entry.overload_intended = overload == Overload::intended;
  entry.priority = settings.priority;
  entry.start = settings.start;
  entry.stop = settings.no_start_from();
  return settings;
}

/// Flows that would start after the run has stopped never start. A source of only such flows is an error; a list that
/// continues beyond the run causes a remark.
void check_starts(Reader& reader, const TrafficContext& context, const TrafficEntry& entry) {
  if (!entry.make || context.run_stop == Time::never()) return;
  std::size_t flows = 1;
  std::size_t late = entry.start >= context.run_stop ? 1 : 0;
  if (entry.list) {
    const std::vector<FlowSpec> list = entry.list(0);
    flows = list.size();
    late = static_cast<std::size_t>(
        std::count_if(list.begin(), list.end(), [&](const FlowSpec& flow) { return flow.start >= context.run_stop; }));
  }
  if (late == 0) return;
  const std::string stop = to_text(context.run_stop.since_start());
  if (late == flows) {
    reader.refuse(fmt::format("no flow starts before the run's stop at {}, expected an earlier start", stop));
  } else {
    context.notes.push_back(fmt::format("{}: {} of {} flows start at or after the run's stop at {} and are ignored",
                                        entry.name, late, flows, stop));
  }
}

/// Results and errors refer to traffic by its name.
void check_name(Reader& reader, const TrafficEntry& entry, const std::vector<TrafficEntry>& others) {
  const bool taken =
      std::any_of(others.begin(), others.end(), [&](const TrafficEntry& other) { return other.name == entry.name; });
  if (!taken || !reader.has("name")) return;
  reader.refuse(*reader.value()->find("name"),
                fmt::format("other traffic is also named {}, expected a unique name", in_quotes(entry.name)));
}

}  // namespace

std::vector<TrafficKind> traffic_kinds() {
  std::vector<TrafficKind> out;
  for (const NamedKind& kind : kTrafficKinds) out.push_back(kind.kind);
  return out;
}

void describe_traffic(Reader& reader) {
  FlowLabels labels;
  TrafficEntry entry;
  const NamedKind* kind = nullptr;
  std::vector<Named<const NamedKind*>> names;
  for (const NamedKind& candidate : kTrafficKinds) names.push_back({candidate.kind.name, &candidate});
  reader.required_choice<const NamedKind*>("kind", kind, names, "kind of traffic");
  read_common(reader, FlowLabel::plain, labels, entry);
}

void describe_traffic_kind(std::string_view kind, Reader& reader, const TrafficContext& context) {
  for (const NamedKind& candidate : kTrafficKinds) {
    if (candidate.kind.name == kind) candidate.read(reader, context, {});
  }
}

std::vector<TrafficEntry> read_traffic_section(Reader& root, const TrafficContext& context, FlowLabels& labels) {
  std::vector<Named<const NamedKind*>> names;
  for (const NamedKind& kind : kTrafficKinds) names.push_back({kind.kind.name, &kind});
  std::vector<TrafficEntry> out;
  std::uint64_t number = 0;  // sources of one run have different seeds, which do not depend on omitted sources
  for (Reader& reader : root.tables("traffic", kTrafficMeaning)) {
    ++number;
    TrafficEntry entry;
    const NamedKind* kind = nullptr;
    // The keys of an unknown kind have no meaning and are not checked.
    if (!reader.required_choice<const NamedKind*>("kind", kind, names, "kind of traffic")) continue;
    const SourceSettings settings = read_common(reader, kind->label, labels, entry);
    check_rate_limit(reader, context, settings.rate_limit);
    TrafficReading read = kind->read(reader, context, settings);
    reader.finish();
    check_name(reader, entry, out);
    entry.kind = kind->kind.name;
    entry.incast_destinations = std::move(read.incast_destinations);
    entry.size = std::move(read.size);
    entry.load_window = read.load_window;
    entry.endless = read.endless && settings.stop == Time::never() &&
                    settings.flow_limit == std::numeric_limits<std::uint64_t>::max();
    if (read.make) {
      entry.make = [make = std::move(read.make), number](std::uint64_t of_run) { return make(mix(of_run, number)); };
      if (read.list) {
        entry.list = [list = std::move(read.list), number](std::uint64_t of_run) { return list(mix(of_run, number)); };
      }
    }
    if (!entry.enabled) continue;
    check_starts(reader, context, entry);
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace weir
