// SPDX-License-Identifier: Apache-2.0
// How many packets can be told apart by their sequence numbers.
#pragma once

#include <cstdint>

namespace weir {

/// The most packets that a queue pair may have that are posted and not acknowledged: of any two numbers it must be
/// certain which comes first, across the wrap at 2^32.
inline constexpr std::int64_t kMostPackets = (std::int64_t{1} << 31) - 1;

}  // namespace weir
