// SPDX-License-Identifier: Apache-2.0
// Numbers in network byte order (the highest byte first), at offsets that are checked at compile time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir {

// Each is one expression without a loop, which compilers recognise as one access of memory, and always inline.

/// The unsigned number of `Width` bytes at offset `Offset` of `bytes`.
template <std::size_t Offset, std::size_t Width, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint32_t load_be(std::span<const std::byte, Extent> bytes) {
  static_assert(Extent != std::dynamic_extent && Width > 0 && Width <= 4 && Offset + Width <= Extent);
  const auto byte = [bytes](std::size_t i) __attribute__((always_inline)) {
    return std::to_integer<std::uint32_t>(bytes[Offset + i]);
  };
  if constexpr (Width == 1) {
    return byte(0);
  } else if constexpr (Width == 2) {
    return byte(0) << 8 | byte(1);
  } else if constexpr (Width == 3) {
    return byte(0) << 16 | byte(1) << 8 | byte(2);
  } else {
    return byte(0) << 24 | byte(1) << 16 | byte(2) << 8 | byte(3);
  }
}

/// Writes the low `Width` bytes of `number` at offset `Offset`.
template <std::size_t Offset, std::size_t Width, std::size_t Extent>
[[gnu::always_inline]] constexpr void store_be(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  static_assert(Extent != std::dynamic_extent && Width > 0 && Width <= 4 && Offset + Width <= Extent);
  if constexpr (Width > 3) bytes[Offset + Width - 4] = static_cast<std::byte>(number >> 24);
  if constexpr (Width > 2) bytes[Offset + Width - 3] = static_cast<std::byte>(number >> 16);
  if constexpr (Width > 1) bytes[Offset + Width - 2] = static_cast<std::byte>(number >> 8);
  bytes[Offset + Width - 1] = static_cast<std::byte>(number);
}

template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint8_t load_8(std::span<const std::byte, Extent> bytes) {
  return static_cast<std::uint8_t>(load_be<Offset, 1>(bytes));
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint16_t load_be16(std::span<const std::byte, Extent> bytes) {
  return static_cast<std::uint16_t>(load_be<Offset, 2>(bytes));
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint32_t load_be24(std::span<const std::byte, Extent> bytes) {
  return load_be<Offset, 3>(bytes);
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint32_t load_be32(std::span<const std::byte, Extent> bytes) {
  return load_be<Offset, 4>(bytes);
}

template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr std::uint64_t load_be64(std::span<const std::byte, Extent> bytes) {
  static_assert(Extent != std::dynamic_extent && Offset + 8 <= Extent);
  const auto byte = [bytes](std::size_t i) __attribute__((always_inline)) {
    return std::to_integer<std::uint64_t>(bytes[Offset + i]);
  };
  return byte(0) << 56 | byte(1) << 48 | byte(2) << 40 | byte(3) << 32 | byte(4) << 24 | byte(5) << 16 | byte(6) << 8 |
         byte(7);
}

template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr void store_8(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 1>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr void store_be16(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 2>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr void store_be24(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 3>(bytes, number);
}
template <std::size_t Offset, std::size_t Extent>
[[gnu::always_inline]] constexpr void store_be32(std::span<std::byte, Extent> bytes, std::uint32_t number) {
  store_be<Offset, 4>(bytes, number);
}

}  // namespace weir
