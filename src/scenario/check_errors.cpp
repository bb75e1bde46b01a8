#include "scenario/check_errors.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "scenario/diagnostics.h"
#include "scenario/effective.h"
#include "scenario/value.h"

namespace weir {
namespace {

/// The table of a list whose `name` this is.
const EffectiveTable* named(const EffectiveEntry& list, std::string_view name) {
  for (const auto& table : list.tables) {
    for (const EffectiveEntry& entry : table->entries) {
      if (entry.key == "name" && entry.value == in_quotes(name)) return table.get();
    }
  }
  return nullptr;
}

/// Where the first of the table's values that were given was written.
Origin first_origin(const EffectiveTable& table) {
  Origin first;
  for (const EffectiveEntry& entry : table.entries) {
    const Origin& origin = entry.origin;
    if (origin.kind == Origin::Kind::nowhere) continue;
    const bool before = std::pair(origin.line, origin.column) < std::pair(first.line, first.column);
    if (first.kind == Origin::Kind::nowhere || before) first = origin;
  }
  return first;
}

/// Where `section.key`, or the element `section.name` of a list, was written.
Origin origin_of(const EffectiveTable& root, std::string_view path) {
  const std::size_t dot = path.find('.');
  const std::string_view section = path.substr(0, dot);
  const std::string_view rest = path.substr(std::min(path.size(), dot + 1));
  for (const EffectiveEntry& entry : root.entries) {
    if (entry.key != section) continue;
    if (entry.shape == EffectiveEntry::Shape::tables) {
      const EffectiveTable* element = named(entry, rest);
      return element == nullptr ? Origin() : first_origin(*element);
    }
    for (const auto& table : entry.tables) {
      for (const EffectiveEntry& below : table->entries) {
        if (below.key == rest) return below.origin;
      }
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> check_errors(const Scenario& scenario, const std::vector<CheckedVariant>& checked) {
  Diagnostics diagnostics(scenario.file);
  for (std::size_t i = 0; i < checked.size(); ++i) {
    const ScenarioVariant& variant = scenario.variants[i];
    if (!variant.name.empty()) diagnostics.begin_variant(variant.name);
    for (const CheckedError& error : checked[i].errors) {
      diagnostics.add(origin_of(variant.effective, error.key), error.key, error.message);
    }
  }
  return diagnostics.lines();
}

}  // namespace weir
