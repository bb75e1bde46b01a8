// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers as bytes of a blob.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir {

/// Replaces `out` with four bytes per number, the most significant first.
inline void to_big_endian(std::span<const std::uint32_t> numbers, std::vector<std::byte>& out) {
  out.clear();
  for (const std::uint32_t number : numbers) {
    for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(number >> shift));
  }
}

/// Appends the numbers to `out`; bytes after the last complete number are ignored.
inline void from_big_endian(std::span<const std::byte> bytes, std::vector<std::uint32_t>& out) {
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i) number = number << 8 | std::to_integer<std::uint32_t>(bytes[at + i]);
    out.push_back(number);
  }
}

}  // namespace weir
