// SPDX-License-Identifier: Apache-2.0
// The hash functions with which switches spread flows over equal paths. A controller that knows a switch's hash kind
// and seed can compute the path of any header (PathView).
#pragma once

#include <array>
#include <cstdint>

#include "units/ids.h"
#include "units/random.h"
#include "wire/frame.h"

namespace weir {

/// The header fields on which a frame's path may depend: addresses and the UDP source port (the other port is constant
/// in RoCEv2).
struct FlowKey {
  HostId source;
  HostId destination;
  std::uint16_t entropy = 0;

  static FlowKey of(const Frame& frame) { return {frame.source, frame.destination, frame.entropy}; }
  auto operator<=>(const FlowKey&) const = default;
};

/// The available functions. `mix` has good avalanche; `crc32` and `xor_fold` are those of chips (and polarise if the
/// seed is the same everywhere). `symmetric` is `mix` of a header that is the same in both directions.
enum class HashKind : std::uint8_t { mix, crc32, xor_fold, symmetric };

namespace detail {
constexpr std::array<std::uint32_t, 256> crc32_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    table[byte] = crc;
  }
  return table;
}
inline constexpr auto kCrc32Table = crc32_table();

constexpr std::uint32_t crc32(std::uint32_t crc, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i, value >>= 8) crc = kCrc32Table[(crc ^ value) & 0xff] ^ (crc >> 8);
  return crc;
}
}  // namespace detail

/// The key of frames in the opposite direction: addresses swapped, the same entropy.
constexpr FlowKey reversed(const FlowKey& key) {
  return {key.destination, key.source, key.entropy};
}

/// The 32-bit hash of `key` at a switch with this kind and seed.
constexpr std::uint32_t flow_hash(HashKind kind, std::uint32_t seed, const FlowKey& key) {
  if (kind == HashKind::symmetric) {
    return flow_hash(HashKind::mix, seed, key.source < key.destination ? key : reversed(key));
  }
  const std::uint64_t addresses = (static_cast<std::uint64_t>(key.source.value) << 32) | key.destination.value;
  switch (kind) {
    case HashKind::crc32:
      return ~detail::crc32(detail::crc32(~seed, addresses, 8), key.entropy, 2);
    case HashKind::xor_fold: {
      std::uint32_t folded = seed ^ key.source.value ^ key.destination.value ^ key.entropy;
      folded ^= folded >> 16;
      return folded ^ (folded >> 8);
    }
    case HashKind::mix:
    case HashKind::symmetric:
      break;
  }
  return static_cast<std::uint32_t>(mix(addresses ^ (static_cast<std::uint64_t>(key.entropy) << 24), seed) >> 32);
}

}  // namespace weir
