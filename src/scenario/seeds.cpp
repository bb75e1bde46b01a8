// SPDX-License-Identifier: Apache-2.0
#include "scenario/seeds.h"

#include <numeric>
#include <set>
#include <variant>

namespace weir {

std::vector<std::uint64_t> seeds_up_to(std::int64_t last) {
  std::vector<std::uint64_t> out(static_cast<std::size_t>(last));
  std::iota(out.begin(), out.end(), std::uint64_t{1});
  return out;
}

std::optional<std::vector<std::uint64_t>> seeds_of(const Value& value) {
  if (const auto* last = std::get_if<std::int64_t>(&value.data)) {
    if (*last < 1 || *last > kMostSeeds) return std::nullopt;
    return seeds_up_to(*last);
  }
  const Value::List* list = value.list();
  if (list == nullptr || list->empty() || list->size() > static_cast<std::size_t>(kMostSeeds)) return std::nullopt;
  std::vector<std::uint64_t> out;
  std::set<std::uint64_t> seen;
  for (const Value& element : *list) {
    const auto* seed = std::get_if<std::int64_t>(&element.data);
    if (seed == nullptr || *seed < 0 || !seen.insert(static_cast<std::uint64_t>(*seed)).second) return std::nullopt;
    out.push_back(static_cast<std::uint64_t>(*seed));
  }
  return out;
}

}  // namespace weir
