// SPDX-License-Identifier: Apache-2.0
// Numbers drawn from a string of bytes, so that RapidCheck can shrink and libFuzzer can mutate what is made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::testing {

/// Converts bytes to std::byte, for literals and generators.
inline std::vector<std::byte> to_bytes(std::span<const std::uint8_t> octets) {
  std::vector<std::byte> bytes;
  bytes.reserve(octets.size());
  for (const std::uint8_t octet : octets) bytes.push_back(std::byte{octet});
  return bytes;
}

/// Returns the bytes of a string, and zeros beyond its end.
class ByteSource {
 public:
  explicit ByteSource(std::span<const std::uint8_t> octets) : octets_(octets) {}

  std::uint8_t octet() {
    if (octets_.empty()) return 0;
    const std::uint8_t first = octets_.front();
    octets_ = octets_.subspan(1);
    return first;
  }
  /// All numbers of the type are possible.
  template <class Number>
  Number number() {
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sizeof(Number); ++i) number = number << 8 | octet();
    return static_cast<Number>(number);
  }
  /// In [0, bound); bound at most 2^32.
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(number<std::uint32_t>() % bound); }
  [[nodiscard]] bool empty() const { return octets_.empty(); }
  bool flip() { return (octet() & 1u) != 0; }

 private:
  std::span<const std::uint8_t> octets_;
};

}  // namespace weir::testing
