// SPDX-License-Identifier: Apache-2.0
// Numbers in network byte order (the highest byte first), at offsets that are checked at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

/// The unsigned number of `Width` bytes at offset `Offset` of `bytes`.
template <std::size_t Offset, std::size_t Width, std::size_t Extent>
constexpr std::uint32_t load_be(std::span<const std::byte, Extent> bytes) {
  static_assert(Extent != std::dynamic_extent && Width <= 4 && Offset + Width <= Extent);
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < Width; ++i) number = number << 8 | std::to_integer<std::uint32_t>(bytes[Offset + i]);
  return number;
}

/// Writes the low `Width` bytes of `number` at offset `Offset`.
template <std::size_t Offset, std::size_t Width, std::size_t Extent>
constexpr void store_be(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  static_assert(Extent != std::dynamic_extent && Width <= 4 && Offset + Width <= Extent);
  for (std::size_t i = 0; i < Width; ++i) {
    bytes[Offset + i] = static_cast<std::byte>(number >> (8 * (Width - 1 - i)));
  }
}

template <std::size_t Offset, std::size_t Extent>
constexpr std::uint8_t load_8(std::span<const std::byte, Extent> bytes) {
  return static_cast<std::uint8_t>(load_be<Offset, 1>(bytes));
}
template <std::size_t Offset, std::size_t Extent>
constexpr std::uint16_t load_be16(std::span<const std::byte, Extent> bytes) {
  return static_cast<std::uint16_t>(load_be<Offset, 2>(bytes));
}
template <std::size_t Offset, std::size_t Extent>
constexpr std::uint32_t load_be24(std::span<const std::byte, Extent> bytes) {
  return load_be<Offset, 3>(bytes);
}
template <std::size_t Offset, std::size_t Extent>
constexpr std::uint32_t load_be32(std::span<const std::byte, Extent> bytes) {
  return load_be<Offset, 4>(bytes);
}

template <std::size_t Offset, std::size_t Extent>
constexpr void store_8(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 1>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
constexpr void store_be16(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 2>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
constexpr void store_be24(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 3>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
constexpr void store_be32(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 4>(bytes, number);
}

}  // namespace weir
