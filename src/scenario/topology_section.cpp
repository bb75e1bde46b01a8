// SPDX-License-Identifier: Apache-2.0
#include "scenario/topology_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/nearest_name.h"
#include "net/builders.h"
#include "net/topology_file.h"
#include "scenario/graph_file.h"
#include "scenario/named_file.h"

namespace weir {
namespace {

/// What the reader of a kind needs besides its table.
struct Surroundings {
  const std::filesystem::path& directory;
  std::vector<std::string>& notes;
};

constexpr std::int64_t kMostNodes = kMaximumNodes;

Range<int> count() {
  return between(1, static_cast<int>(kMostNodes));
}

/// Propagation delay per metre of fibre or copper, at two thirds of the speed of light: 5 ns.
constexpr double kPicosecondsPerMetre = 5000;

/// "30 m", "0.5 km". Returns nullopt if it is not the length of a cable.
std::optional<Duration> delay_of_length(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number) || number < 0 || text.front() == '-') return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr double kKilo = 1000;
  if (unit == "km") number *= kKilo;
  if (unit != "km" && unit != "m") return std::nullopt;
  const double picoseconds = number * kPicosecondsPerMetre;
  if (picoseconds > static_cast<double>(kLongestDelay.picoseconds())) return std::nullopt;
  return Duration::picoseconds(std::llround(picoseconds));
}

/// Reads the delay, given as a time or as the length of the cable.
void read_delay(Reader& reader, Duration& delay) {
  const bool by_length = reader.has("length");
  if (!by_length) reader.required("delay", delay, "propagation delay, one way", at_most(kLongestDelay));
  if (!by_length && !reader.describing()) return;
  const Value::Member* member = reader.custom("length", "a length with its unit, such as \"30 m\"",
                                              "cable length, instead of delay; converted at 5 ns per metre", {});
  if (member == nullptr) return;
  reader.settle(written(member->value));
  if (reader.has("delay")) {
    reader.ignore("delay");
    reader.refuse(*member, "is given together with delay, expected only one of the two");
    return;
  }
  const std::string* text = member->value.text();
  const std::optional<Duration> read = text == nullptr || text->empty() ? std::nullopt : delay_of_length(*text);
  if (read) {
    delay = *read;
  } else {
    reader.refuse(*member, fmt::format("is {}, expected a length of 0 m to 200000 km with its unit, such as \"30 m\"",
                                       description(member->value)));
  }
}

/// The keys of a link; its rate may be omitted if it follows from an oversubscription.
LinkSpec read_link_keys(Reader& reader, bool rate_follows = false) {
  LinkSpec link;
  if (rate_follows) {
    std::optional<BitRate> rate;
    reader.optional("rate", rate, "rate of each direction; not allowed with an oversubscription, which determines it",
                    between(kSlowestLink, kFastestLink));
    link.rate = rate.value_or(BitRate());
  } else {
    reader.required("rate", link.rate, "rate of each direction", between(kSlowestLink, kFastestLink));
  }
  read_delay(reader, link.delay);
  reader.optional("error_rate", link.error_rate, "probability that a frame is corrupted", between(0.0, 1.0));
  return link;
}

LinkSpec read_link(Reader& reader, std::string_view key, std::string_view meaning, bool rate_follows = false) {
  Reader link = reader.table(key, meaning);
  const LinkSpec spec = read_link_keys(link, rate_follows);
  link.finish();
  return spec;
}

std::optional<Oversubscription> parse_ratio(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  Oversubscription ratio;
  const auto number = [](std::string_view digits, std::int64_t& out) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size() && out > 0 && out <= 1'000'000;
  };
  const std::string_view view = text;
  if (!number(view.substr(0, colon), ratio.down) || !number(view.substr(colon + 1), ratio.up)) return std::nullopt;
  return ratio;
}

std::optional<Oversubscription> read_oversubscription(Reader& reader, std::string_view key, std::string_view meaning) {
  const Value::Member* member = reader.custom(key, "a ratio such as \"2:1\"", meaning, {});
  if (member == nullptr) return std::nullopt;
  reader.settle(written(member->value));
  const std::string* text = member->value.text();
  std::optional<Oversubscription> ratio = text == nullptr ? std::nullopt : parse_ratio(*text);
  if (!ratio) {
    reader.refuse(*member, fmt::format("is {}, expected a ratio such as \"2:1\"", description(member->value)));
  }
  return ratio;
}

