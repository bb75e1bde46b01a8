// SPDX-License-Identifier: Apache-2.0
// Part of a distribution of flow sizes.
#pragma once

namespace weir {

/// A share of all flows, whose sizes are uniform between two sizes in bytes. The shares of a distribution add up to 1.
struct SizeSegment {
  double low = 0;
  double high = 0;  ///< at least `low`; equal to it: one size
  double share = 0;
};

}  // namespace weir
