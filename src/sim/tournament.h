// SPDX-License-Identifier: Apache-2.0
// Determines the first of a few events.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "units/hot_path.h"
#include "units/time.h"

namespace weir {

/// An event and its time, as one number that orders events by (time, event).
class EventKey {
 public:
  /// Bits for the number of the event; the rest of the 64 bits is for the time. With 8 bits of events the range is 20
  /// hours.
  explicit constexpr EventKey(int bits) : bits_(bits), events_((std::uint64_t{1} << bits) - 1) {}
  static constexpr std::uint64_t kIdle = ~std::uint64_t{0};

  /// Times must be before this one.
  [[nodiscard]] constexpr Time limit() const { return time(kIdle); }
  [[nodiscard]] constexpr std::uint64_t of(Time time, std::uint32_t event) const {
    assert(time >= Time() && time < limit());
    return static_cast<std::uint64_t>(time.picoseconds()) << bits_ | event;
  }
  /// limit() for kIdle.
  [[nodiscard]] constexpr Time time(std::uint64_t key) const {
    return Time::picoseconds(static_cast<std::int64_t>(key >> bits_));
  }
  [[nodiscard]] constexpr std::uint32_t event(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & events_);
  }

 private:
  int bits_;
  std::uint64_t events_;  // the bits of the number
};

/// The earliest of some keys. Every inner node of a binary tree has the earlier of the two below it, and the root the
/// earliest of all. Changing a key costs one comparison per level of the tree, without unpredictable branches; reading
/// the first costs nothing. Suitable for up to some thousand keys.
class Tournament {
 public:
  /// Initially all idle. `players` is at least 1. A single one plays against one that is always idle.
  explicit Tournament(std::uint32_t players)
      : players_(std::max(players, 2u)), keys_(2 * std::size_t{players_}, EventKey::kIdle) {}

  [[nodiscard]] std::uint64_t first() const { return keys_[1]; }
  [[nodiscard]] std::uint64_t key(std::uint32_t player) const { return keys_[players_ + player]; }
  /// Of a few players.
  WEIR_HOT_INLINE void prefetch() const { weir::prefetch(keys_.data()); }
  WEIR_HOT_INLINE void set(std::uint32_t player, std::uint64_t key) {
    std::uint64_t* const keys = keys_.data();
    std::size_t at = players_ + player;
    keys[at] = key;
    do {
      at ^= 1;  // the other of the pair, with the same parent
      key = std::min(key, keys[at]);
      at >>= 1;
      keys[at] = key;
    } while (at > 1);
  }

 private:
  std::uint32_t players_;
  std::vector<std::uint64_t> keys_;  // the root is 1, the children of n are 2n and 2n + 1, the players come last
};

}  // namespace weir
