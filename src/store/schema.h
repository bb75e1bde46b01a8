// SPDX-License-Identifier: Apache-2.0
// The tables of a store. docs/results_schema.md describes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir {

/// PRAGMA application_id: "Weir".
inline constexpr std::int32_t kStoreApplicationId = 0x57656972;
/// PRAGMA user_version. A change that an older reader would misread raises it.
inline constexpr std::int32_t kStoreSchemaVersion = 2;

/// SQL that makes all tables and views.
std::string store_schema();
/// SQL that makes the views `points` and `means` anew, with a column for each of these parameters.
std::string store_views(const std::vector<std::string>& parameters);

}  // namespace weir
