// SPDX-License-Identifier: Apache-2.0
#include "config/nearest_name.h"

#include <algorithm>
#include <cctype>

namespace weir {
namespace {

char folded(char c) {
  if (c == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// The last word with what separates it from the others; empty if there is only one.
std::string_view last_word(std::string_view name) {
  const std::size_t at = name.find_last_of("_-");
  return at == std::string_view::npos || at == 0 || at + 1 == name.size() ? std::string_view() : name.substr(at);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table suffice: a swap refers to the row before the previous one.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0U : 1U)});
      const bool swapped =
          i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view best;
  std::size_t best_distance = std::string_view::npos;
  for (const std::string_view candidate : candidates) {
    const std::size_t longer = std::max(name.size(), candidate.size());
    const std::size_t allowed = std::min(std::max<std::size_t>(2, longer / 3), longer - (longer > 0 ? 1 : 0));
    const std::size_t distance = edit_distance(name, candidate);
    if (distance <= allowed && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return std::string(best);
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return nearest_name(name, std::span<const std::string_view>(views));
}

std::string name_with_last_word(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string_view word = last_word(name);
  std::string found;
  for (const std::string& candidate : candidates) {
    if (word.empty() || edit_distance(word, last_word(candidate)) != 0) continue;
    if (!found.empty()) return {};
    found = candidate;
  }
  return found;
}

}  // namespace weir
