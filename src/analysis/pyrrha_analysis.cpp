// SPDX-License-Identifier: Apache-2.0
// What Pyrrha's tables take in a fat-tree, by optimisation and addressing: figure 31 and the totals of 5.1.
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/pyrrha_model.h"

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

Findings findings(const Parameters& parameters) {
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
                         {"hierarchical and logic", "bytes"}}};
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
    entries.rows.push_back(std::move(count));
    paths.rows.push_back(std::move(size));
    others.rows.push_back({k, hosts, roots, single, hierarchical});
    totals.rows.push_back({k, hosts, base + single, base + single + logic, 100 * (base + single + logic) / sram,
                           base + hierarchical + logic});
  }
  Findings out;
  out.charts = {chart_of(paths, "SRAM"), chart_of(others, "SRAM")};
  out.tables = {std::move(entries), std::move(paths), std::move(others), std::move(totals)};
  return out;
}

std::vector<std::string> errors(const Parameters& parameters) {
  const pyrrha_model::Memory memory = memory_of(parameters);
  std::vector<std::string> out;
  if (memory.address + memory.port > memory.word) out.emplace_back("address and port together must fit into a word");
  if (memory.seed > memory.word) out.emplace_back("seed must fit into a word");
  if (memory.queue > memory.word) out.emplace_back("queue must fit into a word");
  return out;
}

}  // namespace

extern const Analysis pyrrha_analysis;  // of the registry: a constant would be this file's own without it
const Analysis pyrrha_analysis = {
    .name = "pyrrha",
    .summary = "the memory of Pyrrha's tables in a fat-tree: paths, congestion roots, queues",
    .source = "pyrrha 5.1 and E",
    .parameters = {{.name = "block",
                    .default_value = Bytes(16'384),
                    .meaning = "size of an SRAM block, the unit of allocation",
                    .source = "ours: 1,024 words of 128 bits; E.2 mentions blocks without a size",
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
                    .source = "ours: 100 queues per port (E.3)",
                    .minimum = 1,
                    .maximum = 64},
                   {.name = "sram",
                    .default_value = Bytes(25'000'000),
                    .meaning = "SRAM of the switch",
                    .source = "E.1.2: 25 MB",
                    .minimum = 1,
                    .maximum = 1e15},
                   {.name = "logic",
                    .default_value = Bytes(1'880'000),
                    .meaning = "memory of the processing logic, at every scale",
                    .source = "table 3: 7.5 % of 25 MB",
                    .maximum = 1e15}},
    .findings = findings,
    .errors = errors,
};

}  // namespace weir::analysis
