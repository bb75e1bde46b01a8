// SPDX-License-Identifier: Apache-2.0
// The tables of a store, which docs/results_schema.md describes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// PRAGMA application_id: "Weir".
inline constexpr std::int32_t kStoreApplicationId = 0x57656972;
/// PRAGMA user_version. It must be increased by changes that an older reader would misinterpret.
inline constexpr std::int32_t kStoreSchemaVersion = 2;

/// SQL that creates all tables and views.
std::string store_schema();
/// SQL that replaces the views `points` and `means`, with a column for each of these parameters.
std::string store_views(const std::vector<std::string>& parameters);

}  // namespace weir