HostGroup read_group(Reader& reader) {
  HostGroup group;
  reader.required("hosts", group.hosts, "number of hosts", count());
  group.link = read_link(reader, "link", "link from each host to the switch");
  return group;
}

BuiltTopology read_single_switch(Reader& reader, Surroundings& /*around*/) {
  SingleSwitchSettings settings;
  if (reader.has("group") || reader.describing()) {
    for (Reader& group : reader.tables("group", "hosts with identical links")) {
      settings.groups.push_back(read_group(group));
      group.finish();
    }
  }
  if (!reader.has("group")) settings.groups.push_back(read_group(reader));
  return build_single_switch(settings);
}

BuiltTopology read_dumbbell(Reader& reader, Surroundings& /*around*/) {
  DumbbellSettings settings;
  Reader left = reader.table("left", "hosts of the first switch");
  settings.left = read_group(left);
  left.finish();
  Reader right = reader.table("right", "hosts of the second switch");
  settings.right = read_group(right);
  right.finish();
  settings.middle = read_link(reader, "middle", "link between the switches");
  reader.optional("middle_links", settings.middle_links, "number of parallel links between the switches", count());
  return build_dumbbell(settings);
}

LeafSpineSettings read_leaf_spine_keys(Reader& reader) {
  LeafSpineSettings settings;
  reader.required("tors", settings.tors, "number of top-of-rack switches", count());
  reader.required("hosts_per_tor", settings.hosts_per_tor, "hosts per rack", count());
  reader.required("spines", settings.spines, "number of spine switches", count());
  reader.optional("parallel_links", settings.parallel_links, "links per pair of ToR and spine", count());
  settings.tor_oversubscription = read_oversubscription(
      reader, "tor_oversubscription", "oversubscription of a ToR; determines the rate of fabric_link");
  settings.host_link = read_link(reader, "host_link", "link from a host to its ToR");
  settings.fabric_link =
      read_link(reader, "fabric_link", "link from a ToR to a spine", settings.tor_oversubscription.has_value());
  return settings;
}

BuiltTopology read_leaf_spine(Reader& reader, Surroundings& /*around*/) {
  return build_leaf_spine(read_leaf_spine_keys(reader));
}

BuiltTopology read_fat_tree(Reader& reader, Surroundings& /*around*/) {
  FatTreeSettings settings;
  reader.required("k", settings.k, "ports per switch; an even number", between(2, 1000));
  std::optional<std::int64_t> hosts;
  reader.optional("hosts_per_edge", hosts, "hosts per edge switch; if omitted, k/2",
                  between<std::int64_t>(1, kMostNodes));
  if (hosts) settings.hosts_per_edge = static_cast<int>(*hosts);
  settings.host_link = read_link(reader, "host_link", "link from a host to its edge switch");
  settings.edge_agg_link = read_link(reader, "edge_agg_link", "link from an edge switch to an aggregation switch");
  settings.agg_core_link = read_link(reader, "agg_core_link", "link from an aggregation switch to a core switch");
  return build_fat_tree(settings);
}

BuiltTopology read_clos(Reader& reader, Surroundings& /*around*/) {
  static constexpr Named<CoreWiring> kWirings[] = {{"planes", CoreWiring::planes}, {"full", CoreWiring::full}};
  ClosSettings settings;
  reader.required("pods", settings.pods, "number of pods", count());
  reader.required("tors_per_pod", settings.tors_per_pod, "top-of-rack switches per pod", count());
  reader.required("hosts_per_tor", settings.hosts_per_tor, "hosts per rack", count());
  reader.required("aggs_per_pod", settings.aggs_per_pod, "aggregation switches per pod", count());
  reader.required("cores", settings.cores, "number of core switches", count());
  reader.choice<CoreWiring>(
      "wiring", settings.wiring, kWirings,
      "core switches to which an aggregation switch is connected: those of its plane (planes), or all (full)");
  reader.optional("tor_agg_links", settings.tor_agg_links, "links per pair of ToR and aggregation switch", count());
  reader.optional("agg_core_links", settings.agg_core_links, "links per connected pair of aggregation and core switch",
                  count());
  settings.tor_oversubscription = read_oversubscription(
      reader, "tor_oversubscription", "oversubscription of a ToR; determines the rate of tor_agg_link");
  settings.agg_oversubscription =
      read_oversubscription(reader, "agg_oversubscription",
                            "oversubscription of an aggregation switch; determines the rate of agg_core_link");
  settings.host_link = read_link(reader, "host_link", "link from a host to its ToR");
  settings.tor_agg_link = read_link(reader, "tor_agg_link", "link from a ToR to an aggregation switch",
                                    settings.tor_oversubscription.has_value());
  settings.agg_core_link = read_link(reader, "agg_core_link", "link from an aggregation switch to a core switch",
                                     settings.agg_oversubscription.has_value());
  return build_clos(settings);
}

