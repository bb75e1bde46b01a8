// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of IEEE 802.3, used by the Ethernet FCS and the InfiniBand ICRC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// CRC-32 (generator 0x04C11DB7, bits reflected, initial value all ones, result complemented; IEEE 802.3 clause 3.2.9),
/// computed incrementally. Both the FCS and the ICRC send value() with its lowest byte first.
class Crc32 {
 public:
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~std::uint32_t{0};
};

/// Size of a CRC on the wire.
inline constexpr std::size_t kCrcBytes = 4;

/// Writes a CRC in wire order: the lowest byte first.
void store_crc(std::span<std::byte, kCrcBytes> out, std::uint32_t crc);
/// Reads a CRC written by store_crc.
[[nodiscard]] std::uint32_t load_crc(std::span<const std::byte, kCrcBytes> bytes);

}  // namespace weir
