// SPDX-License-Identifier: Apache-2.0
#include "expressions/text_position.h"

#include <algorithm>

namespace weir {
namespace {

/// The rest of a line from a column on; both are counted from 1.
std::string_view rest_of_line(std::string_view file, std::uint32_t line, std::uint32_t column) {
  for (std::uint32_t i = 1; i < line; ++i) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) return {};
    file.remove_prefix(end + 1);
  }
  file = file.substr(0, file.find('\n'));
  return file.substr(std::min<std::size_t>(column - 1, file.size()));
}

}  // namespace

Origin position_in(std::string_view file, const Origin& text, std::string_view value, std::size_t offset) {
  Origin out = text;
  if (text.line == 0 || text.column == 0) return out;
  const std::string_view rest = rest_of_line(file, text.line, text.column);
  const bool multiple = rest.starts_with("'''") || rest.starts_with("\"\"\"");
  out.column += multiple ? 3 : 1;
  if (multiple && rest.size() == 3) {
    ++out.line;
    out.column = 1;
  }
  for (const char c : value.substr(0, offset)) {
    if (c == '\n') {
      ++out.line;
      out.column = 1;
    } else {
      ++out.column;
    }
  }
  return out;
}

}  // namespace weir
