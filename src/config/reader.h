// SPDX-License-Identifier: Apache-2.0
// Reads a table key by key and detects unknown keys.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/diagnostics.h"
#include "config/effective.h"
#include "config/scalar.h"
#include "config/value.h"

namespace weir {

/// A name that a scenario may contain, and its value.
template <class Choice>
struct Named {
  std::string_view name;
  Choice value;
};

/// Reads one table of a scenario. Reading a key declares it: its type, unit, default (the initial value of the target),
/// range and meaning are in one call. Errors go to the diagnostics and leave the target unchanged; read values go to
/// the effective configuration. finish() reports keys that were not declared.
class Reader {
 public:
  /// `table` is nullptr if the scenario does not contain it: then all keys have their defaults. `path` names it in
  /// messages.
  Reader(Diagnostics& diagnostics, const Value* table, Origin origin, std::string path, EffectiveTable& effective);

  /// An optional key; `target` contains the default.
  template <class T>
  void optional(std::string_view key, T& target, std::string_view meaning, const Range<T>& range = {}) {
    declare(key, expectation<T>(), meaning, written(target), range.text());
    if (const Value::Member* member = take(key)) read_into(*member, target, range);
    settle(written(target));
  }
  /// An integer of any width; its range is limited to that of its type.
  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t>) void optional(std::string_view key, T& target,
                                                                                   std::string_view meaning,
                                                                                   const Range<T>& range = {}) {
    auto wide = static_cast<std::int64_t>(target);
    optional<std::int64_t>(key, wide, meaning, widened(range));
    target = static_cast<T>(wide);
  }
  /// An optional key whose absence has a meaning of its own, which `meaning` describes.
  template <class T>
  void optional(std::string_view key, std::optional<T>& target, std::string_view meaning, const Range<T>& range = {}) {
    declare(key, expectation<T>(), meaning, target ? written(*target) : std::string(), range.text());
    if (const Value::Member* member = take(key)) {
      T value{};
      if (read_into(*member, value, range)) target = value;
    }
    settle(target ? written(*target) : std::string());
  }
  /// A required key. Returns false if it is missing or invalid.
  template <class T>
  bool required(std::string_view key, T& target, std::string_view meaning, const Range<T>& range = {}) {
    declare(key, expectation<T>(), meaning, {}, range.text());
    require();
    const Value::Member* member = take(key);
    if (member == nullptr) return missing(key, expectation<T>(), meaning);
    const bool good = read_into(*member, target, range);
    if (good) settle(written(target));
    return good;
  }
  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t>) bool required(std::string_view key, T& target,
                                                                                   std::string_view meaning,
                                                                                   const Range<T>& range = {}) {
    std::int64_t wide = 0;
    const bool good = required<std::int64_t>(key, wide, meaning, widened(range));
    if (good) target = static_cast<T>(wide);
    return good;
  }
  /// One of several names; the default is `target`.
  template <class Choice>
  void choice(std::string_view key, Choice& target, std::span<const Named<Choice>> names, std::string_view meaning) {
    const std::string name_now = name_of(target, names);
    declare(key, "one of " + list_of(names), meaning, in_quotes(name_now));
    if (const Value::Member* member = take(key)) read_choice(*member, target, names);
    settle(in_quotes(name_of(target, names)));
  }
  template <class Choice>
  bool required_choice(std::string_view key, Choice& target, std::span<const Named<Choice>> names,
                       std::string_view meaning) {
    declare(key, "one of " + list_of(names), meaning, {});
    require();
    const Value::Member* member = take(key);
    if (member == nullptr) return missing(key, "one of " + list_of(names), meaning);
    const bool good = read_choice(*member, target, names);
    if (good) settle(in_quotes(name_of(target, names)));
    return good;
  }
  /// A list of values of one type; the default is `target`. `range` applies to each element. In messages an element is
  /// identified by its index, from 0: "sizes.2".
  template <class T>
  void list(std::string_view key, std::vector<T>& target, std::string_view meaning, const Range<T>& range = {},
            const LengthRange& length = {}) {
    declare(key, list_expectation<T>(length), meaning, written(target), range.text());
    if (const Value::Member* member = take(key)) read_list(*member, target, range, length);
    settle(written(target));
  }

  /// A key whose value the caller interprets: returns its value, or nullptr. Call settle() afterwards, and refuse() for
  /// errors.
  const Value::Member* custom(std::string_view key, std::string_view kind, std::string_view meaning,
                              std::string_view default_value) {
    declare(key, kind, meaning, std::string(default_value));
    return take(key);
  }
  /// Marks the last declared key as required, for the reference. The caller must refuse its absence.
  void require();
  /// Sets the value of the last declared key, in TOML notation; empty: not set.
  void settle(std::string value);
  /// Reports an error in a value of this table.
  void refuse(const Value::Member& member, std::string message, std::string suggestion = {});
  /// Reports an error in this table as a whole.
  void refuse(std::string message, std::string suggestion = {});

  /// A subtable; all defaults if it is missing. Values of other types are refused.
  Reader table(std::string_view key, std::string_view meaning);
  /// Like table(), but nullopt if the key is missing.
  std::optional<Reader> optional_table(std::string_view key, std::string_view meaning);
  /// The tables of a list; none if the key is missing. The path of each contains its `name`, if any.
  std::vector<Reader> tables(std::string_view key, std::string_view meaning);

  /// Like tables(), but nullopt if the key is missing: an empty list has a meaning of its own.
  std::optional<std::vector<Reader>> optional_tables(std::string_view key, std::string_view meaning);

  /// Removes a declared key that has no meaning here from the effective configuration.
  void withdraw(std::string_view key);
  /// Accepts a key that is read elsewhere.
  void ignore(std::string_view key) { ignored_.emplace_back(key); }
  /// Refuses keys that were not declared. Call it after all declarations.
  void finish();

  [[nodiscard]] bool given() const { return table_ != nullptr; }
  /// Only the declarations are required, for all keys (EffectiveTable::describing).
  [[nodiscard]] bool describing() const { return effective_->describing; }
  [[nodiscard]] bool has(std::string_view key) const { return table_ != nullptr && table_->find(key) != nullptr; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] const Value* value() const { return table_; }
  [[nodiscard]] Diagnostics& diagnostics() const { return *diagnostics_; }

 private:
  template <class T>
  static Range<std::int64_t> widened(const Range<T>& range) {
    constexpr std::uint64_t kWidest = std::numeric_limits<std::int64_t>::max();
    constexpr std::uint64_t kMost = std::numeric_limits<T>::max();
    Range<std::int64_t> wide = {std::numeric_limits<T>::min(), std::nullopt, range.above};
    if (kMost < kWidest) wide.most = static_cast<std::int64_t>(kMost);
    if (range.least) wide.least = static_cast<std::int64_t>(*range.least);
    if (range.most) wide.most = static_cast<std::int64_t>(*range.most);
    return wide;
  }
  template <class Choice>
  static std::string list_of(std::span<const Named<Choice>> names) {
    std::string out;
    for (const auto& [name, value] : names) out += (out.empty() ? "" : ", ") + in_quotes(name);
    return out;
  }
  template <class Choice>
  static std::string name_of(const Choice& choice, std::span<const Named<Choice>> names) {
    for (const auto& [name, value] : names) {
      if (value == choice) return std::string(name);
    }
    return {};
  }
  /// Reads into `target`, or reports an error and leaves it unchanged.
  template <class T>
  static Refusal refusal_of(const Value& written_value, T& target, const Range<T>& range) {
    T value = target;
    Refusal refusal = read_scalar(written_value, value);
    if (refusal.message.empty() && !range.holds(value)) {
      refusal.message = fmt::format("is {}, expected {}", description(written_value), range.text());
    }
    if (refusal.message.empty()) target = value;
    return refusal;
  }
  template <class T>
  bool read_into(const Value::Member& member, T& target, const Range<T>& range) {
    Refusal refusal = refusal_of(member.value, target, range);
    if (refusal.message.empty()) return true;
    refuse(member, std::move(refusal.message), std::move(refusal.suggestion));
    return false;
  }
  template <class Choice>
  bool read_choice(const Value::Member& member, Choice& target, std::span<const Named<Choice>> names) {
    if (const std::string* text = member.value.text()) {
      for (const auto& [name, value] : names) {
        if (name == *text) {
          target = value;
          return true;
        }
      }
    }
    std::vector<std::string_view> candidates;
    for (const auto& [name, value] : names) candidates.push_back(name);
    refuse_choice(member, candidates, list_of(names));
    return false;
  }
  template <class T>
  static std::string list_expectation(const LengthRange& length) {
    const std::string many = length.text();
    return fmt::format("a list{}{}, each {}", many.empty() ? "" : " of ", many, expectation<T>());
  }
  template <class T>
  void read_list(const Value::Member& member, std::vector<T>& target, const Range<T>& range,
                 const LengthRange& length) {
    const Value::List* values = member.value.list();
    if (values == nullptr) {
      refuse(member, fmt::format("is {}, expected {}", description(member.value), list_expectation<T>(length)));
      return;
    }
    std::vector<T> read;
    bool good = length.holds(values->size());
    if (!good) {
      refuse(member, fmt::format("has {} element{}, expected {}", values->size(), values->size() == 1 ? "" : "s",
                                 length.text()));
    }
    for (const Value& value : *values) {
      T element{};
      good = read_element(member.key, read.size(), value, element, range) && good;
      read.push_back(element);
    }
    if (good) target = std::move(read);
  }
  template <class T>
  bool read_element(std::string_view key, std::size_t number, const Value& value, T& target, const Range<T>& range) {
    Refusal refusal = refusal_of(value, target, range);
    if (refusal.message.empty()) return true;
    refuse_element(key, number, value, std::move(refusal));
    return false;
  }

  void declare(std::string_view key, std::string_view kind, std::string_view meaning, std::string default_value,
               std::string range = {});
  const Value::Member* take(std::string_view key);
  bool missing(std::string_view key, std::string_view kind, std::string_view meaning);
  void refuse_choice(const Value::Member& member, std::span<const std::string_view> names, const std::string& listed);
  void refuse_element(std::string_view key, std::size_t number, const Value& value, Refusal refusal);
  [[nodiscard]] std::string path_to(std::string_view key) const;

  Diagnostics* diagnostics_;
  const Value* table_;
  Origin origin_;
  std::string path_;
  EffectiveTable* effective_;
  std::vector<std::string> ignored_;
};

}  // namespace weir
