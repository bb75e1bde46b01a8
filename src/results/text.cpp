// SPDX-License-Identifier: Apache-2.0
#include "results/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace weir {

std::string format_number(double value) {
  if (!std::isfinite(value)) return std::string(kNothing);
  if (value == 0) return "0";
  if (value < 0.001) return "<0.001";
  // A number just below a power of ten is rounded to one more digit.
  if (value < 0.09995) return fmt::format("{:.3f}", value);
  if (value < 9.995) return fmt::format("{:.2f}", value);
  if (value < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string format_percent(double share) {
  return format_number(share * 100);
}

std::string format_megabytes(std::int64_t bytes) {
  return format_number(static_cast<double>(bytes) * 1e-6);
}

std::size_t display_width(std::string_view text) {
  // Every byte that does not continue a code point starts one.
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string wrap(std::string_view text, std::size_t width) {
  std::string result;
  std::size_t column = 0;
  for (std::size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const std::string_view word = text.substr(at, text.find(' ', at) - at);
    at += word.size();
    const std::size_t needed = display_width(word);
    if (column > 0 && width > 0 && column + 1 + needed > width) {
      result += '\n';
      column = 0;
    }
    if (column > 0) {
      result += ' ';
      ++column;
    }
    result += word;
    column += needed;
  }
  if (!result.empty()) result += '\n';
  return result;
}

}  // namespace weir
