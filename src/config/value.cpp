// SPDX-License-Identifier: Apache-2.0
#include "config/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace weir {
namespace {

template <class Table>
auto* find_in(Table* table, std::string_view key) {
  using Found = decltype(&*table->begin());
  if (table == nullptr) return Found{nullptr};
  const auto found =
      std::find_if(table->begin(), table->end(), [key](const Value::Member& member) { return member.key == key; });
  return found == table->end() ? nullptr : &*found;
}

}  // namespace

Value::Value() : data(Table()) {}
Value::Value(Data value, Origin where) : data(std::move(value)), origin(std::move(where)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

const Value::Member* Value::find(std::string_view key) const {
  return find_in(table(), key);
}
Value::Member* Value::find(std::string_view key) {
  return find_in(table(), key);
}

const std::string* Value::text_at(std::string_view key) const {
  const Member* member = find(key);
  return member == nullptr ? nullptr : member->value.text();
}

std::string description(const Value& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t n) const { return fmt::format("{}", n); }
    std::string operator()(double x) const { return fmt::format("{}", x); }
    std::string operator()(const std::string& text) const {
      constexpr std::size_t kLongest = 60;
      return text.size() <= kLongest ? in_quotes(text) : in_quotes(text.substr(0, kLongest) + "...");
    }
    std::string operator()(TomlDate) const { return "a date"; }
    std::string operator()(const Value::List&) const { return "a list"; }
    std::string operator()(const Value::Table&) const { return "a table"; }
  };
  return std::visit(Visitor(), value.data);
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::string written_key(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : in_quotes(key);
}

}  // namespace weir
