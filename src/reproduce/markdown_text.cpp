// SPDX-License-Identifier: Apache-2.0
#include "reproduce/markdown_text.h"

#include <fmt/format.h>

namespace weir {

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next == ' ' && (line.empty() || line.back() == ' ')) continue;
    line += next;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return fmt::format("`{}`", line);
}

std::string markdown_label(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace weir
