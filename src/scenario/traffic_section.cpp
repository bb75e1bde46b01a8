#include "scenario/traffic_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <optional>
#include <utility>

#include "config/quantity.h"
#include "scenario/named_file.h"
#include "scenario/section_meanings.h"
#include "traffic/all_to_all.h"
#include "traffic/closed_loop.h"
#include "traffic/flow_file.h"
#include "traffic/flow_list.h"
#include "traffic/incast.h"
#include "traffic/load.h"
#include "traffic/open_loop.h"
#include "traffic/train.h"
#include "units/random.h"

namespace weir {
namespace {

using Make = std::function<std::unique_ptr<TrafficSource>(std::uint64_t)>;

/// What the reading of one kind gives: how to make the source, nothing when its keys were wrong.
struct Kind {
  Make make;
  bool endless = false;  ///< but for the limits that all kinds have
  std::vector<HostId> incast_destinations = {};
  std::function<FlowSize(double)> size = {};                      ///< see TrafficEntry
  std::function<std::vector<FlowSpec>(std::uint64_t)> list = {};  ///< see TrafficEntry
  Duration load_window = {};
};

using ReadKind = Kind (*)(Reader&, const TrafficContext&, const SourceSettings&);

/// Refuses the problems of settings; gives the maker when there are none.
template <class Source, class Settings>
Make maker_of(Reader& reader, const TrafficContext& context, Settings settings) {
  if (context.names.topology() == nullptr) return {};
  const std::vector<std::string> found = problems(settings);
  for (const std::string& problem : found) reader.refuse(problem);
  if (!found.empty()) return {};
  return [settings = std::move(settings)](std::uint64_t seed) { return std::make_unique<Source>(settings, seed); };
}

/// Flows that are all of this size.
std::function<FlowSize(double)> always(const FlowSize& size) {
  return [size](double) { return size; };
}

std::optional<std::int64_t> read_limit(Reader& reader, std::string_view key, std::string_view meaning) {
  std::optional<std::int64_t> limit;
  reader.optional(key, limit, meaning, at_least<std::int64_t>(1));
  return limit;
}

/// The limit as settings have it: without one, the largest number.
std::uint64_t limit_or_none(const std::optional<std::int64_t>& limit) {
  return limit ? static_cast<std::uint64_t>(*limit) : std::numeric_limits<std::uint64_t>::max();
}

Kind read_open_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows, bool poisson) {
  OpenLoopSettings settings;
  settings.flows = flows;
  const auto sources = context.names.hosts(reader, "sources", "all", "who sends");
  const auto destinations = context.names.hosts(reader, "destinations", "all", "who receives");
  const auto excluded = context.names.hosts(reader, "exclude", "", "who neither sends nor receives");
  const PairScope scope = read_scope(reader);
  std::optional<double> local_share;
  reader.optional("rack_local_share", local_share,
                  "the part of the flows that stays in its rack, the rest leaves it; instead of scope",
                  between(0.0, 1.0));
  std::vector<TrafficBlock> blocks;
  bool blocks_good = true;
  for (Reader& block :
       reader.tables("block", "hosts that send to hosts, in proportion to weight; instead of sources")) {
    const auto from = context.names.hosts(block, "sources", "all", "who sends");
    const auto to = context.names.hosts(block, "destinations", "all", "who receives");
    TrafficBlock read;
    read.scope = read_scope(block);
    block.optional("weight", read.weight, "of the flows, relative to the other blocks", at_least(0.0));
    block.finish();
    blocks_good = blocks_good && from && to;
    if (from) read.sources = HostSet(*from);
    if (to) read.destinations = HostSet(*to);
    blocks.push_back(std::move(read));
  }
  const auto size = read_size(reader, context);
  if (!poisson) {
    settings.arrivals = read_arrivals(reader, "arrivals", ArrivalShape::Kind::exponential,
                                      "the distribution of the intervals between flows");
  }
  reader.optional("persistent_queue_pairs", settings.persistent_queue_pairs,
                  "one queue pair a pair of hosts, whose flows wait for each other; else one a flow");
  if (!sources || !destinations || !excluded || !blocks_good) {
    read_offered(reader, context, std::nullopt, std::nullopt, LoadOf::sources);
    return {};
  }
  if (blocks.empty()) {
    const HostSet without(*excluded);
    blocks.push_back({HostSet(*sources).without(without), HostSet(*destinations).without(without), scope, 1.0});
  } else if (reader.has("sources") || reader.has("destinations") || reader.has("exclude") || reader.has("scope")) {
    reader.refuse("has blocks, so sources, destinations, exclude and scope belong into them");
  }
  if (local_share) {
    if (reader.has("block") || reader.has("scope")) {
      reader.refuse("has rack_local_share, expected neither scope nor blocks beside it");
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

Kind read_poisson(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  return read_open_loop(reader, context, flows, true);
}

Kind read_any_open_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  return read_open_loop(reader, context, flows, false);
}

/// Whether every destination that an event may have has as many sources as the event has flows. If not, the degree is
/// refused.
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

Kind read_incast(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  static constexpr Named<DestinationChoice> kChoices[] = {{"rotating", DestinationChoice::rotating},
                                                          {"random_by_event", DestinationChoice::random_by_event},
                                                          {"random_by_flow", DestinationChoice::random_by_flow}};
  IncastSettings settings;
  settings.flows = flows;
  settings.racks = context.racks;
  const auto sources = context.names.hosts(reader, "sources", "all", "who sends");
  reader.required("degree", settings.degree, "flows an event", Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("with_replacement", settings.with_replacement, "a source may have several flows of an event");
  std::optional<std::vector<HostId>> destinations;
  if (reader.has("destinations") || reader.describing()) {
    destinations = context.names.hosts(reader, "destinations", "", "who receives");
    reader.require();
  } else {
    reader.ignore("destinations");
    reader.refuse(fmt::format("destinations is missing, expected {}", NodeNames::kHostForms));
  }
  reader.choice<DestinationChoice>("destination_choice", settings.destination_choice, kChoices,
                                   "how the destination of an event is chosen");
  settings.scope = read_scope(reader);
  const auto size = read_size(reader, context);
  reader.optional("one_size_an_event", settings.one_size_an_event, "one draw for all flows of an event");
  settings.events =
      read_arrivals(reader, "events", ArrivalShape::Kind::constant, "the distribution of the intervals between events");
  std::optional<Duration> interval;
  reader.optional("interval", interval, "mean time between events; or give rate or load", above(Duration()));
  const auto limit = read_limit(reader, "event_limit", "events in all");
  reader.optional("jitter", settings.jitter, "each flow starts a uniform time in [0, jitter] after its event");
  const bool by_rate = reader.has("rate") || reader.has("load") || reader.describing();
  std::optional<BitRate> offered;
  if (by_rate) {
    offered = read_offered(reader, context, sources, destinations, LoadOf::destinations);
  } else {
    for (const char* key : {"rate", "load", "load_of", "core_share"}) reader.ignore(key);
  }
  if (by_rate && reader.has("interval")) reader.refuse("has an interval and a rate or load, expected one of them");
  if (!by_rate && !interval && limit != 1) {
    // One that is there and wrong has been refused already.
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

Kind read_train(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  TrainSettings settings;
  settings.flows = flows;
  const auto pairs = read_pairs(reader, context);
  reader.required("size", settings.size, "payload of each flow", above(Bytes()));
  std::optional<BitRate> rate;
  reader.optional("rate", rate, "payload of each train; when left out, what the source's link carries",
                  above(BitRate()));
  const auto limit = read_limit(reader, "flows_per_train", "flows of each train");
  reader.optional("jitter", settings.jitter, "each train is shifted by a uniform time in [0, jitter]");
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
      reader.refuse("has sources with links of different rates, expected rate");
      return {};
    }
    const std::int64_t wire =
        context.framing.data(static_cast<std::uint32_t>(context.payload)) + context.framing.wire_overhead;
    settings.rate = line * context.payload / wire;
  }
  const Make checked = maker_of<TrainSource>(reader, context, settings);
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

Kind read_closed_loop(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  ClosedLoopSettings settings;
  settings.flows = flows;
  const auto pairs = read_pairs(reader, context);
  const auto size = read_size(reader, context);
  reader.optional("outstanding", settings.outstanding, "messages of each pair in flight at once",
                  Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("persistent_queue_pairs", settings.persistent_queue_pairs,
                  "one queue pair a pair of hosts, else a new one for each message");
  Duration think;
  reader.optional("think_time", think, "mean, from a completion to the next start");
  settings.think = read_arrivals(reader, "think", ArrivalShape::Kind::constant, "the distribution of think times");
  settings.mean_think_picoseconds = static_cast<double>(think.picoseconds());
  const auto limit = read_limit(reader, "messages_per_pair", "messages of each pair in all");
  reader.optional("jitter", settings.jitter, "each first message starts a uniform time in [0, jitter] after start");
  if (!pairs || !size || context.names.topology() == nullptr) return {};
  settings.messages_per_pair = limit_or_none(limit);
  settings.size = *size;
  settings.pairs = (*pairs)(0);
  const Make checked = maker_of<ClosedLoopSource>(reader, context, settings);
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

Kind read_all_to_all(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  static constexpr Named<AllToAllSettings::Split> kSplits[] = {{"divided", AllToAllSettings::Split::divided},
                                                               {"drawn", AllToAllSettings::Split::drawn}};
  static constexpr Named<AllToAllSettings::Pace> kPaces[] = {
      {"periodic", AllToAllSettings::Pace::periodic}, {"after_completion", AllToAllSettings::Pace::after_completion}};
  AllToAllSettings settings;
  settings.flows = flows;
  const auto senders = context.names.hosts(reader, "senders", "all", "who sends");
  const auto receivers = context.names.hosts(reader, "receivers", "all", "who receives");
  reader.list("weights", settings.weights, "of the receivers; none: all alike", at_least(0.0));
  reader.required("bytes_per_sender", settings.bytes_per_sender, "that each sender sends in a step", above(Bytes()));
  reader.optional("bursts", settings.bursts, "equal parts that a step leaves in",
                  Range<std::uint32_t>{1, 1'000'000, false});
  reader.optional("burst_interval", settings.burst_interval, "between these parts");
  reader.choice<AllToAllSettings::Split>("split", settings.split, kSplits,
                                         "a burst is one flow to each receiver, or one to a receiver drawn by weight");
  reader.optional("keep_local", settings.keep_local, "what a sender would send to itself stays off the network");
  reader.choice<AllToAllSettings::Pace>("pace", settings.pace, kPaces, "when the next step begins");
  reader.optional("step_interval", settings.step_interval, "from step to step, or from completion to step");
  const auto limit = read_limit(reader, "step_limit", "steps in all");
  reader.optional("jitter", settings.jitter, "each flow starts a uniform time in [0, jitter] after its burst");
  if (!senders || !receivers || settings.bytes_per_sender == Bytes()) return {};
  if (!check_length(reader, context, settings.bytes_per_sender)) return {};
  settings.senders = HostSet(*senders);
  settings.receivers = *receivers;
  settings.step_limit = limit_or_none(limit);
  const auto size = [split = settings.split, bytes = static_cast<double>(settings.bytes_per_sender.count()),
                     bursts = settings.bursts, interval = settings.step_interval](double payload_rate) {
    const double of_step = split == AllToAllSettings::Split::drawn ? bytes : payload_rate / 8 * interval.seconds();
    return FlowSize::fixed(Bytes(std::max<std::int64_t>(1, static_cast<std::int64_t>(of_step / bursts + 0.5))));
  };
  return {.make = maker_of<AllToAllSource>(reader, context, std::move(settings)), .endless = !limit, .size = size};
}

Kind read_permutation(Reader& reader, const TrafficContext& context, const SourceSettings& flows) {
  const auto hosts = context.names.hosts(reader, "hosts", "all", "who sends to one other and receives from one other");
  const auto size = read_size(reader, context);
  Duration jitter;
  reader.optional("jitter", jitter, "each flow starts a uniform time in [0, jitter] after start");
  if (!hosts || !size || context.names.topology() == nullptr) return {};
  if (hosts->size() < 2) {
    reader.refuse("hosts: a permutation needs two hosts at least");
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

/// Keys of all kinds that mean nothing to this one are refused, not passed over, and do not take effect.
void refuse_keys(Reader& reader, std::initializer_list<const char*> keys, std::string_view why) {
  for (const char* key : keys) {
    if (reader.has(key)) reader.refuse(*reader.value()->find(key), std::string(why));
    reader.withdraw(key);
  }
}

Kind listed(const std::function<std::vector<FlowSpec>(std::uint64_t)>& list, Duration window) {
  return {.make = [list, window](std::uint64_t seed) { return std::make_unique<FlowListSource>(list(seed), window); },
          .list = list,
          .load_window = window};
}

Kind read_flows(Reader& reader, const TrafficContext& context, const SourceSettings& settings) {
  refuse_keys(reader, {"stop", "flow_limit"}, "has no meaning for flows that are listed one by one");
  Duration window;
  reader.optional("load_window", window,
                  "the time over which the flows count as offered load; none: they take what "
                  "they get");
  std::vector<FlowSpec> flows;
  std::vector<FlowSize> sizes;
  std::vector<Reader> tables = reader.tables("flow", "one flow");
  bool good = true;
  for (Reader& table : tables) {
    const auto from = context.names.host(table, "source", "who sends");
    const auto to = context.names.host(table, "destination", "who receives");
    FlowSpec flow = settings.flow(settings.start);
    const auto size = read_size(table, context);
    std::optional<Time> stop;
    table.optional("start", flow.start, "when it starts");
    table.optional("stop", stop, "when its sender stops");
    table.optional("rate_limit", flow.rate_limit, "the sender stays below it");
    table.optional("priority", flow.priority, "of its data", Range<Priority>{Priority{0}, Priority{7}, false});
    table.finish();
    if (stop) flow.stop = *stop;
    const bool to_itself = from && to && *from == *to;
    if (to_itself) {
      const Value::Member& destination = *table.value()->find("destination");
      table.refuse(destination, fmt::format("{} is the source, expected another host", description(destination.value)));
    }
    good = good && from && to && size && !to_itself;
    if (!from || !to || !size || to_itself) continue;
    flow.source = *from;
    flow.destination = *to;
    flows.push_back(flow);
    sizes.push_back(*size);
  }
  if (tables.empty()) reader.refuse("has no flow, expected [[traffic.flow]] tables");
  if (!good || tables.empty() || context.names.topology() == nullptr) return {};
  const auto list = [flows = std::move(flows), sizes = std::move(sizes)](std::uint64_t seed) {
    return with_sizes(flows, sizes, seed);
  };
  const std::vector<std::string> found = problems(list(0));
  for (const std::string& problem : found) reader.refuse(problem);
  if (!found.empty()) return {};
  return listed(list, window);
}

/// Gives the flows of a file the label of the scenario, where the file gives none, and makes those that end at one of
/// these hosts an incast.
void label_flows(std::vector<FlowSpec>& flows, FlowLabel label, const std::vector<HostId>& incast_destinations) {
  const HostSet incast(incast_destinations);
  for (FlowSpec& flow : flows) {
    const bool of_incast = std::find(incast.begin(), incast.end(), flow.destination) != incast.end();
    if (of_incast) {
      flow.incast = true;
      flow.label = FlowLabel::incast;
    } else if (flow.label == FlowLabel::plain) {
      flow.label = label;
    }
  }
}

Kind read_file(Reader& reader, const TrafficContext& context, const SourceSettings& settings) {
  static constexpr Named<FlowFileFormat> kFormats[] = {
      {"detect", FlowFileFormat::detect}, {"hpcc", FlowFileFormat::hpcc}, {"conweave", FlowFileFormat::conweave}};
  refuse_keys(reader, {"priority", "rate_limit", "start", "stop", "end_flows", "flow_limit"},
              "has no meaning for flows of a file");
  FlowFileOptions options;
  const std::optional<NamedFile> file =
      read_named_file(reader, "path", "the file, from the scenario's folder", context.directory);
  reader.choice<FlowFileFormat>("format", options.format, kFormats, "its columns");
  reader.optional("origin", options.origin, "the instant of the file that the run begins at");
  bool by_node = context.numbered_by_node;
  reader.optional("numbers_are_nodes", by_node, "hosts are named by the number of their node, not among hosts");
  Duration window;
  reader.optional("load_window", window,
                  "the time over which the flows count as offered load; none: they take what "
                  "they get");
  const auto incast = context.names.hosts(reader, "incast_destinations", "",
                                          "flows to them are an incast, as those of dport 200 are in HPCC's format");
  const Topology* topology = context.names.topology();
  if (!file || topology == nullptr || !incast) return {};
  options.host = [topology, by_node](std::uint64_t number) {
    if (!by_node) return number < topology->hosts() ? HostId(number) : HostId::none();
    return number < topology->nodes().size() ? topology->node(NodeId(number)).host : HostId::none();
  };
  ReadResult<std::vector<FlowSpec>> read = read_flows(file->text, file->path, options);
  for (std::string& note : read.notes) context.notes.push_back(std::move(note));
  for (const std::string& error : read.errors) reader.refuse(error);
  if (!read.value) return {};
  if (read.value->empty()) {
    reader.refuse(fmt::format("{}: has no flow, expected at least one", file->path));
    return {};
  }
  for (const FlowSpec& flow : *read.value) {
    if (!check_length(reader, context, flow.size)) return {};
  }
  label_flows(*read.value, settings.label, *incast);
  const auto shared = std::make_shared<const std::vector<FlowSpec>>(std::move(*read.value));
  Kind kind = listed([shared](std::uint64_t) { return *shared; }, window);
  kind.incast_destinations = *incast;
  return kind;
}

struct NamedKind {
  TrafficKind kind;
  ReadKind read;
  FlowLabel label;
};

constexpr std::array kKinds = {
    NamedKind{
        {"poisson", "flows that arrive as a Poisson process, sizes from a table"}, read_poisson, FlowLabel::plain},
    NamedKind{{"open_loop", "the same with constant, exponential or lognormal intervals"},
              read_any_open_loop,
              FlowLabel::plain},
    NamedKind{{"incast", "events in which many sources send to one destination"}, read_incast, FlowLabel::incast},
    NamedKind{{"train", "flows back to back, each on a new queue pair"}, read_train, FlowLabel::burst},
    NamedKind{{"closed_loop", "the next message of a pair starts when one has completed"},
              read_closed_loop,
              FlowLabel::plain},
    NamedKind{{"all_to_all", "steps in which every host of a group sends to every other"},
              read_all_to_all,
              FlowLabel::collective},
    NamedKind{{"permutation", "each host sends to one other and receives from one other"},
              read_permutation,
              FlowLabel::plain},
    NamedKind{{"flows", "flows one by one"}, read_flows, FlowLabel::plain},
    NamedKind{{"file", "a flow file of the public simulators"}, read_file, FlowLabel::plain},
};

/// The keys that all kinds have.
SourceSettings read_common(Reader& reader, FlowLabel label, FlowLabels& labels, TrafficEntry& entry) {
  enum class Overload : std::uint8_t { refused, intended };
  static constexpr Named<Overload> kOverloads[] = {{"refused", Overload::refused}, {"intended", Overload::intended}};
  SourceSettings settings;
  std::optional<std::string> name;
  reader.optional("name", name, "for variants and tables");
  reader.optional("enabled", entry.enabled, "false leaves this traffic out, for variants");
  std::string label_name = labels.name(label);
  reader.optional("label", label_name, "of its flows in results");
  settings.label = labels.label(label_name);
  reader.optional("priority", settings.priority, "of its data", Range<Priority>{Priority{0}, Priority{7}, false});
  reader.optional("rate_limit", settings.rate_limit, "of each flow; 0: none");
  reader.optional("start", settings.start, "no flow starts before it");
  std::optional<Time> stop;
  std::optional<Time> end_flows;
  std::optional<std::int64_t> limit;
  reader.optional("stop", stop, "no flow starts at or after it");
  reader.optional("end_flows", end_flows, "senders stop then");
  reader.optional("flow_limit", limit, "flows in all", at_least<std::int64_t>(1));
  if (stop && *stop <= settings.start) reader.refuse("stop is not after start");
  settings.stop = stop.value_or(Time::never());
  settings.end_flows = end_flows.value_or(Time::never());
  settings.flow_limit = limit_or_none(limit);
  Overload overload = Overload::refused;
  reader.choice<Overload>("overload", overload, kOverloads,
                          "whether links that it loads may be offered more than they carry");
  entry.name = name.value_or(reader.path());
  entry.overload_intended = overload == Overload::intended;
  entry.priority = settings.priority;
  entry.start = settings.start;
  entry.stop = settings.no_start_from();
  return settings;
}

/// Flows that would start when the run has stopped never do: a source of nothing else is a mistake, and of a list that
/// goes on beyond the run a user should know.
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
    context.notes.push_back(fmt::format("{}: {} of {} flows start at or after the run's stop at {}: they are left out",
                                        entry.name, late, flows, stop));
  }
}

/// Results and complaints call traffic by its name.
void check_name(Reader& reader, const TrafficEntry& entry, const std::vector<TrafficEntry>& others) {
  const bool taken =
      std::any_of(others.begin(), others.end(), [&](const TrafficEntry& other) { return other.name == entry.name; });
  if (!taken || !reader.has("name")) return;
  reader.refuse(*reader.value()->find("name"),
                fmt::format("{} is the name of other traffic, expected one of its own", in_quotes(entry.name)));
}

}  // namespace

std::vector<TrafficKind> traffic_kinds() {
  std::vector<TrafficKind> out;
  for (const NamedKind& kind : kKinds) out.push_back(kind.kind);
  return out;
}

void describe_traffic(Reader& reader) {
  FlowLabels labels;
  TrafficEntry entry;
  const NamedKind* kind = nullptr;
  std::vector<Named<const NamedKind*>> names;
  for (const NamedKind& candidate : kKinds) names.push_back({candidate.kind.name, &candidate});
  reader.required_choice<const NamedKind*>("kind", kind, names, "of traffic");
  read_common(reader, FlowLabel::plain, labels, entry);
}

void describe_traffic_kind(std::string_view kind, Reader& reader, const TrafficContext& context) {
  for (const NamedKind& candidate : kKinds) {
    if (candidate.kind.name == kind) candidate.read(reader, context, {});
  }
}

std::vector<TrafficEntry> read_traffic_section(Reader& root, const TrafficContext& context, FlowLabels& labels) {
  std::vector<Named<const NamedKind*>> names;
  for (const NamedKind& kind : kKinds) names.push_back({kind.kind.name, &kind});
  std::vector<TrafficEntry> out;
  std::uint64_t number = 0;  // sources of one run have different seeds, which do not depend on who is left out
  for (Reader& reader : root.tables("traffic", kTrafficMeaning)) {
    ++number;
    TrafficEntry entry;
    const NamedKind* kind = nullptr;
    // The keys of a kind that is not known mean nothing: they are not looked at.
    if (!reader.required_choice<const NamedKind*>("kind", kind, names, "of traffic")) continue;
    const SourceSettings settings = read_common(reader, kind->label, labels, entry);
    Kind read = kind->read(reader, context, settings);
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
