// SPDX-License-Identifier: Apache-2.0
#include "results/csv_field.h"

#include <fmt/format.h>

#include <algorithm>

namespace weir {

std::string csv_field(std::string_view text) {
  // Prefixes that spreadsheets interpret as a formula; a dash alone is none.
  const bool is_formula = text.size() > 1 && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  if (!is_formula && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = is_formula ? "\"'" : "\"";
  for (const char c : text) {
    if (c == '"') field += '"';
    field += c;
  }
  return field + '"';
}

std::string csv_name(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

std::string csv_us(Duration time) {
  constexpr std::int64_t kMicrosecond = 1'000'000;
  return fmt::format("{}.{:06}", time.picoseconds() / kMicrosecond, time.picoseconds() % kMicrosecond);
}

}  // namespace weir
