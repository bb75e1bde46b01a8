// SPDX-License-Identifier: Apache-2.0
#include "scenario/traffic_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "config/nearest_name.h"
#include "config/quantity.h"
#include "scenario/named_file.h"
#include "traffic/built_in_sizes.h"
#include "traffic/flow.h"
#include "traffic/load.h"
#include "traffic/size_table_file.h"
#include "units/packet_limit.h"

namespace weir {
namespace {

constexpr std::string_view kSizeForms =
    "a size (\"64 KB\"), a table (\"websearch\"), \"endless\", { packets = [30, 40] }, { min = \"40 KB\", max = \"60 "
    "KB\" } "
    "or { file = \"sizes.txt\" }";

std::optional<FlowSize> named_size(Reader& reader, const Value::Member& member, const TrafficContext& context,
                                   const std::string& text) {
  if (text == "endless") return FlowSize::fixed(long_running(std::max<std::int64_t>(1, context.payload)));
  const bool number = !text.empty() && ((text[0] >= '0' && text[0] <= '9') || text[0] == '-');
  if (number) {
    Bytes size;
    const Refusal refusal = read_scalar(member.value, size);
    if (!refusal.message.empty()) {
      reader.refuse(member, refusal.message, refusal.suggestion);
      return std::nullopt;
    }
    if (size > Bytes()) return FlowSize::fixed(size);
    reader.refuse(member, fmt::format("is {}, expected a size above zero", description(member.value)));
    return std::nullopt;
  }
  if (auto table = built_in_size_table(text)) return FlowSize::of(std::move(table));
  std::vector<std::string_view> names = {"endless"};
  for (const BuiltInSizes& sizes : built_in_sizes()) names.push_back(sizes.name);
  reader.refuse(member, fmt::format("unknown size distribution \"{}\", expected {}", text, kSizeForms),
                nearest_name(text, names));
  return std::nullopt;
}

std::optional<FlowSize> packets_size(Reader& table, std::int64_t payload) {
  std::vector<std::int64_t> bounds;
  constexpr std::int64_t kMostOfAFlow = 1'000'000'000;
  const std::size_t errors_before = table.diagnostics().size();
  table.list("packets", bounds, "minimum and maximum number of full packets per flow",
             between<std::int64_t>(1, kMostOfAFlow));
  table.finish();
  if (table.diagnostics().size() != errors_before) return std::nullopt;
  if (bounds.size() == 2 && bounds[0] <= bounds[1]) return FlowSize::multiples(bounds[0], bounds[1], Bytes(payload));
  table.refuse("expected the minimum and maximum number of full packets per flow, such as packets = [30, 40]");
  return std::nullopt;
}

std::optional<FlowSize> uniform_size(Reader& table) {
  Bytes least;
  Bytes most;
  const bool first = table.required("min", least, "minimum size", above(Bytes()));
  const bool second = table.required("max", most, "maximum size", above(Bytes()));
  table.finish();
  if (!first || !second) return std::nullopt;
  if (least <= most) return FlowSize::multiples(least.count(), most.count(), Bytes(1));
  table.refuse(fmt::format("min ({}) is above max ({})", to_text(least), to_text(most)));
  return std::nullopt;
}

std::optional<FlowSize> file_size(Reader& table, const TrafficContext& context) {
  static constexpr Named<SizeTableFormat> kFormats[] = {{"detect", SizeTableFormat::detect},
                                                        {"percent", SizeTableFormat::percent},
                                                        {"probability", SizeTableFormat::probability},
                                                        {"homa", SizeTableFormat::homa}};
  constexpr std::size_t kLargestFile = std::size_t{1} << 24;
  SizeTableFormat format = SizeTableFormat::detect;
  Bytes unit(1);
  const std::optional<NamedFile> file = read_named_file(
      table, "file", "file with a table of sizes, relative to the scenario's folder", context.directory, kLargestFile);
  table.choice<SizeTableFormat>("format", format, kFormats, "format of the file; detect: from the contents");
  table.optional("unit", unit, "unit of the sizes in the file", above(Bytes()));
  table.finish();
  if (!file) return std::nullopt;
  ReadResult<SizeTable> read =
      read_size_table(file->text, file->path, file->path, format, static_cast<double>(unit.count()));
  for (std::string& note : read.notes) context.notes.push_back(std::move(note));
  for (const std::string& error : read.errors) table.refuse(error);
  if (!read.value) return std::nullopt;
  return FlowSize::of(std::make_shared<const SizeTable>(std::move(*read.value)));
}

/// A table of values, on one line.
std::string inline_table(const EffectiveTable& table) {
  std::string out;
  for (const EffectiveEntry& entry : table.entries) {
    if (!entry.value.empty()) out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", entry.key, entry.value);
  }
  return "{ " + out + " }";
}

std::optional<FlowSize> table_size(Reader& reader, const Value::Member& member, const TrafficContext& context) {
  // A separate table, so that its keys are marked as used; the effective values are written with the whole.
  EffectiveTable own;
  Reader table(reader.diagnostics(), &member.value, member.origin, reader.path() + ".size", own);
  if (table.has("packets")) return packets_size(table, context.payload);
  if (table.has("min") || table.has("max")) return uniform_size(table);
  if (table.has("file")) {
    std::optional<FlowSize> size = file_size(table, context);
    reader.settle(inline_table(own));
    return size;
  }
  table.refuse(fmt::format("expected {}", kSizeForms));
  return std::nullopt;
}

std::optional<FlowSize> size_of(Reader& reader, const Value::Member& member, const TrafficContext& context) {
  if (const std::string* text = member.value.text()) return named_size(reader, member, context, *text);
  if (member.value.table() != nullptr) return table_size(reader, member, context);
  reader.refuse(member, fmt::format("is {}, expected {}", description(member.value), kSizeForms));
  return std::nullopt;
}

}  // namespace

bool check_length(Reader& reader, const TrafficContext& context, Bytes size) {
  // An invalid payload counts as the smallest.
  const std::int64_t payload = std::max<std::int64_t>(1, context.payload);
  if ((size.count() - 1) / payload < kMostPackets) return true;
  reader.refuse(fmt::format("has flows of {}, which is more than 2^31 - 1 packets of {} B, expected at most {}",
                            to_text(size), payload, to_text(Bytes(payload * kMostPackets))));
  return false;
}

void check_rate_limit(Reader& reader, const TrafficContext& context, BitRate rate_limit) {
  if (context.transport.empty() || rate_limit == BitRate() || reader.value() == nullptr) return;
  const Value::Member* member = reader.value()->find("rate_limit");
  if (member == nullptr) return;
  reader.refuse(
      *member,
      fmt::format(
          "has no effect with host.transport = \"{}\", which decides itself when packets leave, expected no rate limit",
          context.transport));
}

std::optional<FlowSize> read_size(Reader& reader, const TrafficContext& context) {
  const Value::Member* member = reader.custom("size", "a size, or one of the forms under size", "payload per flow", {});
  reader.require();
  if (member == nullptr) {
    reader.refuse(fmt::format("size is missing, expected {}", kSizeForms));
    return std::nullopt;
  }
  reader.settle(written(member->value));
  std::optional<FlowSize> size = size_of(reader, *member, context);
  if (size && !check_length(reader, context, size->largest())) return std::nullopt;
  return size;
}

void describe_size(Reader& reader, const TrafficContext& context) {
  packets_size(reader, context.payload);
  uniform_size(reader);
  file_size(reader, context);
}

BitRate host_capacity(const Topology& topology, const std::vector<HostId>& hosts) {
  BitRate sum;
  for (const HostId host : hosts) sum = sum + topology.link_at(topology.node_of(host), PortId(0)).rate;
  return sum;
}

BitRate core_capacity(const Topology& topology) {
  int highest = 0;
  for (const Node& node : topology.nodes()) highest = std::max(highest, node.tier);
  BitRate sum;
  for (const Link& link : topology.links()) {
    const int a = topology.node(link.a).tier;
    const int b = topology.node(link.b).tier;
    if (std::min(a, b) > 0 && std::max(a, b) == highest && a != b) sum = sum + link.rate;
  }
  return sum;
}

std::optional<BitRate> read_offered(Reader& reader, const TrafficContext& context,
                                    const std::optional<std::vector<HostId>>& sources,
                                    const std::optional<std::vector<HostId>>& destinations, LoadOf default_of) {
  static constexpr Named<LoadOf> kLoadsOf[] = {
      {"source_links", LoadOf::sources}, {"destination_links", LoadOf::destinations}, {"core_links", LoadOf::core}};
  std::optional<BitRate> rate;
  std::optional<double> load;
  LoadOf of = default_of;
  double core_share = 1;
  constexpr double kMostLoad = 1000;
  reader.optional("rate", rate, "payload rate offered by this traffic in total; alternatively give load",
                  above(BitRate()));
  reader.optional("load", load, "offered payload divided by capacity; alternatively give rate",
                  Range<double>{0.0, kMostLoad, true});
  reader.choice<LoadOf>("load_of", of, kLoadsOf, "links whose total capacity load refers to");
  reader.optional("core_share", core_share, "for core_links: fraction of the flows that cross the core",
                  Range<double>{0.0, 1.0, true});
  // An invalid one has been refused already.
  if (reader.has("rate") == reader.has("load")) {
    reader.refuse(reader.has("rate") ? "has both rate and load, expected only one of the two"
                                     : "has neither rate nor load, expected one of the two");
    return std::nullopt;
  }
  if (rate || !load) return rate;
  if (context.names.topology() == nullptr || !sources || !destinations) return std::nullopt;
  const Topology& topology = *context.names.topology();
  const BitRate capacity = of == LoadOf::sources        ? host_capacity(topology, *sources)
                           : of == LoadOf::destinations ? host_capacity(topology, *destinations)
                                                        : core_capacity(topology);
  if (capacity == BitRate()) {
    reader.refuse(of == LoadOf::core ? "load_of is \"core_links\", but no links join two tiers of switches"
                                     : "load refers to no hosts, expected at least one host");
    return std::nullopt;
  }
  return of == LoadOf::core ? offered_for_core_load(*load, capacity, 1, core_share)
                            : offered_for_host_load(*load, capacity, 1);
}

ArrivalShape read_arrivals(Reader& reader, std::string_view key, ArrivalShape::Kind default_kind,
                           std::string_view meaning) {
  static constexpr Named<ArrivalShape::Kind> kKinds[] = {{"constant", ArrivalShape::Kind::constant},
                                                         {"exponential", ArrivalShape::Kind::exponential},
                                                         {"lognormal", ArrivalShape::Kind::lognormal}};
  ArrivalShape shape;
  shape.kind = default_kind;
  reader.choice<ArrivalShape::Kind>(key, shape.kind, kKinds, meaning);
  reader.optional("sigma", shape.sigma,
                  "standard deviation of the logarithm of lognormal intervals; 0: constant intervals",
                  between(0.0, 5.0));
  return shape;
}

PairScope read_scope(Reader& reader) {
  static constexpr Named<PairScope> kScopes[] = {
      {"any", PairScope::any}, {"inter_rack", PairScope::inter_rack}, {"intra_rack", PairScope::intra_rack}};
  PairScope scope = PairScope::any;
  reader.choice<PairScope>("scope", scope, kScopes,
                           "pairs of hosts that exchange flows: any, or only those in different racks (inter_rack) or "
                           "in the same rack (intra_rack)");
  return scope;
}

std::optional<PairChooser> read_pairs(Reader& reader, const TrafficContext& context) {
  enum class Pairing : std::uint8_t { zipped, all, permutation, random };
  static constexpr Named<Pairing> kPairings[] = {{"zipped", Pairing::zipped},
                                                 {"all", Pairing::all},
                                                 {"permutation", Pairing::permutation},
                                                 {"random", Pairing::random}};
  if (reader.has("pairs") || reader.describing()) {
    const auto named =
        context.names.pairs(reader, "pairs", "pairs of hosts, source first; instead of sources and destinations");
    if (!reader.describing()) {
      if (!named) return std::nullopt;
      std::vector<HostPair> pairs;
      for (const auto& [source, destination] : *named) pairs.push_back({source, destination});
      return [pairs](std::uint64_t) { return pairs; };
    }
  }
  reader.ignore("pairs");
  const auto sources = context.names.hosts(reader, "sources", "all", "sources");
  const auto destinations = context.names.hosts(reader, "destinations", "all", "destinations");
  Pairing pairing = Pairing::zipped;
  reader.choice<Pairing>(
      "pairing", pairing, kPairings,
      "how sources and destinations are paired: the i-th with the i-th (zipped), each with each (all), one cycle "
      "through the sources (permutation), or random destinations per source (random)");
  const PairScope scope = read_scope(reader);
  std::int64_t count = 1;
  reader.optional("count", count, "for random: destinations per source", at_least<std::int64_t>(1));
  if (!sources || !destinations) return std::nullopt;
  // Every pair has state, even if only few of them send at once.
  const std::size_t of_each = pairing == Pairing::random ? static_cast<std::size_t>(count)
                              : pairing == Pairing::all  ? destinations->size()
                                                         : 1;
  if (of_each > kMostPairs / std::max<std::size_t>(1, sources->size())) {
    const std::string expected =
        fmt::format("for each of {} sources, expected at most {} pairs in total, which is {} per source",
                    sources->size(), kMostPairs, kMostPairs / sources->size());
    const Value::Member* member = reader.value()->find(pairing == Pairing::random ? "count" : "pairing");
    if (member != nullptr) reader.refuse(*member, fmt::format("is {} destinations {}", of_each, expected));
    return std::nullopt;
  }
  const Racks racks = context.racks;
  return [=, from = *sources, to = *destinations](std::uint64_t seed) -> std::vector<HostPair> {
    constexpr std::uint64_t kPairsPurpose = 0x70616972;  // distinct from the streams of the sources
    const RandomStream random(seed, 0, kPairsPurpose);
    switch (pairing) {
      case Pairing::zipped:
        return zipped_pairs(from, to);
      case Pairing::all:
        return all_pairs(HostSet(from), HostSet(to), scope, racks);
      case Pairing::permutation:
        return permutation_pairs(HostSet(from), random);
      case Pairing::random:
        break;
    }
    return random_pairs(HostSet(from), HostSet(to), static_cast<std::size_t>(count), random, scope, racks);
  };
}

}  // namespace weir
