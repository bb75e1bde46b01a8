// SPDX-License-Identifier: Apache-2.0
// The number of pieces into which a flow is divided, for expectations over size distributions.
#pragma once

#include <cmath>

#include "units/bytes.h"

namespace weir {

/// The number of pieces of at most `piece` bytes in `bytes`.
inline double pieces_of(double bytes, Bytes piece) {
  return std::ceil(bytes / static_cast<double>(piece.count()));
}

/// The integral of pieces_of() over sizes from 0 to `bytes`. For integer bytes it is also the sum of pieces_of() over
/// the sizes 1..bytes. A size below zero counts as one piece.
inline double integral_of_pieces(double bytes, Bytes piece) {
  if (bytes <= 0.0) return bytes;
  const auto width = static_cast<double>(piece.count());
  const double full = std::floor(bytes / width);
  return width * full * (full + 1.0) / 2.0 + (bytes - width * full) * (full + 1.0);
}

}  // namespace weir
