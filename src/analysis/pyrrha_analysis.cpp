// SPDX-License-Identifier: Apache-2.0
// What Pyrrha's tables take in a fat-tree, by optimisation and addressing: figure 31, the totals of 5.1 and of tables 4
// to 7; and the path of a packet by algorithm 1 and table 1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/pyrrha_model.h"
#include "analysis/pyrrha_path.h"
#include "analysis/pyrrha_published.h"
#include "policy/flow_hash.h"
#include "policy/routes.h"
#include "units/random.h"

namespace weir::analysis {
namespace {

using namespace literals;
using pyrrha_model::PathTables;

constexpr std::array kScales = {8.0, 16.0, 24.0, 28.0, 36.0, 48.0, 64.0, 96.0, 128.0};

struct Variant {
  PathTables tables;
  const char* name;
};
constexpr std::array kVariants = {
    Variant{PathTables::none, "no optimisation"},       Variant{PathTables::up_down, "up-down"},
    Variant{PathTables::equal_path, "equal path"},      Variant{PathTables::full, "full"},
    Variant{PathTables::regular, "regular addressing"}, Variant{PathTables::source, "source routing"}};

pyrrha_model::Memory memory_of(const Parameters& parameters) {
  const auto bits = [&](const char* name) { return static_cast<double>(parameters.get<std::int64_t>(name)); };
  return {.block = static_cast<double>(parameters.get<Bytes>("block").count()),
          .word = bits("word"),
          .address = bits("address"),
          .port = bits("port"),
          .seed = bits("seed"),
          .queue = bits("queue")};
}

Chart chart_of(const NumberTable& table, std::string y) {
  Chart out = {table.name,
               table.title,
               {{"hosts"}, Scale::logarithmic},
               {{std::move(y), table.columns.back().unit}, Scale::logarithmic}};
  for (std::size_t column = 2; column < table.columns.size(); ++column) {
    Curve curve = {table.columns[column].name};
    for (const std::vector<double>& row : table.rows) curve.points.push_back({row[1], row[column]});
    out.curves.push_back(std::move(curve));
  }
  return out;
}

/// The paper's figures as dots in a chart.
Curve published(std::string label, std::vector<Point> points) {
  for (Point& point : points) point.x = pyrrha_model::hosts(point.x);
  return {std::move(label), std::move(points), true, true};
}

void add_published(Chart& paths, Chart& others) {
  for (const Variant& variant : kVariants) {
    std::vector<Point> points;
    for (const auto& [tables, k, bytes] : pyrrha_published::kPathMemory) {
      if (tables == variant.tables) points.push_back({k, bytes});
    }
    if (points.empty()) continue;
    paths.curves.push_back(published(fmt::format("{}, the paper", variant.name), std::move(points)));
  }
  std::vector<Point> roots;
  for (const auto& [k, bytes] : pyrrha_published::kRootMemory) roots.push_back({k, bytes});
  others.curves.push_back(published("root table, the paper", std::move(roots)));
  const auto& single = pyrrha_published::kSingleTierQueues;
  const auto& hierarchical = pyrrha_published::kHierarchicalQueues;
  others.curves.push_back(published("queue manager, single-tier, the paper", {{single.k, single.bytes}}));
  others.curves.push_back(published("queue manager, hierarchical, the paper", {{hierarchical.k, hierarchical.bytes}}));
}

/// One row per figure of the paper; columns of the tables by optimisation that it does not concern are empty.
NumberTable published_paths(const pyrrha_model::Memory& memory) {
  NumberTable out = {
      "published_path_memory", "SRAM of path calculation: the paper's figures and this model's (E.1)", {{"k"}}};
  for (const Variant& variant : kVariants) {
    if (variant.tables == PathTables::source) continue;
    out.columns.push_back({fmt::format("{}, the paper", variant.name), "bytes"});
    out.columns.push_back({fmt::format("{}, the model", variant.name), "bytes"});
  }
  std::vector<double> scales;
  for (const auto& at : pyrrha_published::kPathMemory) scales.push_back(at.k);
  std::sort(scales.begin(), scales.end());
  scales.erase(std::unique(scales.begin(), scales.end()), scales.end());
  for (const double k : scales) {
    std::vector<double> row(out.columns.size(), std::numeric_limits<double>::quiet_NaN());
    row[0] = k;
    for (std::size_t variant = 0; 2 * variant + 2 < row.size(); ++variant) {
      for (const auto& at : pyrrha_published::kPathMemory) {
        if (at.k != k || at.tables != kVariants[variant].tables) continue;
        row[2 * variant + 1] = at.bytes;
        row[2 * variant + 2] = pyrrha_model::path_memory(at.tables, k, memory);
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

NumberTable published_units(const pyrrha_model::Memory& memory) {
  NumberTable out = {"published_units",
                     "SRAM of the root table, the queue manager and all three units: the paper's figures and this "
                     "model's (5.1, E.2, E.3, figures 31b and 31c)",
                     {{"k"},
                      {"root table, the paper", "bytes"},
                      {"root table, the model", "bytes"},
                      {"queue manager, single-tier, the paper", "bytes"},
                      {"queue manager, single-tier, the model", "bytes"},
                      {"queue manager, hierarchical, the paper", "bytes"},
                      {"queue manager, hierarchical, the model", "bytes"},
                      {"three units, single-tier, the paper", "bytes"},
                      {"three units, single-tier, the model", "bytes"}}};
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto queues = [&](bool hierarchical, const pyrrha_published::Memory& at, double k) {
    return at.k == k ? std::pair(at.bytes, pyrrha_model::queue_memory(hierarchical, k, memory))
                     : std::pair(kNone, kNone);
  };
  for (const auto& roots : pyrrha_published::kRootMemory) {
    const double k = roots.k;
    const double model = pyrrha_model::root_memory(k, memory);
    const auto single = queues(false, pyrrha_published::kSingleTierQueues, k);
    const auto levels = queues(true, pyrrha_published::kHierarchicalQueues, k);
    const double all = pyrrha_model::path_memory(PathTables::full, k, memory) + model + single.second;
    out.rows.push_back({k, roots.bytes, model, single.first, single.second, levels.first, levels.second,
                        k == pyrrha_published::kSingleTierQueues.k ? pyrrha_published::kUnits : kNone, all});
  }
  return out;
}

NumberTable published_totals(const pyrrha_model::Memory& memory, double logic, double sram) {
  NumberTable out = {"published_totals",
                     "SRAM of all units and the logic: tables 4 to 7 of the paper and this model",
                     {{"table"},
                      {"k"},
                      {"hierarchical"},
                      {"regular addressing"},
                      {"the paper", "%"},
                      {"the model", "%"},
                      {"the paper", "bytes"},
                      {"the model", "bytes"}}};
  for (const auto& total : pyrrha_published::kTotals) {
    const double bytes =
        pyrrha_model::path_memory(total.regular ? PathTables::regular : PathTables::full, total.k, memory) +
        pyrrha_model::root_memory(total.k, memory) + pyrrha_model::queue_memory(total.hierarchical, total.k, memory) +
        logic;
    out.rows.push_back({static_cast<double>(total.table), total.k, total.hierarchical ? 1.0 : 0.0,
                        total.regular ? 1.0 : 0.0, 100 * total.blocks / pyrrha_published::kBlocks, 100 * bytes / sram,
                        total.blocks * pyrrha_published::kBlock, bytes});
  }
  return out;
}

HashKind hash_of(const Parameters& parameters) {
  return parameters.get<std::string>("hash") == "xor" ? HashKind::xor_fold : HashKind::crc32;
}

/// Paths of the packets of one host: to the neighbour, to another switch of its pod, and to the last pod.
NumberTable packet_paths(const Parameters& parameters) {
  const auto k = static_cast<int>(parameters.get<std::int64_t>("path_k"));
  const auto entropy = static_cast<std::uint16_t>(parameters.get<std::int64_t>("entropy"));
  const auto seed = static_cast<std::uint64_t>(parameters.get<std::int64_t>("seeds"));
  const HashKind kind = hash_of(parameters);
  const int half = k / 2;
  const auto number = [half](const pyrrha_path::Address& at) {
    return HostId(static_cast<std::size_t>((at.pod * half + at.edge) * half + at.host));
  };
  NumberTable out = {
      "paths",
      "Paths from 10.0.0.0 by algorithm 1, with the IDs of table 1: to a host of its switch, of its pod, "
      "and of the last pod",
      {{"destination's pod"},
       {"switch"},
       {"host"},
       {"hop"},
       {"switch ID, upper byte"},
       {"switch ID, lower byte"},
       {"port ID"},
       {"hashes of the path"},
       {"lookups of the path"}},
      {},
      4};
  const pyrrha_path::Address source = {};
  const std::array<pyrrha_path::Address, 3> destinations = {
      {{0, 0, half - 1}, {0, half - 1, half - 1}, {k - 1, half - 1, half - 1}}};
  for (const pyrrha_path::Address& to : destinations) {
    const FlowKey key = {number(source), number(to), entropy};
    const auto uplink = [&](std::uint16_t id) {
      std::uint32_t hash = flow_hash(kind, static_cast<std::uint32_t>(mix(seed, id) >> 32), key);
      if (kind == HashKind::xor_fold)
        hash = __builtin_bswap32(hash);  // its low bits are the best, select() takes the high
      std::vector<PortId> ports;
      for (int i = 0; i < half; ++i) ports.emplace_back(static_cast<std::size_t>(i));
      return static_cast<int>(select({ports, {}}, hash).value);
    };
    const pyrrha_path::Path path = pyrrha_path::path(source, to, uplink, uplink);
    double hop = 0;
    for (const pyrrha_path::Hop& at : path.hops) {
      out.rows.push_back({static_cast<double>(to.pod), static_cast<double>(to.edge), static_cast<double>(to.host),
                          ++hop, static_cast<double>(at.switch_id >> 8), static_cast<double>(at.switch_id & 0xff),
                          static_cast<double>(at.port_id), static_cast<double>(path.hashes),
                          static_cast<double>(path.lookups)});
    }
  }
  return out;
}

Findings pyrrha_findings(const Parameters& parameters) {
  const pyrrha_model::Memory memory = memory_of(parameters);
  const auto sram = static_cast<double>(parameters.get<Bytes>("sram").count());
  const auto logic = static_cast<double>(parameters.get<Bytes>("logic").count());
  NumberTable entries = {"path_entries", "Entries for path calculation in a ToR (E.1)", {{"k"}, {"hosts"}}};
  NumberTable paths = {"path_memory", "SRAM of path calculation (figure 31a)", {{"k"}, {"hosts"}}};
  for (const Variant& variant : kVariants) {
    entries.columns.push_back({variant.name});
    paths.columns.push_back({variant.name, "bytes"});
  }
  NumberTable others = {"roots_and_queues",
                        "SRAM of the congestion root table and the queue manager (figures 31b and 31c)",
                        {{"k"},
                         {"hosts"},
                         {"root table", "bytes"},
                         {"queue manager, single-tier", "bytes"},
                         {"queue manager, hierarchical", "bytes"}}};
  NumberTable totals = {"totals",
                        "The three units with full optimisation, and with the processing logic (5.1)",
                        {{"k"},
                         {"hosts"},
                         {"single-tier", "bytes"},
                         {"and logic", "bytes"},
                         {"of the SRAM", "%"},
                         {"hierarchical and logic", "bytes"},
                         {"hierarchical, regular addressing and logic", "bytes"}}};
  for (const double k : kScales) {
    const double hosts = pyrrha_model::hosts(k);
    std::vector<double> count = {k, hosts};
    std::vector<double> size = {k, hosts};
    for (const Variant& variant : kVariants) {
      count.push_back(pyrrha_model::path_entries(variant.tables, k));
      size.push_back(pyrrha_model::path_memory(variant.tables, k, memory));
    }
    const double roots = pyrrha_model::root_memory(k, memory);
    const double single = pyrrha_model::queue_memory(false, k, memory);
    const double hierarchical = pyrrha_model::queue_memory(true, k, memory);
    const double base = pyrrha_model::path_memory(PathTables::full, k, memory) + roots;
    const double regular = pyrrha_model::path_memory(PathTables::regular, k, memory) + roots;
    entries.rows.push_back(std::move(count));
    paths.rows.push_back(std::move(size));
    others.rows.push_back({k, hosts, roots, single, hierarchical});
    totals.rows.push_back({k, hosts, base + single, base + single + logic, 100 * (base + single + logic) / sram,
                           base + hierarchical + logic, regular + hierarchical + logic});
  }
  Findings out;
  out.charts = {chart_of(paths, "SRAM"), chart_of(others, "SRAM")};
  add_published(out.charts[0], out.charts[1]);
  out.tables = {std::move(entries),
                std::move(paths),
                std::move(others),
                std::move(totals),
                published_paths(memory),
                published_units(memory),
                published_totals(memory, logic, sram),
                packet_paths(parameters)};
  return out;
}

std::vector<std::string> pyrrha_errors(const Parameters& parameters) {
  const pyrrha_model::Memory memory = memory_of(parameters);
  std::vector<std::string> out;
  if (memory.address + memory.port > memory.word) out.emplace_back("address and port together must fit into a word");
  if (memory.seed > memory.word) out.emplace_back("seed must fit into a word");
  if (memory.queue > memory.word) out.emplace_back("queue must fit into a word");
  if (parameters.get<std::int64_t>("path_k") % 2 != 0) out.emplace_back("path_k must be even");
  return out;
}

}  // namespace

extern const Analysis pyrrha_analysis;  // of the registry: a constant would be this file's own without it
const Analysis pyrrha_analysis = {
    .name = "pyrrha",
    .summary = "the memory of Pyrrha's tables in a fat-tree: paths, congestion roots, queues; how paths are computed",
    .source = "pyrrha 5.1 and E: figure 31, algorithm 1, tables 1 to 7",
    .parameters = {{.name = "block",
                    .default_value = Bytes(16'384),
                    .meaning = "size of an SRAM block, the unit of allocation",
                    .source = "tables 2 to 7: 120 blocks are 7.5 % of 25 MB",
                    .minimum = 1,
                    .maximum = 1e9},
                   {.name = "word",
                    .default_value = std::int64_t{128},
                    .meaning = "bits per word of SRAM; an entry does not span words",
                    .source = "ours; the paper gives no size",
                    .minimum = 1,
                    .maximum = 4096},
                   {.name = "address",
                    .default_value = std::int64_t{32},
                    .meaning = "bits of a destination in a forwarding entry",
                    .source = "E.1.3: 10.pod.switch.host",
                    .minimum = 1,
                    .maximum = 128},
                   {.name = "port",
                    .default_value = std::int64_t{8},
                    .meaning = "bits of a port ID",
                    .source = "E.1.3",
                    .minimum = 1,
                    .maximum = 64},
                   {.name = "seed",
                    .default_value = std::int64_t{32},
                    .meaning = "bits of a switch's hash seed",
                    .source = "ours; the paper gives no size",
                    .minimum = 1,
                    .maximum = 128},
                   {.name = "queue",
                    .default_value = std::int64_t{8},
                    .meaning = "bits of a queue ID",
                    .source = "ours: 100 queues per port (section 6)",
                    .minimum = 1,
                    .maximum = 64},
                   {.name = "sram",
                    .default_value = Bytes(1'600 * 16'384),
                    .meaning = "SRAM of the switch",
                    .source = "E.1.2: 25 MB; tables 2 to 7: 1,600 blocks",
                    .minimum = 1,
                    .maximum = 1e15},
                   {.name = "logic",
                    .default_value = Bytes(120 * 16'384),
                    .meaning = "memory of the processing logic, at every scale",
                    .source = "table 3: 120 blocks; 5.1: 1.88 MB",
                    .maximum = 1e15},
                   {.name = "path_k",
                    .default_value = std::int64_t{36},
                    .meaning = "ports per switch of the fat-tree whose paths are shown; even",
                    .source = "5.1: 11,664 hosts",
                    .minimum = 4,
                    .maximum = pyrrha_path::kMostPorts},
                   {.name = "hash",
                    .default_value = std::string("crc32"),
                    .meaning = "hash function by which the switches of these paths choose an uplink",
                    .source = "E.1: CRC or XOR",
                    .choices = {"crc32", "xor"}},
                   {.name = "seeds",
                    .default_value = std::int64_t{1},
                    .meaning = "value from which the switches' hash seeds are derived",
                    .source = "ours",
                    .maximum = 9e15},
                   {.name = "entropy",
                    .default_value = std::int64_t{0},
                    .meaning = "UDP source port of the packets of these paths",
                    .source = "ours",
                    .maximum = 65'535}},
    .findings = pyrrha_findings,
    .errors = pyrrha_errors,
};

}  // namespace weir::analysis
