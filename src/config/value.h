// SPDX-License-Identifier: Apache-2.0
// A scenario's text as a tree of values with their positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace weir {

/// The position of a value.
struct Origin {
  enum class Kind : std::uint8_t { nowhere, file, command_line, network, traffic } kind = Kind::nowhere;
  std::uint32_t line = 0;    ///< in the file, from 1; 0: the whole file
  std::uint32_t column = 0;  ///< from 1
  std::string variant;       ///< the variant whose table contains it, or empty
  /// The command line option as it was given; for values from the network, the part of the network they follow from.
  std::string command;
};

/// A date or time of day, which TOML supports and scenarios do not.
struct TomlDate {};

/// A value of one of TOML's types; members are ordered as written.
class Value {
 public:
  struct Member;
  using List = std::vector<Value>;
  using Table = std::vector<Member>;
  using Data = std::variant<bool, std::int64_t, double, std::string, TomlDate, List, Table>;

  Value();  ///< an empty table
  Value(Data value, Origin where);
  // Members are values, so copying and destruction are defined where both types are complete.
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] const List* list() const { return std::get_if<List>(&data); }
  [[nodiscard]] const Table* table() const { return std::get_if<Table>(&data); }
  [[nodiscard]] List* list() { return std::get_if<List>(&data); }
  [[nodiscard]] Table* table() { return std::get_if<Table>(&data); }

  /// The member with this key; nullptr if there is none, or this is not a table.
  [[nodiscard]] const Member* find(std::string_view key) const;
  [[nodiscard]] Member* find(std::string_view key);
  /// The text under this key; nullptr if there is none.
  [[nodiscard]] const std::string* text_at(std::string_view key) const;

  Data data;
  Origin origin;
};

struct Value::Member {
  std::string key;
  Origin origin;  ///< of the key
  Value value;
};

/// The value in a message: `12`, `"abc"`, `true`, `a table`, `a list`, `a date`.
std::string description(const Value& value);

/// `text` in quotes, in TOML notation.
std::string in_quotes(std::string_view text);
/// `key` in TOML notation: bare if possible.
std::string written_key(std::string_view key);

}  // namespace weir