BuiltTopology read_two_data_centres(Reader& reader, Surroundings& /*around*/) {
  TwoDataCentresSettings settings;
  reader.optional("gateways", settings.gateways,
                  "gateways per data centre; gateway i is connected to gateway i of the other data centre", count());
  reader.optional("spine_gateway_links", settings.spine_gateway_links, "links per pair of spine and gateway", count());
  reader.optional("gateway_links", settings.gateway_links, "links per pair of gateways", count());
  settings.spine_gateway_link = read_link(reader, "spine_gateway_link", "link from a spine to a gateway");
  settings.gateway_link = read_link(reader, "gateway_link", "link between two gateways");
  std::vector<Reader> centres = reader.tables("data_centre", "a data centre: one table for both, or one table each");
  if (centres.empty() || centres.size() > 2) {
    reader.refuse(fmt::format("has {} data_centre tables, expected one for both or one for each", centres.size()));
  }
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const LeafSpineSettings centre = read_leaf_spine_keys(centres[i]);
    centres[i].finish();
    if (i == 0) settings.data_centres = {centre, centre};
    if (i == 1) settings.data_centres[1] = centre;
  }
  return build_two_data_centres(settings);
}

/// Refuses invalid names, and duplicates within a list of names or with an earlier list.
void refuse_names(Reader& reader, std::string_view key, std::set<std::string>& seen) {
  if (!reader.has(key)) return;
  const Value::Member& member = *reader.value()->find(key);
  const Value::List* names = member.value.list();
  if (names == nullptr) return;
  for (const Value& name : *names) {
    if (name.text() == nullptr) continue;
    if (name.text()->empty()) reader.refuse({member.key, member.origin, name}, "is empty, expected a name");
    if (seen.insert(*name.text()).second || name.text()->empty()) continue;
    reader.refuse({member.key, member.origin, name},
                  fmt::format("\"{}\" is named twice, expected each node once", *name.text()));
  }
}

/// The nodes at the ends of a link; refuses unknown names. Returns nullopt if a name is invalid.
std::optional<std::pair<NodeId, NodeId>> read_ends(Reader& entry, const Topology& topology,
                                                   const std::map<std::string, NodeId>& nodes_by_name) {
  std::vector<std::string> ends;
  entry.list("between", ends, "the two nodes that the link connects");
  if (ends.size() != 2) {
    entry.refuse("between does not have two elements, expected two node names, such as [\"h0\", \"s0\"]");
    return std::nullopt;
  }
  const Value::Member& member = *entry.value()->find("between");
  std::array<NodeId, 2> nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto known = nodes_by_name.find(ends[i]);
    if (known != nodes_by_name.end()) {
      nodes[i] = known->second;
      continue;
    }
    std::vector<std::string> names;
    for (const Node& candidate : topology.nodes()) names.push_back(candidate.name);
    entry.refuse({member.key, member.origin, (*member.value.list())[i]},
                 fmt::format("\"{}\" is neither a host nor a switch, expected the name of one", ends[i]),
                 nearest_name(ends[i], names));
  }
  if (!nodes[0].exists() || !nodes[1].exists()) return std::nullopt;
  return std::pair(nodes[0], nodes[1]);
}

/// Refuses impossible links: from a node to itself, between hosts, a second one of a host. `linked`: the hosts that
/// have a link.
void refuse_link(Reader& entry, const Topology& topology, const std::pair<NodeId, NodeId>& ends, std::int64_t count,
                 std::set<NodeId>& linked) {
  const Value::Member& between = *entry.value()->find("between");
  const Node& a = topology.node(ends.first);
  const Node& b = topology.node(ends.second);
  if (ends.first == ends.second) {
    return entry.refuse(between, fmt::format("joins \"{}\" to itself, expected two nodes", a.name));
  }
  if (a.is_host() && b.is_host()) {
    return entry.refuse(between,
                        fmt::format("joins the hosts \"{}\" and \"{}\", expected a switch at one end", a.name, b.name));
  }
  if (!a.is_host() && !b.is_host()) return;
  const NodeId host = a.is_host() ? ends.first : ends.second;
  if (linked.insert(host).second && count == 1) return;
  entry.refuse(between, fmt::format("gives host \"{}\" more than one link, expected one", topology.node(host).name));
}

