// SPDX-License-Identifier: Apache-2.0
#include "scenario/reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "config/diagnostics.h"
#include "config/reader.h"
#include "scenario/capture_section.h"
#include "scenario/graph_file.h"
#include "scenario/node_names.h"
#include "scenario/node_sections.h"
#include "scenario/parameter_words.h"
#include "scenario/run_sections.h"
#include "scenario/scheme_slot.h"
#include "scenario/section_meanings.h"
#include "scenario/sweep.h"
#include "scenario/switch_presets.h"
#include "scenario/topology_section.h"
#include "scenario/traffic_section.h"

namespace weir {
namespace {

/// Runs the readers of a scenario on empty input.
class Describer {
 public:
  std::vector<ReferenceTable> describe() {
    const NodeNames& names = names_;
    section("scenario", kAboutMeaning, [](Reader reader) { read_about_section(std::move(reader)); });
    for (const TopologyKind& kind : topology_kinds()) {
      add(fmt::format("topology.{}", kind.name), fmt::format("[topology] of kind \"{}\"", kind.name), kind.summary,
          [&](Reader reader) { describe_topology(kind.name, reader); });
    }
    list("failure", kFailureMeaning, [&](Reader& root) { read_failures(root, names); });
    list("weight", kWeightMeaning, [&](Reader& root) { read_weights(root, names); });
    section("routing", kRoutingMeaning, [](Reader reader) { read_routing_section(std::move(reader)); });
    section("switch", kSwitchMeaning, [&](Reader reader) {
      std::vector<SwitchGroup> groups;
      read_switch_section(std::move(reader), names, groups);
    });
    section("host", kHostMeaning, [&](Reader reader) {
      Framing framing = Framing::rocev2();
      std::vector<HostSettingsGroup> groups;
      read_host_section(std::move(reader), names, framing, groups);
    });
    section("measure", kMeasureMeaning, [&](Reader reader) { read_measure_section(std::move(reader), names); });
    section("capture", kCaptureMeaning, [&](Reader reader) { read_capture_section(std::move(reader), names); });
    section("run", kRunMeaning, [](Reader reader) {
      std::vector<std::uint64_t> seeds;
      read_run_section(std::move(reader), seeds);
    });
    list("sweep", kSweepMeaning, [](Reader& root) { read_sweeps(root); });
    describe_all_traffic();
    return std::move(tables_);
  }

 private:
  template <class Read>
  void add(std::string name, std::string heading, std::string_view summary, const Read& read) {
    ReferenceTable table;
    table.keys.describing = true;
    // Errors about missing input are irrelevant here.
    Diagnostics unheard("");
    read(Reader(unheard, nullptr, {}, name, table.keys));
    table.name = std::move(name);
    table.heading = std::move(heading);
    table.summary = summary;
    tables_.push_back(std::move(table));
  }
  template <class Read>
  void section(const std::string& name, std::string_view summary, const Read& read) {
    add(name, fmt::format("[{}]", name), summary, read);
  }
  void list(const std::string& name, std::string_view summary, const std::function<void(Reader&)>& read) {
    tables_.push_back(describe_list(name, summary, read));
  }
  void describe_all_traffic() {
    std::vector<std::string> notes;
    const std::filesystem::path nowhere;
    const TrafficContext context = {names_, nowhere, HostSettings().payload, Framing::rocev2(), false, Racks(), notes};
    add("traffic", "[[traffic]]", fmt::format("{}: the keys of all kinds", kTrafficMeaning),
        [](Reader reader) { describe_traffic(reader); });
    for (const TrafficKind& kind : traffic_kinds()) {
      add(fmt::format("traffic.{}", kind.name), fmt::format("[[traffic]] of kind \"{}\"", kind.name), kind.summary,
          [&](Reader reader) { describe_traffic_kind(kind.name, reader, context); });
    }
    add("size", "size = { ... }",
        "flow sizes: a size (\"64 KB\"), the name of a size distribution (\"websearch\"), \"endless\", or a table with "
        "packets, with min and max, or with file",
        [&](Reader reader) { describe_size(reader, context); });
  }

