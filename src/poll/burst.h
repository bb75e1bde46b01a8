// SPDX-License-Identifier: Apache-2.0
// How many frames a poll takes from a port at once.
#pragma once

#include <cstddef>

namespace weir {

/// As DPDK drivers do: a receive call gives up to this many frames, and all of them share one `now`.
inline constexpr std::size_t kBurst = 32;

}  // namespace weir
