// SPDX-License-Identifier: Apache-2.0
// Flow-size distributions commonly used in papers.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "traffic/size_table.h"

namespace weir {

/// A distribution that is part of Weir: at most 24 points, linear between them.
struct BuiltInSizes {
  std::string_view name;
  std::string_view source;  ///< where the distribution was published, and which papers use it
  std::span<const SizePoint> points;
};

/// All distributions, in a fixed order.
std::span<const BuiltInSizes> built_in_sizes();

/// The table with this name; nullptr if there is none.
std::shared_ptr<const SizeTable> built_in_size_table(std::string_view name);

}  // namespace weir
