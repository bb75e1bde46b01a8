// SPDX-License-Identifier: Apache-2.0
// "Did you mean ...?"
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// The number of insertions, deletions, replacements and swaps of adjacent letters that turn `a` into `b` (optimal
/// string alignment). Upper and lower case, and `-` and `_`, are considered equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, the first if several are equally near; empty if none is near: a third of the longer
/// name's letters may differ, or two, but never all.
std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates);
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// The only candidate with the same last word as `name`, if both have several, separated by `_` or `-`; empty if there
/// is none, or more than one: "core_link" gives "fabric_link".
std::string name_with_last_word(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace weir