/// Refuses nodes without a link. `key`: that of the hosts or of the switches.
void refuse_lone_nodes(Reader& reader, std::string_view key, std::string_view expected, const Topology& topology) {
  if (!reader.has(key)) return;
  const Value::Member& nodes = *reader.value()->find(key);
  for (const Value& name : *nodes.value.list()) {
    if (!topology.ports(topology.find(*name.text())).empty()) continue;
    reader.refuse({nodes.key, nodes.origin, name},
                  fmt::format("\"{}\" has no link, expected {}", *name.text(), expected));
  }
}

BuiltTopology read_explicit(Reader& reader, Surroundings& /*around*/) {
  BuiltTopology built;
  const std::size_t errors_before = reader.diagnostics().size();
  std::vector<std::string> hosts;
  std::vector<std::string> switches;
  std::set<std::string> seen;
  reader.list("hosts", hosts, "names of the nodes");
  refuse_names(reader, "hosts", seen);
  reader.list("switches", switches, "names of the nodes");
  refuse_names(reader, "switches", seen);
  std::set<NodeId> linked;
  for (std::string& name : hosts) built.topology.add_host(std::move(name));
  for (std::string& name : switches) built.topology.add_switch(std::move(name), 1);
  std::map<std::string, NodeId> nodes_by_name;  // the first node of each name
  for (std::size_t i = 0; i < built.topology.nodes().size(); ++i) {
    nodes_by_name.emplace(built.topology.node(NodeId(i)).name, NodeId(i));
  }
  for (Reader& entry : reader.tables("link", "a link between two nodes")) {
    std::int64_t parallel = 1;
    const auto ends = read_ends(entry, built.topology, nodes_by_name);
    const LinkSpec spec = read_link_keys(entry);
    entry.optional("count", parallel, "number of parallel links", between<std::int64_t>(1, kMaximumLinks));
    entry.finish();
    if (!ends) continue;
    refuse_link(entry, built.topology, *ends, parallel, linked);
    for (std::int64_t i = 0; i < parallel; ++i) built.topology.connect(ends->first, ends->second, spec);
  }
  // Errors that follow from invalid links are not reported.
  if (reader.diagnostics().size() == errors_before) {
    refuse_lone_nodes(reader, "hosts", "one", built.topology);
    refuse_lone_nodes(reader, "switches", "at least one", built.topology);
  }
  if (reader.diagnostics().size() == errors_before) built.topology.derive_tiers();
  return built;
}

enum class FileFormat : std::uint8_t { automatic, hpcc, floodgate, powertcp, reverie, json, dot };

/// Graphs are recognised by the name of the file, other formats by the contents.
FileFormat format_of(const NamedFile& file, FileFormat stated) {
  if (stated != FileFormat::automatic) return stated;
  const std::string ending = std::filesystem::path(file.path).extension().string();
  if (ending == ".json") return FileFormat::json;
  return ending == ".dot" || ending == ".gv" ? FileFormat::dot : FileFormat::automatic;
}

BuiltTopology read_graph(const NamedFile& file, FileFormat format, Surroundings& around) {
  Diagnostics found(file.path);
  BuiltTopology built;
  const std::optional<Graph> graph =
      format == FileFormat::dot ? graph_of_dot(file.text, found) : graph_of_json(file.text, found);
  if (const std::optional<Value> table = graph ? explicit_topology(*graph, found) : std::nullopt) {
    EffectiveTable unshown;
    Reader reader(found, &*table, table->origin, {}, unshown);
    built = read_explicit(reader, around);
    reader.finish();
  }
  for (std::string& line : found.lines()) built.errors.push_back(std::move(line));
  return built;
}

