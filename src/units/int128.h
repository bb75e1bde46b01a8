// SPDX-License-Identifier: Apache-2.0
// The 128-bit integers in which products of units are computed.
#pragma once

namespace weir {
__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;
}  // namespace weir
