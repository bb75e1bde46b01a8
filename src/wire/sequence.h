// SPDX-License-Identifier: Apache-2.0
// Packet sequence numbers: 24 bits on the wire, 32 in a Frame.
#pragma once

#include <cstdint>

namespace weir {

inline constexpr std::uint32_t kSequenceMask = 0x00ff'ffff;

/// The number nearest to `reference` (such as the one that the receiver expects) whose low 24 bits are those of
/// `low24`, modulo 2^32. Correct as long as sender and receiver are less than 2^23 packets apart, which the InfiniBand
/// specification also requires (volume 1, section 9.7.2); at exactly 2^23 the lower one is taken.
constexpr std::uint32_t extend_sequence(std::uint32_t low24, std::uint32_t reference) {
  constexpr std::uint32_t kHalf = std::uint32_t{1} << 23;
  const std::uint32_t ahead = (low24 - reference) & kSequenceMask;
  return ahead < kHalf ? reference + ahead : reference - (kSequenceMask + 1 - ahead);
}

}  // namespace weir
