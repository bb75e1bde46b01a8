// SPDX-License-Identifier: Apache-2.0
// How many pieces a flow is cut into, for expectations over distributions of sizes.
#pragma once

#include <cmath>

#include "units/bytes.h"

namespace weir {

/// Pieces of at most `piece` bytes that make up `bytes`.
inline double pieces_of(double bytes, Bytes piece) {
  return std::ceil(bytes / static_cast<double>(piece.count()));
}

/// The integral of pieces_of() over sizes from 0 to `bytes`. At whole bytes it is also the sum of pieces_of() over the
/// sizes 1..bytes. A size below zero counts as one piece.
inline double integral_of_pieces(double bytes, Bytes piece) {
  if (bytes <= 0.0) return bytes;
  const auto width = static_cast<double>(piece.count());
  const double full = std::floor(bytes / width);
  return width * full * (full + 1.0) / 2.0 + (bytes - width * full) * (full + 1.0);
}

}  // namespace weir
