// SPDX-License-Identifier: Apache-2.0
// A table of bounded size that holds records by a key: those of what is active only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::floodgate {

/// The key of what concerns a port and a destination.
constexpr std::uint64_t key_of(std::size_t port, std::uint32_t name) {
  return std::uint64_t{port} << 32 | name;
}
constexpr std::size_t port_in(std::uint64_t key) {
  return static_cast<std::size_t>(key >> 32);
}
constexpr std::uint32_t name_in(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}

/// At most `capacity` records by key, numbered from 0. A record's number stays while it is in the table. `Record` has
/// members `key` (std::uint64_t) and `in_use` (bool), which the table sets, and `bool idle() const`: an idle record may
/// make room for another. Open addressing with linear probing; a removed entry is closed up by those behind it.
/// [FLOODGATE-T-1]
template <class Record>
class RecordTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kMost = (std::size_t{1} << 23) - 1;  ///< numbers have 23 bits, and one is none

  RecordTable() = default;
  /// `capacity` from 1 to kMost. Memory of records is touched when it is first used.
  explicit RecordTable(std::size_t capacity)
      : capacity_(static_cast<std::uint32_t>(capacity)),
        records_(std::make_unique_for_overwrite<Record[]>(capacity)),
        slots_(std::bit_ceil(2 * capacity), 0),
        shift_(64 - std::countr_zero(slots_.size())) {}

  Record& operator[](std::uint32_t number) { return records_[number]; }
  const Record& operator[](std::uint32_t number) const { return records_[number]; }
  /// Records that are in use.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Numbers 0..touched()-1 have been in use.
  [[nodiscard]] std::uint32_t touched() const { return touched_; }

  [[nodiscard]] std::uint32_t find(std::uint64_t key) const {
    for (std::size_t at = home(key);; at = next(at)) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) return kNone;
      if (records_[slot - 1].key == key) return slot - 1;
    }
  }

  /// A record for a key that has none, every other member as `Record()`; kNone when all are in use and a few that were
  /// looked at are not idle. An idle one that makes room is first shown to evict(number).
  template <class Evict>
  std::uint32_t insert(std::uint64_t key, Evict evict) {
    if (free_ == kNone && touched_ == capacity_ && !make_room(evict)) return kNone;
    std::uint32_t number = free_;
    if (number != kNone) {
      free_ = static_cast<std::uint32_t>(records_[number].key);
    } else {
      number = touched_++;
    }
    ++size_;
    records_[number] = Record();
    records_[number].key = key;
    records_[number].in_use = true;
    std::size_t at = home(key);
    while (slots_[at] != 0) at = next(at);
    slots_[at] = number + 1;
    return number;
  }

  /// Takes a record out of the table: its key may be inserted again. It keeps its number until release().
  void detach(std::uint32_t number) {
    std::size_t hole = home(records_[number].key);
    while (slots_[hole] != number + 1) hole = next(hole);
    for (std::size_t at = next(hole); slots_[at] != 0; at = next(at)) {
      const std::size_t distance = (at - home(records_[slots_[at] - 1].key)) & (slots_.size() - 1);
      if (distance < ((at - hole) & (slots_.size() - 1))) continue;  // it would come before its home
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = 0;
  }
  /// Gives back the number of a record that was detached.
  void release(std::uint32_t number) {
    records_[number].in_use = false;
    records_[number].key = free_;
    free_ = number;
    --size_;
  }
  void erase(std::uint32_t number) {
    detach(number);
    release(number);
  }

 private:
  static constexpr std::uint32_t kLooks = 64;  // at records, for an idle one

  [[nodiscard]] std::size_t home(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e37'79b9'7f4a'7c15u) >> shift_);
  }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  template <class Evict>
  bool make_room(Evict evict) {
    for (std::uint32_t look = 0; look < kLooks; ++look) {
      hand_ = hand_ + 1 < capacity_ ? hand_ + 1 : 0;
      if (!records_[hand_].in_use || !records_[hand_].idle()) continue;
      evict(hand_);
      erase(hand_);
      return true;
    }
    return false;
  }

  std::uint32_t capacity_ = 0;
  std::unique_ptr<Record[]> records_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(2);  // number and one; 0: empty
  int shift_ = 63;
  std::uint32_t touched_ = 0;
  std::uint32_t free_ = kNone;  // a list through the keys
  std::uint32_t hand_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::floodgate