BuiltTopology read_topology_file(Reader& reader, Surroundings& around) {
  static constexpr Named<FileFormat> kFormats[] = {{"automatic", FileFormat::automatic},
                                                   {"hpcc", FileFormat::hpcc},
                                                   {"floodgate", FileFormat::floodgate},
                                                   {"powertcp", FileFormat::powertcp},
                                                   {"reverie", FileFormat::reverie},
                                                   {"json", FileFormat::json},
                                                   {"dot", FileFormat::dot}};
  FileFormat format = FileFormat::automatic;
  const std::optional<NamedFile> file =
      read_named_file(reader, "path", "path of the file, relative to the scenario's folder", around.directory);
  reader.choice<FileFormat>("format", format, kFormats,
                            "file format: a graph (json, dot), or that of a public simulator; automatic: by the file "
                            "name (.json, .dot, .gv), otherwise by the contents");
  if (!file) return {};
  format = format_of(*file, format);
  if (format == FileFormat::json || format == FileFormat::dot) return read_graph(*file, format, around);
  static constexpr std::array kOfSimulators = {TopologyFormat::automatic, TopologyFormat::hpcc,
                                               TopologyFormat::floodgate, TopologyFormat::powertcp,
                                               TopologyFormat::reverie};
  TopologyFile read = parse_topology(file->text, file->path, kOfSimulators[static_cast<std::size_t>(format)]);
  for (std::string& note : read.notes) around.notes.push_back(std::move(note));
  return {std::move(read.topology), std::move(read.errors)};
}

using ReadTopology = BuiltTopology (*)(Reader&, Surroundings&);

struct ReadableTopology {
  TopologyKind kind;
  ReadTopology read;
};

constexpr std::array kTopologies = {
    ReadableTopology{{"single_switch", "hosts on one switch"}, read_single_switch},
    ReadableTopology{{"dumbbell", "two switches with hosts on either side"}, read_dumbbell},
    ReadableTopology{{"leaf_spine", "every ToR connected to every spine"}, read_leaf_spine},
    ReadableTopology{{"fat_tree", "the k-ary fat-tree"}, read_fat_tree},
    ReadableTopology{{"clos", "pods of ToRs and aggregation switches, connected by core switches"}, read_clos},
    ReadableTopology{{"two_data_centres", "two leaf-spine networks connected by gateways"}, read_two_data_centres},
    ReadableTopology{
        {"file", "read from a file: a graph in JSON or Graphviz's DOT, or a topology file of a public simulator"},
        read_topology_file},
    ReadableTopology{{"explicit", "hosts, switches and links, listed one by one"}, read_explicit},
};

}  // namespace

std::vector<TopologyKind> topology_kinds() {
  std::vector<TopologyKind> out;
  for (const ReadableTopology& kind : kTopologies) out.push_back(kind.kind);
  return out;
}

void describe_topology(std::string_view kind, Reader& reader) {
  const std::filesystem::path nowhere;
  std::vector<std::string> notes;
  Surroundings around = {nowhere, notes};
  for (const ReadableTopology& candidate : kTopologies) {
    if (candidate.kind.name == kind) candidate.read(reader, around);
  }
}

std::optional<Topology> read_topology_section(Reader section, const std::filesystem::path& directory,
                                              std::vector<std::string>& notes) {
  std::vector<Named<ReadTopology>> names;
  for (const ReadableTopology& kind : kTopologies) names.push_back({kind.kind.name, kind.read});
  // Names contain underscores; hyphens are accepted as well.
  const std::string* written_kind = section.value() == nullptr ? nullptr : section.value()->text_at("kind");
  for (std::size_t i = 0; written_kind != nullptr && i < kTopologies.size(); ++i) {
    std::string meant = *written_kind;
    std::replace(meant.begin(), meant.end(), '-', '_');
    if (meant == kTopologies[i].kind.name && meant != *written_kind)
      names.push_back({*written_kind, kTopologies[i].read});
  }
  const std::size_t errors_before = section.diagnostics().size();
  ReadTopology read = nullptr;
  if (!section.required_choice<ReadTopology>("kind", read, names, "kind of topology")) return std::nullopt;
  Surroundings around = {directory, notes};
  BuiltTopology built = read(section, around);
  section.finish();
  // Errors that follow from an invalid key are not reported.
  if (section.diagnostics().size() != errors_before) return std::nullopt;
  for (const std::string& error : built.errors) section.refuse(error);
  if (!built.errors.empty()) return std::nullopt;
  for (const std::string& error : built.topology.errors()) section.refuse(error);
  if (section.diagnostics().size() != errors_before) return std::nullopt;
  return std::move(built.topology);
}

}  // namespace weir