  NodeNames names_{nullptr};
  std::vector<ReferenceTable> tables_;
};

/// The accepted values of a key, without the example.
std::string kind_of(const EffectiveEntry& entry) {
  const std::string example = " with its unit, such as ";
  std::string kind = entry.kind;
  if (const std::size_t at = kind.find(example); at != std::string::npos) kind.erase(at);
  return kind;
}

std::string default_of(const EffectiveEntry& entry) {
  if (entry.required) return "required";
  return entry.default_value.empty() ? "none" : entry.default_value;
}

/// Calls visit(path, table) for a table and its subtables; the paths of lists of tables end with "[]".
void visit_tables(const EffectiveTable& table, const std::string& path,
                  const std::function<void(const std::string&, const EffectiveEntry*, const EffectiveTable&)>& visit,
                  const EffectiveEntry* entry = nullptr) {
  visit(path, entry, table);
  for (const EffectiveEntry& below : table.entries) {
    const std::string name = (path.empty() ? "" : path + ".") + below.key;
    const bool list = below.shape == EffectiveEntry::Shape::tables;
    for (const auto& child : below.tables) visit_tables(*child, list ? name + "[]" : name, visit, &below);
  }
}

bool is_value(const EffectiveEntry& entry) {
  return entry.shape == EffectiveEntry::Shape::value;
}

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string as_sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

void write_table(const ReferenceTable& table, std::string& out) {
  out += fmt::format("\n## {}\n\n{}.\n", table.heading, as_sentence(table.summary));
  visit_tables(table.keys, "", [&](const std::string& path, const EffectiveEntry* entry, const EffectiveTable& below) {
    if (entry != nullptr) out += fmt::format("\n`{}`: {}\n", path, entry->meaning);
    out += "\n| key | type | default | range | meaning |\n|---|---|---|---|---|\n";
    for (const EffectiveEntry& key : below.entries) {
      if (!is_value(key)) continue;
      const std::string value = default_of(key);
      const bool word = value == "required" || value == "none";
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.key, cell(kind_of(key)),
                         word ? value : fmt::format("`{}`", cell(value)), cell(key.range), cell(key.meaning));
    }
  });
}

void write_scheme(const Scheme& scheme, std::string& out) {
  out += fmt::format("\n### {}\n\n{}. Roles: {}.\n", scheme.name, scheme.summary, fmt::join(roles_of(scheme), ", "));
  if (scheme.parameters.empty()) return;
  const bool by_role = has_parameters_of_roles(scheme);
  out += fmt::format("\n| parameter |{} type | default | meaning | source of the default |\n|---|{}---|---|---|---|\n",
                     by_role ? " in |" : "", by_role ? "---|" : "");
  for (const ParameterSpec& spec : scheme.parameters) {
    const bool computed = spec.from_traffic || spec.from_network.figure != NetworkFigure::none;
    const std::string value = cell(default_text(spec));
    out += fmt::format("| `{}` |{} {} | {} | {} | {} |\n", spec.name,
                       by_role ? fmt::format(" `{}` |", tables_of(scheme, spec, "`, `")) : "", cell(kind_phrase(spec)),
                       computed ? value : fmt::format("`{}`", value), cell(spec.meaning), cell(spec.source));
  }
}

}  // namespace

std::vector<ReferenceTable> scenario_reference() {
  return Describer().describe();
}

ReferenceTable describe_list(const std::string& name, std::string_view summary,
                             const std::function<void(Reader& root)>& read) {
  EffectiveTable keys;
  keys.describing = true;
  Diagnostics unheard("");
  Reader root(unheard, nullptr, {}, "", keys);
  read(root);
  ReferenceTable table;
  table.name = name;
  table.heading = fmt::format("[[{}]]", name);
  table.summary = summary;
  table.keys = std::move(*keys.entries.front().tables.front());
  return table;
}

bool is_meant(const ReferenceTable& table, const std::string& name) {
  return table.name == name || table.name.starts_with(name + ".") || table.name.ends_with("." + name);
}

std::string reference_text(const ReferenceTable& table) {
  std::string out = fmt::format("{}: {}\n", table.heading, table.summary);
  visit_tables(table.keys, "", [&](const std::string& path, const EffectiveEntry* entry, const EffectiveTable& below) {
    if (entry != nullptr) out += fmt::format("\n{}: {}\n", path, entry->meaning);
    for (const EffectiveEntry& key : below.entries) {
      if (!is_value(key)) continue;
      const std::string value = default_of(key);
      const bool word = value == "required" || value == "none";
      out += fmt::format("\n  {}{}{}\n      {}{}{}\n      {}\n", key.key, word ? "" : " = ",
                         word ? fmt::format("  ({})", value == "none" ? "no default" : value) : value, kind_of(key),
                         key.range.empty() ? "" : ", ", key.range, key.meaning);
    }
  });
  return out;
}

std::string reference_page(const std::vector<ReferenceTable>& tables) {
  std::string out =
      "# The scenario language\n\n"
      "This page lists every table and key of a scenario. `weir list --reference` generates it from the program;\n"
      "`weir list switch` or `weir list traffic.poisson` shows one table. Unknown keys are errors.\n\n"
      "- A value of type *hosts* is " +
      std::string(NodeNames::kHostForms) + ".\n- A value of type *switches* is " +
      std::string(NodeNames::kSwitchForms) +
      ".\n- Quantities have units: `\"600 ns\"`, `\"12 MB\"` (10^6 bytes), `\"12 MiB\"` (2^20 bytes each), `\"100 "
      "Gbit/s\"`, "
      "`\"30 m\"`.\n"
      "- `[variants.<name>]` contains the changes of a variant. On the command line, `--set key.path=value` changes "
      "all\n"
      "  variants, and `--set variants.<name>.key.path=value` changes one.\n"
      "- [Campaigns](campaigns.md) has examples of `[[sweep]]` and `[[picture]]`.\n";
  for (const ReferenceTable& table : tables) write_table(table, out);
  out += graph_files_page();
  out += switch_presets_page();
  out += "\n## Schemes\n";
  for (const Scheme* scheme : all_schemes()) write_scheme(*scheme, out);
  return out;
}

}  // namespace weir
