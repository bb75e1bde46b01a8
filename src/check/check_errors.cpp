// SPDX-License-Identifier: Apache-2.0
#include "check/check_errors.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "config/value.h"

namespace weir {
namespace {

/// The table of a list with this `name`.
const EffectiveTable* named(const EffectiveEntry& list, std::string_view name) {
  for (const auto& table : list.tables) {
    for (const EffectiveEntry& entry : table->entries) {
      if (entry.key == "name" && entry.value == in_quotes(name)) return table.get();
    }
  }
  return nullptr;
}

/// Whether it comes from a line of a file or from an option of the command line.
bool is_written(const Origin& origin) {
  return origin.kind == Origin::Kind::file || origin.kind == Origin::Kind::command_line;
}

/// The position of the first value of the table that was given.
Origin first_origin(const EffectiveTable& table) {
  Origin first;
  for (const EffectiveEntry& entry : table.entries) {
    const Origin& origin = entry.origin;
    if (!is_written(origin)) continue;
    const bool before = std::pair(origin.line, origin.column) < std::pair(first.line, first.column);
    if (!is_written(first) || before) first = origin;
  }
  return first;
}

/// The table of a list with this `name`, or otherwise with this index.
const EffectiveTable* element_of(const EffectiveEntry& list, std::string_view name) {
  if (const EffectiveTable* table = named(list, name)) return table;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && number < list.tables.size() ? list.tables[number].get() : nullptr;
}

/// The position of `section.key`, of the element `list.name`, or of a key of such an element. For a key that was not
/// given: no position, or the beginning of its element.
Origin origin_of(const EffectiveTable& table, std::string_view path) {
  if (path.empty()) return first_origin(table);
  const std::size_t dot = std::min(path.size(), path.find('.'));
  const std::string_view rest = path.substr(std::min(path.size(), dot + 1));
  for (const EffectiveEntry& entry : table.entries) {
    if (entry.key != path.substr(0, dot)) continue;
    if (entry.shape == EffectiveEntry::Shape::value) return is_written(entry.origin) ? entry.origin : Origin();
    if (entry.shape == EffectiveEntry::Shape::table) return origin_of(*entry.tables.front(), rest);
    // Names may contain dots: the whole remainder is tried first.
    for (std::size_t end = rest.size(); end != std::string_view::npos && end > 0; end = rest.rfind('.', end - 1)) {
      const EffectiveTable* element = element_of(entry, rest.substr(0, end));
      if (element == nullptr) continue;
      const Origin origin = origin_of(*element, rest.substr(std::min(rest.size(), end + 1)));
      return is_written(origin) ? origin : first_origin(*element);
    }
    // If the list has no such element, the beginning of the list.
    return entry.tables.empty() ? entry.origin : first_origin(*entry.tables.front());
  }
  return {};
}

}  // namespace

std::vector<std::string> check_errors(const Scenario& scenario, const std::vector<CheckedVariant>& checked) {
  Diagnostics diagnostics(scenario.file);
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const ScenarioVariant& variant = scenario.variants[i];
    if (!variant.label().empty()) diagnostics.begin_variant(variant.label());
    for (const CheckedError& error : checked[i].errors) {
      diagnostics.add(origin_of(variant.effective, error.key), error.key, error.message);
    }
  }
  return diagnostics.lines();
}

}  // namespace weir
