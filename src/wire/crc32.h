// SPDX-License-Identifier: Apache-2.0
// The CRC-32 of IEEE 802.3, which the Ethernet FCS and the InfiniBand ICRC share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// CRC-32 (generator 0x04C11DB7, bits reflected, all ones in and complemented out; IEEE 802.3 clause 3.2.9), given
/// bytes piece by piece. Both the FCS and the ICRC send value() with its lowest byte first.
class Crc32 {
 public:
  void update(std::span<const std::byte> bytes);
  [[nodiscard]] std::uint32_t value() const { return ~state_; }

 private:
  std::uint32_t state_ = ~std::uint32_t{0};
};

/// How many bytes a CRC takes on the wire.
inline constexpr std::size_t kCrcBytes = 4;

/// Writes a CRC as it is sent: the lowest byte first.
void store_crc(std::span<std::byte, kCrcBytes> out, std::uint32_t crc);
/// Reads what store_crc wrote.
[[nodiscard]] std::uint32_t load_crc(std::span<const std::byte, kCrcBytes> bytes);

}  // namespace weir
