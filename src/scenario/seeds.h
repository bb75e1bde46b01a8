// SPDX-License-Identifier: Apache-2.0
// The seeds of replicates: run.seeds of a scenario, claim.seeds of a row, --seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

/// Limit of runs per point: a larger number is taken for a typo.
inline constexpr std::int64_t kMostSeeds = 100'000;

/// The values that seeds_of() accepts, for messages and the reference.
inline constexpr std::string_view kSeedsExpected =
    "a list of different integers from 0, such as [1, 2, 3], or an integer N from 1 to 100000 for the seeds 1 to N";

/// The seeds that a value names; nullopt if it is invalid.
std::optional<std::vector<std::uint64_t>> seeds_of(const Value& value);
/// 1 to `last`.
std::vector<std::uint64_t> seeds_up_to(std::int64_t last);

}  // namespace weir
