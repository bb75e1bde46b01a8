// SPDX-License-Identifier: Apache-2.0
// A set of packets near a moving base, as loss recoveries keep it per queue pair.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "policy/queue_pair.h"

namespace weir {

/// A set of packet numbers that lie within kSpan of each other. It has a fixed size and allocates nothing; the caller
/// that moves the base erases the numbers below it.
class PacketBitmap {
 public:
  static constexpr std::uint32_t kSpan = 2048;

  void insert(std::uint32_t sequence) { words_[word(sequence)] |= bit(sequence); }
  void erase(std::uint32_t sequence) { words_[word(sequence)] &= ~bit(sequence); }
  [[nodiscard]] bool contains(std::uint32_t sequence) const { return (words_[word(sequence)] & bit(sequence)) != 0; }

  /// The first member in [from, end); `end` if there is none. `end` is at most kSpan beyond `from`.
  [[nodiscard]] std::uint32_t first(std::uint32_t from, std::uint32_t end) const {
    while (sequence_before(from, end)) {
      const std::uint64_t rest = words_[word(from)] >> (from % kBits);
      if (rest != 0) {
        from += static_cast<std::uint32_t>(std::countr_zero(rest));
        return sequence_before(from, end) ? from : end;
      }
      from += kBits - from % kBits;
    }
    return end;
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  static std::size_t word(std::uint32_t sequence) { return sequence % kSpan / kBits; }
  static std::uint64_t bit(std::uint32_t sequence) { return std::uint64_t{1} << (sequence % kBits); }

  std::array<std::uint64_t, kSpan / kBits> words_{};
};

}  // namespace weir
