// SPDX-License-Identifier: Apache-2.0
#include "config/json_text.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "units/byte_order_mark.h"

namespace weir {
namespace {

struct Wrong {
  Origin at;
  std::string message;
};

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Value read() {
    std::optional<Value> value = read_value(0);
    skip_blanks();
    if (at_ < text_.size()) fail("more characters", "nothing after the value");
    return value ? std::move(*value) : Value();
  }

 private:
  [[nodiscard]] Origin here() const {
    return {Origin::Kind::file, line_, static_cast<std::uint32_t>(at_ - line_start_) + 1, {}, {}};
  }
  [[noreturn]] void fail(std::string_view what, std::string_view expected) const {
    throw Wrong{here(), fmt::format("{}, expected {}", what, expected)};
  }
  [[nodiscard]] std::string next_text() const {
    if (at_ >= text_.size()) return "the text ends";
    const char c = text_[at_];
    if (c < ' ' || c > '~') return "a character that JSON does not have there";
    return fmt::format("`{}`", c);
  }
  void skip_blanks() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }
  bool take(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  /// nullopt for null.
  std::optional<Value> read_value(int depth) {
    skip_blanks();
    const Origin origin = here();
    if (depth > kMostJsonDepth) fail("nests too deep", fmt::format("at most {} levels", kMostJsonDepth));
    if (at_ >= text_.size()) fail("the text ends", "a value");
    const char c = text_[at_];
    if (c == '{') return Value(read_object(depth), origin);
    if (c == '[') return Value(read_array(depth), origin);
    if (c == '"') return Value(read_string(), origin);
    if (c == '-' || (c >= '0' && c <= '9')) return Value(read_number(), origin);
    if (take_word("true")) return Value(true, origin);
    if (take_word("false")) return Value(false, origin);
    if (take_word("null")) return std::nullopt;
    fail(next_text(), "a value: an object, an array, a string in quotes, a number, true, false or null");
  }

  Value::Table read_object(int depth) {
    Value::Table out;
    std::set<std::string> names;
    ++at_;
    if (take('}')) return out;
    do {
      skip_blanks();
      const Origin origin = here();
      if (at_ >= text_.size() || text_[at_] != '"') fail(next_text(), "a name in quotes");
      std::string name = read_string();
      if (!names.insert(name).second) throw Wrong{origin, fmt::format("{} is there twice", in_quotes(name))};
      if (!take(':')) fail(next_text(), "`:`");
      if (std::optional<Value> value = read_value(depth + 1))
        out.push_back({std::move(name), origin, std::move(*value)});
    } while (take(','));
    if (!take('}')) fail(next_text(), "`,` or `}`");
    return out;
  }
  Value::List read_array(int depth) {
    Value::List out;
    ++at_;
    if (take(']')) return out;
    do {
      if (std::optional<Value> value = read_value(depth + 1)) out.push_back(std::move(*value));
    } while (take(','));
    if (!take(']')) fail(next_text(), "`,` or `]`");
    return out;
  }

  std::string read_string() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string", "its escape, such as \\n");
      if (c != '\\') {
        out += c;
        continue;
      }
      ++at_;
      read_escape(out);
    }
    fail("the text ends", "the closing `\"`");
  }
  void read_escape(std::string& out) {
    static constexpr std::string_view kNames = "\"\\/bfnrt";
    static constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    if (at_ >= text_.size()) fail("the text ends", "an escape");
    const std::size_t number = kNames.find(text_[at_]);
    if (number != std::string_view::npos) {
      out += kMeant[number];
      return;
    }
    if (text_[at_] != 'u') fail("an unknown escape", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u");
    std::uint32_t code = read_hex();
    if (code >= 0xd800 && code < 0xdc00) {
      if (text_.substr(at_ + 1, 2) != "\\u") fail("half of a surrogate pair", "the other half");
      at_ += 2;
      const std::uint32_t low = read_hex();
      if (low < 0xdc00 || low > 0xdfff) fail("half of a surrogate pair", "the other half");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code <= 0xdfff) {
      fail("half of a surrogate pair", "the first half before it");
    }
    append_utf8(code, out);
  }
  /// The four digits after the current `u`; the last of them becomes the current character.
  std::uint32_t read_hex() {
    std::uint32_t code = 0;
    const std::string_view digits = text_.substr(std::min(at_ + 1, text_.size()), 4);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4) fail("a short \\u", "four hex digits");
    at_ += 4;
    return code;
  }
  static void append_utf8(std::uint32_t code, std::string& out) {
    const auto add = [&](std::uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xc0 | (code >> 6));
      add(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      add(0xe0 | (code >> 12));
      add(0x80 | ((code >> 6) & 0x3f));
      add(0x80 | (code & 0x3f));
    } else {
      add(0xf0 | (code >> 18));
      add(0x80 | ((code >> 12) & 0x3f));
      add(0x80 | ((code >> 6) & 0x3f));
      add(0x80 | (code & 0x3f));
    }
  }

  Value::Data read_number() {
    const std::size_t begin = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      if (at_ == first) fail(next_text(), "a digit");
    };
    if (text_[at_] == '-') ++at_;
    const bool zero = at_ < text_.size() && text_[at_] == '0';
    const std::size_t first = at_;
    digits();
    if (zero && at_ - first > 1) fail("a number with a zero before it", "it without");
    bool whole = true;
    if (at_ < text_.size() && text_[at_] == '.') {
      whole = false;
      ++at_;
      digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      whole = false;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      digits();
    }
    const char* const from = text_.data() + begin;
    const char* const to = text_.data() + at_;
    std::int64_t integer = 0;
    if (whole && std::from_chars(from, to, integer).ec == std::errc()) return integer;
    double number = 0;
    if (std::from_chars(from, to, number).ec != std::errc() || !std::isfinite(number))
      fail("a number out of range", "one that a double holds");
    return number;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::size_t line_start_ = 0;
};

}  // namespace

std::optional<Value> parse_json(std::string_view text, Diagnostics& diagnostics) {
  try {
    return JsonReader(without_byte_order_mark(text)).read();
  } catch (const Wrong& wrong) {
    diagnostics.add(wrong.at, {}, fmt::format("{}; the rest of the file was not read", wrong.message));
    return std::nullopt;
  }
}

}  // namespace weir
