// SPDX-License-Identifier: Apache-2.0
// The number of packets that sequence numbers can distinguish.
#pragma once

#include <cstdint>

namespace weir {

/// The maximum number of packets of a queue pair that are posted and not acknowledged: the order of any two sequence
/// numbers must be unambiguous across the wrap at 2^32.
inline constexpr std::int64_t kMostPackets = (std::int64_t{1} << 31) - 1;

}  // namespace weir
