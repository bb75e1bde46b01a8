// SPDX-License-Identifier: Apache-2.0
#include "config/overlay.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "config/nearest_name.h"

namespace weir {
namespace {

/// Whether both state which of several forms they have, and the forms differ.
bool of_different_forms(const Value& base, const Value& over) {
  for (const char* key : {"scheme", "kind"}) {
    const std::string* below = base.text_at(key);
    const std::string* above = over.text_at(key);
    if (below != nullptr && above != nullptr && *below != *above) return true;
  }
  return false;
}

std::vector<std::string> names_of(const Value& element) {
  std::vector<std::string> out;
  for (const char* key : {"name", "scheme"}) {
    if (const std::string* name = element.text_at(key)) out.push_back(*name);
  }
  return out;
}

std::optional<std::size_t> index_of(const Value::List& list, const std::string& key) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (const std::string& name : names_of(list[i])) {
      if (name == key) return i;
    }
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error == std::errc() && end == key.data() + key.size() && number < list.size()) return number;
  return std::nullopt;
}

void change_elements(Value::List& list, const Value::Table& over, const std::string& path, Diagnostics& diagnostics) {
  for (const Value::Member& member : over) {
    const std::string below = fmt::format("{}.{}", path, written_key(member.key));
    if (const auto index = index_of(list, member.key)) {
      lay_over(list[*index], member.value, below, diagnostics);
      continue;
    }
    std::vector<std::string> names;
    for (const Value& element : list) {
      for (std::string& name : names_of(element)) names.push_back(std::move(name));
    }
    diagnostics.add(
        member.origin, below,
        fmt::format("does not match an element of the list {}, which has {}: expected a name, or an index from 0", path,
                    list.size()),
        nearest_name(member.key, names));
  }
}

}  // namespace

void lay_over(Value& base, const Value& over, const std::string& path, Diagnostics& diagnostics) {
  const Value::Table* upper = over.table();
  if (upper != nullptr && base.table() != nullptr && !of_different_forms(base, over)) {
    for (const Value::Member& member : *upper) {
      if (Value::Member* below = base.find(member.key)) {
        below->origin = member.origin;
        lay_over(below->value, member.value, path.empty() ? member.key : fmt::format("{}.{}", path, member.key),
                 diagnostics);
      } else {
        base.table()->push_back(member);
      }
    }
  } else if (upper != nullptr && base.list() != nullptr && over.text_at("scheme") == nullptr) {
    change_elements(*base.list(), *upper, path, diagnostics);
  } else {
    base = over;
  }
}

void mark_variant(Value& value, const std::string& variant) {
  value.origin.variant = variant;
  if (auto* list = value.list()) {
    for (Value& element : *list) mark_variant(element, variant);
  } else if (auto* table = value.table()) {
    for (Value::Member& member : *table) {
      member.origin.variant = variant;
      mark_variant(member.value, variant);
    }
  }
}

}  // namespace weir
