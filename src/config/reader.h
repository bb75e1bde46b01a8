// SPDX-License-Identifier: Apache-2.0
// Reads a table key by key and accounts for all of it.
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

/// A name that a scenario may write, and what it stands for.
template <class Choice>
struct Named {
  std::string_view name;
  Choice value;
};

/// One table of a scenario under reading. Each key is declared by reading it: its type, unit, default (what the target
/// holds), range and meaning stand in one line. What is wrong goes to the diagnostics and leaves the target as it was;
/// what was read goes to the effective configuration. finish() reports the keys that nobody asked for.
class Reader {
 public:
  /// `table` is nullptr where the scenario has none: then all keys take their defaults. `path` names it in messages.
  Reader(Diagnostics& diagnostics, const Value* table, Origin origin, std::string path, EffectiveTable& effective);

  /// A key that may be missing: then `target` is the default.
  template <class T>
  void optional(std::string_view key, T& target, std::string_view meaning, const Range<T>& range = {}) {
    declare(key, expectation<T>(), meaning, written(target), range.text());
    if (const Value::Member* member = take(key)) read_into(*member, target, range);
    settle(written(target));
  }
  /// An integer of any width; its range is also that of its type.
  template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, std::int64_t>) void optional(std::string_view key, T& target,
                                                                                   std::string_view meaning,
                                                                                   const Range<T>& range = {}) {
    auto wide = static_cast<std::int64_t>(target);
    optional<std::int64_t>(key, wide, meaning, widened(range));
    target = static_cast<T>(wide);
  }
  /// A key that may be missing, and then means something of its own, which `meaning` says.
  template <class T>
  void optional(std::string_view key, std::optional<T>& target, std::string_view meaning, const Range<T>& range = {}) {
    declare(key, expectation<T>(), meaning, target ? written(*target) : std::string(), range.text());
    if (const Value::Member* member = take(key)) {
      T value{};
      if (read_into(*member, value, range)) target = value;
    }
    settle(target ? written(*target) : std::string());
  }
  /// A key that must be there. False when it is not, or is wrong.
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
  /// A list of values of one type; the default is `target`. `range` holds for each element. In messages an element is
  /// named by its number, from 0: "sizes.2".
  template <class T>
  void list(std::string_view key, std::vector<T>& target, std::string_view meaning, const Range<T>& range = {},
            const LengthRange& length = {}) {
    declare(key, list_expectation<T>(length), meaning, written(target), range.text());
    if (const Value::Member* member = take(key)) read_list(*member, target, range, length);
    settle(written(target));
  }

  /// A key whose form the caller understands: gives its value, or nullptr. Follow with settle(), and refuse() what is
  /// wrong.
  const Value::Member* custom(std::string_view key, std::string_view kind, std::string_view meaning,
                              std::string_view default_value) {
    declare(key, kind, meaning, std::string(default_value));
    return take(key);
  }
  /// The key that was declared last must be there: for the reference. What is missing the caller refuses.
  void require();
  /// What the key that was declared last is now, as TOML writes it; empty: not set.
  void settle(std::string value);
  /// Says what is wrong with a value of this table.
  void refuse(const Value::Member& member, std::string message, std::string suggestion = {});
  /// Says what is wrong with this table as a whole.
  void refuse(std::string message, std::string suggestion = {});

  /// A table in this one; all defaults when it is missing. Another kind of value is refused.
  Reader table(std::string_view key, std::string_view meaning);
  /// Like table(), but none when the key is missing.
  std::optional<Reader> optional_table(std::string_view key, std::string_view meaning);
  /// The tables of a list; none when the key is missing. The path of each has its `name` where it has one.
  std::vector<Reader> tables(std::string_view key, std::string_view meaning);

  /// Like tables(), but nothing when the key is missing: an empty list means something of its own.
  std::optional<std::vector<Reader>> optional_tables(std::string_view key, std::string_view meaning);

  /// Takes back a key that was declared and turned out to mean nothing here: it is not part of what takes effect.
  void withdraw(std::string_view key);
  /// Lets a key be that is read elsewhere.
  void ignore(std::string_view key) { ignored_.emplace_back(key); }
  /// Refuses the keys that were not asked for. Call it when all were.
  void finish();

  [[nodiscard]] bool given() const { return table_ != nullptr; }
  /// Only the keys are wanted, all of them (EffectiveTable::describing).
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
  /// Reads into `target`, or says why not and leaves it alone.
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
