// SPDX-License-Identifier: Apache-2.0
// The maximum number of frames that one poll receives from a port.
#pragma once

#include <cstddef>

namespace weir {

/// As in DPDK drivers: a receive call returns up to this number of frames, all of which share one `now`.
inline constexpr std::size_t kBurst = 32;

}  // namespace weir
