// SPDX-License-Identifier: Apache-2.0
#include "config/reader.h"

#include <algorithm>

#include "config/nearest_name.h"

namespace weir {

Reader::Reader(Diagnostics& diagnostics, const Value* table, Origin origin, std::string path, EffectiveTable& effective)
    : diagnostics_(&diagnostics),
      table_(table),
      origin_(std::move(origin)),
      path_(std::move(path)),
      effective_(&effective) {}

std::string Reader::path_to(std::string_view key) const {
  return path_.empty() ? written_key(key) : fmt::format("{}.{}", path_, written_key(key));
}

void Reader::declare(std::string_view key, std::string_view kind, std::string_view meaning, std::string default_value,
                     std::string range) {
  EffectiveEntry entry;
  entry.key = key;
  entry.kind = kind;
  entry.meaning = meaning;
  entry.default_value = std::move(default_value);
  entry.range = std::move(range);
  effective_->entries.push_back(std::move(entry));
}

const Value::Member* Reader::take(std::string_view key) {
  const Value::Member* member = table_ == nullptr ? nullptr : table_->find(key);
  if (member != nullptr) effective_->entries.back().origin = member->value.origin;
  return member;
}

void Reader::require() {
  effective_->entries.back().required = true;
}

void Reader::settle(std::string value) {
  effective_->entries.back().value = std::move(value);
}

bool Reader::missing(std::string_view key, std::string_view kind, std::string_view meaning) {
  diagnostics_->add(origin_, path_to(key), fmt::format("is missing, expected {}: {}", kind, meaning));
  return false;
}

void Reader::refuse(const Value::Member& member, std::string message, std::string suggestion) {
  const Origin& at = member.value.origin;
  diagnostics_->add(at, path_to(member.key), std::move(message), std::move(suggestion));
}

void Reader::refuse(std::string message, std::string suggestion) {
  diagnostics_->add(origin_, path_, std::move(message), std::move(suggestion));
}

void Reader::refuse_element(std::string_view key, std::size_t number, const Value& value, Refusal refusal) {
  diagnostics_->add(value.origin, fmt::format("{}.{}", path_to(key), number), std::move(refusal.message),
                    std::move(refusal.suggestion));
}

void Reader::refuse_choice(const Value::Member& member, std::span<const std::string_view> names,
                           const std::string& listed) {
  const std::string* text = member.value.text();
  refuse(member, fmt::format("is {}, expected one of {}", description(member.value), listed),
         text == nullptr ? std::string() : nearest_name(*text, names));
}

Reader Reader::table(std::string_view key, std::string_view meaning) {
  declare(key, "a table", meaning, {});
  const Value::Member* member = take(key);
  EffectiveEntry& entry = effective_->entries.back();
  entry.shape = EffectiveEntry::Shape::table;
  entry.tables.push_back(std::make_unique<EffectiveTable>());
  EffectiveTable& below = *entry.tables.back();
  below.describing = describing();
  if (member != nullptr && member->value.table() == nullptr) {
    refuse(*member, fmt::format("is {}, expected a table", description(member->value)));
    member = nullptr;
  }
  return {*diagnostics_, member == nullptr ? nullptr : &member->value, member == nullptr ? origin_ : member->origin,
          path_to(key), below};
}

std::optional<Reader> Reader::optional_table(std::string_view key, std::string_view meaning) {
  if (has(key) || describing()) return table(key, meaning);
  declare(key, "a table", meaning, {});
  return std::nullopt;
}

std::vector<Reader> Reader::tables(std::string_view key, std::string_view meaning) {
  declare(key, "a list of tables", meaning, {});
  const Value::Member* member = take(key);
  EffectiveEntry& entry = effective_->entries.back();
  entry.shape = EffectiveEntry::Shape::tables;
  std::vector<Reader> out;
  if (describing()) {
    entry.tables.push_back(std::make_unique<EffectiveTable>());
    entry.tables.back()->describing = true;
    out.emplace_back(*diagnostics_, nullptr, origin_, path_to(key), *entry.tables.back());
    return out;
  }
  if (member == nullptr) return out;
  const Value::List* list = member->value.list();
  if (list == nullptr) {
    refuse(*member, fmt::format("is {}, expected a list of tables", description(member->value)));
    return out;
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Value& element = (*list)[i];
    if (element.table() == nullptr) {
      refuse(Value::Member{member->key, element.origin, element},
             fmt::format("is {}, expected a table", description(element)));
      continue;
    }
    const std::string* name = element.text_at("name");
    entry.tables.push_back(std::make_unique<EffectiveTable>());
    out.emplace_back(*diagnostics_, &element, element.origin,
                     fmt::format("{}.{}", path_to(key), name == nullptr ? fmt::format("{}", i) : written_key(*name)),
                     *entry.tables.back());
  }
  return out;
}

std::optional<std::vector<Reader>> Reader::optional_tables(std::string_view key, std::string_view meaning) {
  if (has(key) || describing()) return tables(key, meaning);
  declare(key, "a list of tables", meaning, {});
  return std::nullopt;
}

void Reader::withdraw(std::string_view key) {
  std::erase_if(effective_->entries, [&](const EffectiveEntry& entry) { return entry.key == key; });
  ignore(key);
}

void Reader::finish() {
  if (table_ == nullptr) return;
  std::vector<std::string> known = ignored_;
  for (const EffectiveEntry& entry : effective_->entries) known.push_back(entry.key);
  const auto is_ignored = [this](const std::string& key) {
    return std::find(ignored_.begin(), ignored_.end(), key) != ignored_.end();
  };
  // A key that is given is hardly the one that is meant, except beside its own misspelling, as on the command line.
  std::vector<std::string> open = known;
  std::erase_if(open, [this](const std::string& key) { return has(key); });
  const auto meant_by = [&](const std::string& key) {
    std::string near = nearest_name(key, known);
    if (!near.empty() && (!has(near) || edit_distance(key, near) <= 1)) return near;
    std::string other = nearest_name(key, open);
    if (other.empty()) other = name_with_last_word(key, open);
    return other.empty() ? near : other;
  };
  for (const Value::Member& member : *table_->table()) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    std::string message = "unknown key";
    std::string suggestion = meant_by(member.key);
    if (suggestion.empty()) {
      std::string listed;
      for (const std::string& key : known) {
        const bool refused = is_ignored(key) && has(key);  // it was given, and is not among what is read
        if (!refused) listed += (listed.empty() ? "" : ", ") + key;
      }
      message += fmt::format(", expected one of {}", listed);
    }
    diagnostics_->add(member.origin, path_to(member.key), std::move(message), std::move(suggestion));
  }
}

}  // namespace weir
