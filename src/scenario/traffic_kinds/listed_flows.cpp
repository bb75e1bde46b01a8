// SPDX-License-Identifier: Apache-2.0
// Kinds "flows" and "file", which list their flows.
#include "scenario/traffic_kinds/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config/quantity.h"
#include "scenario/named_file.h"
#include "traffic/flow_file.h"
#include "traffic/flow_list.h"

namespace weir {
namespace {

/// Refuses common keys that have no meaning for this kind, and removes them from the effective configuration.
void refuse_keys(Reader& reader, std::initializer_list<const char*> keys, std::string_view why) {
  for (const char* key : keys) {
    if (reader.has(key)) reader.refuse(*reader.value()->find(key), std::string(why));
    reader.withdraw(key);
  }
}

TrafficReading listed(const std::function<std::vector<FlowSpec>(std::uint64_t)>& list, Duration window) {
  return {.make = [list, window](std::uint64_t seed) { return std::make_unique<FlowListSource>(list(seed), window); },
          .list = list,
          .load_window = window};
}

/// Applies the scenario's label to flows of a file that have none, and makes flows to one of these hosts an incast.
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

}  // namespace

TrafficReading read_flows(Reader& reader, const TrafficContext& context, const SourceSettings& settings) {
  refuse_keys(reader, {"stop", "flow_limit"}, "has no meaning for flows that are listed one by one");
  Duration window;
  reader.optional("load_window", window,
                  "period over which the flows are averaged as offered load; 0: they do not count as offered load");
  std::vector<FlowSpec> flows;
  std::vector<FlowSize> sizes;
  std::vector<Reader> tables = reader.tables("flow", "a flow");
  bool good = true;
  for (Reader& table : tables) {
    const auto from = context.names.host(table, "source", "sources");
    const auto to = context.names.host(table, "destination", "destinations");
    FlowSpec flow = settings.flow(settings.start);
    const auto size = read_size(table, context);
    std::optional<Time> stop;
    table.optional("start", flow.start, "start of the flow");
    table.optional("stop", stop, "time at which its sender stops");
    table.optional("rate_limit", flow.rate_limit, "maximum rate of the sender; 0: no limit");
    check_rate_limit(table, context, flow.rate_limit);
    table.optional("priority", flow.priority, "priority of the data", Range<Priority>{Priority{0}, Priority{7}, false});
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

TrafficReading read_file(Reader& reader, const TrafficContext& context, const SourceSettings& settings) {
  static constexpr Named<FlowFileFormat> kFormats[] = {
      {"detect", FlowFileFormat::detect}, {"hpcc", FlowFileFormat::hpcc}, {"conweave", FlowFileFormat::conweave}};
  refuse_keys(reader, {"priority", "rate_limit", "start", "stop", "end_flows", "flow_limit"},
              "has no meaning for flows of a file");
  FlowFileOptions options;
  const std::optional<NamedFile> file =
      read_named_file(reader, "path", "path of the file, relative to the scenario's folder", context.directory);
  reader.choice<FlowFileFormat>("format", options.format, kFormats, "columns of the file; detect: from the contents");
  reader.optional("origin", options.origin, "time in the file at which the run begins");
  bool by_node = context.numbered_by_node;
  reader.optional("numbers_are_nodes", by_node,
                  "hosts are numbered as nodes (among hosts and switches), not among hosts only");
  Duration window;
  reader.optional("load_window", window,
                  "period over which the flows are averaged as offered load; 0: they do not count as offered load");
  const auto incast =
      context.names.hosts(reader, "incast_destinations", "",
                          "flows to these hosts form an incast, like those with dport 200 in HPCC's format");
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
  TrafficReading kind = listed([shared](std::uint64_t) { return *shared; }, window);
  kind.incast_destinations = *incast;
  return kind;
}

}  // namespace weir
