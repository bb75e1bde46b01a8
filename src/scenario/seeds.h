// SPDX-License-Identifier: Apache-2.0
// The seeds of replicates: run.seeds of a scenario, claim.seeds of a row, --seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "config/value.h"

namespace weir {

/// More runs of each point than anyone waits for: a larger number is a slip.
inline constexpr std::int64_t kMostSeeds = 100'000;

/// What seeds_of() expects, for messages and the reference.
inline constexpr std::string_view kSeedsExpected =
    "a list of different integers from 0, such as [1, 2, 3], or an integer N from 1 to 100000 for the seeds 1 to N";

/// The seeds that a value names; nothing when it is not as expected.
std::optional<std::vector<std::uint64_t>> seeds_of(const Value& value);
/// 1 to `last`.
std::vector<std::uint64_t> seeds_up_to(std::int64_t last);

}  // namespace weir
