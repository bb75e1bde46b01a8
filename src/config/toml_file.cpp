// SPDX-License-Identifier: Apache-2.0
#include "config/toml_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <toml++/toml.h>

#include "units/byte_order_mark.h"

namespace weir {
namespace {

Origin origin_of(const toml::source_region& region) {
  return {Origin::Kind::file, region.begin.line, region.begin.column, {}, {}};
}

Value converted(const toml::node& node);

Value::Table converted_table(const toml::table& table) {
  Value::Table out;
  for (const auto& [key, node] : table) {
    out.push_back({std::string(key.str()), origin_of(key.source()), converted(node)});
  }
  // toml++ sorts by key; readers expect the order of the file.
  std::stable_sort(out.begin(), out.end(), [](const Value::Member& a, const Value::Member& b) {
    return std::pair(a.origin.line, a.origin.column) < std::pair(b.origin.line, b.origin.column);
  });
  return out;
}

Value converted(const toml::node& node) {
  const Origin origin = origin_of(node.source());
  if (const auto* table = node.as_table()) return {converted_table(*table), origin};
  if (const auto* array = node.as_array()) {
    Value::List list;
    for (const toml::node& element : *array) list.push_back(converted(element));
    return {std::move(list), origin};
  }
  if (const auto* value = node.as_boolean()) return {value->get(), origin};
  if (const auto* value = node.as_integer()) return {value->get(), origin};
  if (const auto* value = node.as_floating_point()) return {value->get(), origin};
  if (const auto* value = node.as_string()) return {value->get(), origin};
  return {TomlDate(), origin};
}

/// The first sentence of toml++'s message, starting in lower case.
std::string first_lower(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

void give_origin(Value& value, const Origin& origin) {
  value.origin = origin;
  if (auto* list = value.list()) {
    for (Value& element : *list) give_origin(element, origin);
  } else if (auto* table = value.table()) {
    for (Value::Member& member : *table) {
      member.origin = origin;
      give_origin(member.value, origin);
    }
  }
}

/// Throws toml::parse_error if the key is invalid.
toml::table parse_value(std::string_view key, std::string_view text) {
  try {
    return toml::parse(fmt::format("{} = {}", key, text));
  } catch (const toml::parse_error&) {
    return toml::parse(fmt::format("{} = {}", key, in_quotes(text)));
  }
}

/// The offset after the quoted text, possibly unterminated, that begins at `at`.
std::size_t behind_quotes(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool long_form = text.substr(at, 3) == three;
  const std::size_t width = long_form ? 3 : 1;
  for (at += width; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\') {
      ++at;
    } else if (text.substr(at, width) == std::string_view(three).substr(0, width)) {
      return at + width;
    } else if (!long_form && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

/// The line of the first name with too many parts, `a.b.c`: TOML limits the nesting of values but not of names, and the
/// functions that read and free such tables are recursive.
std::optional<std::uint32_t> line_of_deep_name(std::string_view text) {
  std::uint32_t line = 1;
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      const std::size_t end = behind_quotes(text, at);
      line += static_cast<std::uint32_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                    text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
      at = end;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '\n') ++line;
    if (c == '.') {
      if (++dots == kMostNameParts) return line;
    } else if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) {
      dots = 0;
    }
    ++at;
  }
  return std::nullopt;
}

std::string too_deep() {
  return fmt::format("a key of more than {0} parts, expected at most {0}", kMostNameParts);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::optional<Value> parse_toml(std::string_view text, Diagnostics& diagnostics) {
  text = without_byte_order_mark(text);
  if (const auto line = line_of_deep_name(text)) {
    diagnostics.add({Origin::Kind::file, *line, 1, {}, {}}, {},
                    fmt::format("{}; the rest of the file was not read", too_deep()));
    return std::nullopt;
  }
  try {
    return Value(converted_table(toml::parse(text)), {Origin::Kind::file, 1, 1, {}, {}});
  } catch (const toml::parse_error& error) {
    diagnostics.add(origin_of(error.source()), {},
                    fmt::format("{}; the rest of the file was not read", first_lower(error.description())));
    return std::nullopt;
  }
}

std::optional<Value> load_toml(const std::string& path, Diagnostics& diagnostics) {
  const auto refuse = [&](std::string why) {
    diagnostics.add({Origin::Kind::file, 0, 0, {}, {}}, {}, std::move(why));
    return std::nullopt;
  };
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return refuse("no such file");
  if (!std::filesystem::exists(status)) return refuse(fmt::format("cannot be read: {}", error.message()));
  if (std::filesystem::is_directory(status)) return refuse("is a directory, expected a scenario file (TOML)");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refuse(fmt::format("cannot be read: {}", std::strerror(errno)));
  // Reads one byte too many instead of trusting the file size, which pipes do not have.
  std::string text(kLargestScenario + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return refuse("cannot be read completely");
  if (text.size() > kLargestScenario) {
    return refuse(
        fmt::format("is larger than {} MiB, expected a scenario; put long lists of flows, sizes or links into separate "
                    "files (kind = \"file\")",
                    kLargestScenario / (1024 * 1024)));
  }
  if (text.find('\0') != std::string::npos) return refuse("is not text, expected a scenario file (TOML)");
  if (without_byte_order_mark(text).find_first_not_of(" \t\r\n") == std::string::npos)
    return refuse("is empty, expected a scenario (TOML)");
  return parse_toml(text, diagnostics);
}

std::optional<Value> parse_assignment(std::string_view assignment, Diagnostics& diagnostics) {
  const Origin origin = {Origin::Kind::command_line, 0, 0, {}, fmt::format("--set {}", assignment)};
  const std::size_t equals = assignment.find('=');
  const std::string_view key = trimmed(assignment.substr(0, equals));
  if (equals == std::string_view::npos || key.empty()) {
    diagnostics.add(origin, {}, "is not an assignment, expected key=value, such as switch.buffer=\"12 MB\"");
    return std::nullopt;
  }
  const std::string_view text = trimmed(assignment.substr(equals + 1));
  if (line_of_deep_name(assignment)) {
    diagnostics.add(origin, {}, too_deep());
    return std::nullopt;
  }
  toml::table table;
  try {
    table = parse_value(key, text);
  } catch (const toml::parse_error& error) {
    diagnostics.add(origin, {}, first_lower(error.description()));
    return std::nullopt;
  }
  Value value(converted_table(table), origin);
  give_origin(value, origin);
  return value;
}

}  // namespace weir
