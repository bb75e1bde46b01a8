// SPDX-License-Identifier: Apache-2.0
#include "wire/crc32.h"

#include <array>

namespace weir {
namespace {

constexpr std::uint32_t kReflectedGenerator = 0xedb88320;
constexpr std::size_t kSlices = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[k][b]: the contribution of byte b to the remainder if k more bytes follow it ("slicing by 8": the eight
// look-ups of a step are independent of each other).
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1u) != 0 ? kReflectedGenerator : 0u);
    }
    tables[0][byte] = remainder;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xffu];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

std::uint32_t load_le32(std::span<const std::byte> bytes) {
  return std::to_integer<std::uint32_t>(bytes[0]) | std::to_integer<std::uint32_t>(bytes[1]) << 8 |
         std::to_integer<std::uint32_t>(bytes[2]) << 16 | std::to_integer<std::uint32_t>(bytes[3]) << 24;
}

}  // namespace

void Crc32::update(std::span<const std::byte> bytes) {
  std::uint32_t state = state_;
  for (; bytes.size() >= kSlices; bytes = bytes.subspan(kSlices)) {
    const std::uint32_t low = load_le32(bytes) ^ state;
    const std::uint32_t high = load_le32(bytes.subspan(4));
    state = kTables[7][low & 0xffu] ^ kTables[6][low >> 8 & 0xffu] ^ kTables[5][low >> 16 & 0xffu] ^
            kTables[4][low >> 24] ^ kTables[3][high & 0xffu] ^ kTables[2][high >> 8 & 0xffu] ^
            kTables[1][high >> 16 & 0xffu] ^ kTables[0][high >> 24];
  }
  for (const std::byte byte : bytes) {
    state = (state >> 8) ^ kTables[0][(state ^ std::to_integer<std::uint32_t>(byte)) & 0xffu];
  }
  state_ = state;
}

void store_crc(std::span<std::byte, kCrcBytes> out, std::uint32_t crc) {
  for (std::size_t i = 0; i < kCrcBytes; ++i) out[i] = static_cast<std::byte>(crc >> (8 * i));
}

std::uint32_t load_crc(std::span<const std::byte, kCrcBytes> bytes) {
  return load_le32(bytes);
}

}  // namespace weir
