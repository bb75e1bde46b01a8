// SPDX-License-Identifier: Apache-2.0
// The checksum of IPv4, ICMP and UDP.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/byte_order.h"

namespace weir {

/// The ones' complement sum of 16-bit numbers in network byte order (RFC 1071). Pieces before the last must have an
/// even length; a last odd byte counts as if a zero byte followed.
class InternetChecksum {
 public:
  void update(std::span<const std::byte> bytes) {
    std::size_t i = 0;
    // The sum of pairs of numbers, each as one of 32 bits, folds to the same.
    for (; i + 3 < bytes.size(); i += 4) sum_ += load_be32<0>(bytes.subspan(i).first<4>());
    if (i + 1 < bytes.size()) sum_ += load_be16<0>(bytes.subspan(i).first<2>());
    if (bytes.size() % 2 != 0) sum_ += std::to_integer<std::uint32_t>(bytes.back()) << 8;
  }
  void update(std::uint16_t number) { sum_ += number; }

  /// The value of the checksum field, which was zero in the sum.
  [[nodiscard]] std::uint16_t value() const { return static_cast<std::uint16_t>(~folded()); }
  /// Whether bytes that include their checksum are intact.
  [[nodiscard]] bool verifies() const { return folded() == 0xffff; }

 private:
  [[nodiscard]] std::uint16_t folded() const {
    std::uint64_t sum = (sum_ & 0xffff'ffff) + (sum_ >> 32);
    for (int i = 0; i < 3; ++i) sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<std::uint16_t>(sum);
  }
  std::uint64_t sum_ = 0;
};

}  // namespace weir
