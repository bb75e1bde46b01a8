// SPDX-License-Identifier: Apache-2.0
// CRC-32 bit by bit, as defined by the standard: the reference for the table-driven one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::testing {

/// Divides by the generator 0x04C11DB7 with each byte's lowest bit first, then reverses the remainder.
inline std::uint32_t bitwise_crc(std::span<const std::byte> bytes) {
  std::uint32_t remainder = 0xffff'ffff;
  for (const std::byte byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint32_t in = std::to_integer<std::uint32_t>(byte) >> bit & 1u;
      const bool subtract = (remainder >> 31 ^ in) != 0;
      remainder = remainder << 1 ^ (subtract ? 0x04c1'1db7u : 0u);
    }
  }
  std::uint32_t reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (remainder >> bit & 1u) << (31 - bit);
  return ~reversed;
}

}  // namespace weir::testing
