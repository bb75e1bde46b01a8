// SPDX-License-Identifier: Apache-2.0
// weir list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "apps/commands.h"
#include "apps/console.h"
#include "apps/json_text.h"
#include "apps/parameter_text.h"
#include "config/diagnostics.h"
#include "config/nearest_name.h"
#include "config/toml_file.h"
#include "pictures/expression_reference.h"
#include "pictures/picture_reference.h"
#include "policy/scheme.h"
#include "results/table.h"
#include "results/text.h"
#include "scenario/scheme_slot.h"
#include "scenario/switch_presets.h"
#include "scenario/topology_section.h"
#include "scenario/traffic_section.h"
#include "traffic/built_in_sizes.h"

namespace weir::apps {
namespace {

constexpr auto kLeft = Column::Align::left;

std::string with_head(const std::string& head, const Table& table) {
  return fmt::format("{}\n\n{}\n", head, table.format(0));
}

std::string schemes_text() {
  Table table({{"", "scheme", "", kLeft}, {"", "roles", "", kLeft}, {"", "description", "", kLeft}});
  for (const Scheme* scheme : all_schemes()) {
    const std::string note = scheme->traits.ideal ? " (ideal: cannot be implemented in a switch)" : "";
    table.add_row({std::string(scheme->name), fmt::format("{}", fmt::join(roles_of(*scheme), ", ")),
                   std::string(scheme->summary) + note});
  }
  return with_head("Schemes (weir list <scheme> shows the parameters of one)", table);
}

template <class Kind>
std::string kinds_text(const std::string& head, const std::vector<Kind>& kinds) {
  Table table({{"", "kind", "", kLeft}, {"", "description", "", kLeft}});
  for (const Kind& kind : kinds) table.add_row({std::string(kind.name), std::string(kind.summary)});
  return with_head(head, table);
}

std::string sizes_text() {
  Table table({{"", "sizes", "", kLeft}, {"", "mean", "KB"}, {"", "source", "", kLeft}});
  for (const BuiltInSizes& sizes : built_in_sizes()) {
    table.add_row({std::string(sizes.name), fmt::format("{:.1f}", built_in_size_table(sizes.name)->mean() * 1e-3),
                   std::string(sizes.source)});
  }
  return with_head("Size distributions (size = \"<name>\")", table);
}

/// The tables that are not a kind of another table.
std::string tables_text() {
  Table table({{"", "table", "", kLeft}, {"", "description", "", kLeft}});
  for (const ReferenceTable& entry : language_reference()) {
    if (entry.name.find('.') == std::string::npos) table.add_row({entry.name, entry.summary});
  }
  return with_head("Tables of a scenario (weir list <table> shows the keys of one, weir list --reference those of all)",
                   table);
}

/// The title of a scenario, without checking the rest of it.
std::string title_of(const std::filesystem::path& path) {
  Diagnostics diagnostics(path.string());
  const auto root = load_toml(path.string(), diagnostics);
  if (!root) return "(cannot be read)";
  const Value::Member* about = root->find("scenario");
  const std::string* title = about == nullptr ? nullptr : about->value.text_at("title");
  return title == nullptr ? "(has no title)" : *title;
}

std::string scenarios_text() {
  constexpr const char* kFolder = "scenarios";
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::recursive_directory_iterator it(kFolder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".toml") files.push_back(it->path());
  }
  if (files.empty()) return {};
  std::sort(files.begin(), files.end());
  Table table({{"", "scenario", "", kLeft}, {"", "title", "", kLeft}});
  for (const auto& file : files) table.add_row({file.string(), title_of(file)});
  return with_head(fmt::format("Scenarios in ./{}", kFolder), table);
}

int list_scheme(const Scheme& scheme) {
  std::string out = fmt::format("{}: {}\nroles: {}\n", scheme.name, scheme.summary, fmt::join(roles_of(scheme), ", "));
  if (!scheme.parameters.empty()) out += "\n" + parameters_text(scheme);
  return print(out) ? kDone : kFailed;
}

/// "topology" shows all its kinds; "incast" the kind of traffic, as a kind may stand without its table.
std::string presets_text() {
  Table table({{"", "preset", "", kLeft},
               {"", "chip", "", kLeft},
               {"", "buffer", "MB"},
               {"", "ports", ""},
               {"", "each", "Gbit/s"},
               {"", "source", "", kLeft}});
  for (const SwitchPreset& preset : switch_presets()) {
    table.add_row({std::string(preset.name), std::string(preset.chip), format_megabytes(preset.buffer.count()),
                   fmt::format("{}", preset.ports), fmt::format("{}", preset.rate.gigabits_per_second()),
                   std::string(preset.source)});
  }
  return with_head("Switch chips (switch.preset = \"<name>\")", table);
}

/// Names contain underscores; hyphens are accepted as well.
std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

int list_one(const std::string& written_name) {
  const std::string name = with_underscores(written_name);
  if (name == "presets") return print(presets_text()) ? kDone : kFailed;
  if (name == "expressions") return print(expressions_text()) ? kDone : kFailed;
  const std::vector<ReferenceTable> tables = language_reference();
  std::string out;
  for (const ReferenceTable& table : tables) {
    if (is_meant(table, name)) out += (out.empty() ? "" : "\n") + reference_text(table);
  }
  if (!out.empty()) return print(out) ? kDone : kFailed;
  if (const Scheme* scheme = find_scheme(name)) return list_scheme(*scheme);
  std::vector<std::string> names;
  for (const Scheme* candidate : all_schemes()) names.emplace_back(candidate->name);
  for (const ReferenceTable& table : tables) {
    names.push_back(table.name);
    if (const std::size_t dot = table.name.find('.'); dot != std::string::npos) {
      names.push_back(table.name.substr(dot + 1));
    }
  }
  names.emplace_back("presets");
  names.emplace_back("expressions");
  const std::string nearest = nearest_name(name, names);
  print_diagnostic(fmt::format("weir: unknown scheme or table \"{}\"{}", written_name,
                               nearest.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", nearest)));
  return kWrongInput;
}
}  // namespace

int list(const std::string& name, bool reference, bool json) {
  if (json) {
    const Json found = json_of_language(with_underscores(name));
    // What is not there is refused in words.
    return found.is_null() ? list_one(name) : print(json_text(found)) ? kDone : kFailed;
  }
  if (reference) return print(reference_page(language_reference()) + expressions_page()) ? kDone : kFailed;
  if (!name.empty()) return list_one(name);
  const std::string out =
      schemes_text() +
      kinds_text("Topologies ([topology] kind; weir list topology.<kind> shows its keys)", topology_kinds()) +
      kinds_text("Traffic ([[traffic]] kind; weir list traffic.<kind> shows its keys)", traffic_kinds()) +
      sizes_text() + presets_text() + tables_text() + scenarios_text();
  return print(out) ? kDone : kFailed;
}

}  // namespace weir::apps
