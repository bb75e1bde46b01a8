// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers. A stream is a key and a count, so the stream of an entity gives the same numbers
// regardless of the draws of other entities and of the thread.
#pragma once

#include <cstdint>

#include "units/int128.h"

namespace weir {

/// A 64-bit mixer (the finaliser of SplitMix64, Steele et al. 2014): a bijection with good avalanche.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Mixes two numbers into one; the order matters.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return mix(mix(a) ^ (b * 0xd6e8feb86659fd93u));
}

/// One entity's stream. `purpose` distinguishes the streams of one entity.
class RandomStream {
 public:
  constexpr RandomStream() = default;
  constexpr RandomStream(std::uint64_t seed, std::uint64_t entity, std::uint64_t purpose)
      : key_(mix(mix(seed, entity), purpose)) {}

  /// 64 random bits.
  constexpr std::uint64_t next() { return mix(key_ ^ (++count_ * 0xd1342543de82ef95u)); }
  /// Uniform in [0, bound); bound must be above zero. Multiply-shift: the bias is below 2^-32 for bounds below 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<UnsignedInt128>(next()) * bound) >> 64);
  }
  /// Uniform in [0, 1) with 53 random bits.
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

 private:
  std::uint64_t key_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace weir
