// SPDX-License-Identifier: Apache-2.0
// A table of what is active now: known roots, flows with isolated packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::pyrrha {

/// An open-addressing table of records, of which only those in use take part in a look-up. The number of records is set
/// at construction; the index grows with those in use, so that that of a quiet switch stays in the cache. Record::Key
/// is compared by ==, Record::hash() gives 64 bits, and Record::key has the key of a record.
template <class Record>
class ActiveTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  using Key = typename Record::Key;

  ActiveTable() = default;
  explicit ActiveTable(std::size_t records) : records_(records) {
    std::size_t slots = kLeast;
    while (slots < 2 * records) slots *= 2;
    slots_.reserve(slots);  // growing allocates nothing
    slots_.assign(kLeast, kNone);
    for (std::size_t i = records; i > 0; --i) free_.push_back(static_cast<std::uint32_t>(i - 1));
  }

  Record& operator[](std::uint32_t number) { return records_[number]; }
  const Record& operator[](std::uint32_t number) const { return records_[number]; }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] std::size_t in_use() const { return records_.size() - free_.size(); }

  /// The number of the record with this key, or kNone.
  [[nodiscard]] std::uint32_t find(const Key& key) const {
    if (slots_.empty()) return kNone;
    for (std::size_t at = home(key);; at = next(at)) {
      const std::uint32_t number = slots_[at];
      if (number == kNone || records_[number].key == key) return number;
    }
  }
  /// A new record for a key that has none; kNone: the table is full. Its key is set, everything else is as the last
  /// user left it.
  std::uint32_t insert(const Key& key) {
    if (free_.empty()) return kNone;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    records_[number].key = key;
    if (2 * in_use() > slots_.size()) grow();
    enter(number);
    return number;
  }
  void erase(std::uint32_t number) {
    std::size_t hole = home(records_[number].key);
    while (slots_[hole] != number) hole = next(hole);
    // Moves back what a look-up would no longer find behind the hole.
    for (std::size_t at = next(hole); slots_[at] != kNone; at = next(at)) {
      const std::size_t wanted = home(records_[slots_[at]].key);
      const std::size_t mask = slots_.size() - 1;
      if (((at - wanted) & mask) < ((at - hole) & mask)) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = kNone;
    free_.push_back(number);
  }

 private:
  static constexpr std::size_t kLeast = 16;  // slots: one cache line

  void enter(std::uint32_t number) {
    std::size_t at = home(records_[number].key);
    while (slots_[at] != kNone) at = next(at);
    slots_[at] = number;
  }
  // Those in use are listed behind the free ones meanwhile, where there is a place for each of them.
  void grow() {
    const std::size_t free = free_.size();
    for (const std::uint32_t number : slots_) {
      if (number != kNone) free_.push_back(number);
    }
    slots_.assign(2 * slots_.size(), kNone);
    for (std::size_t i = free; i < free_.size(); ++i) enter(free_[i]);
    free_.resize(free);
  }
  [[nodiscard]] std::size_t home(const Key& key) const { return Record::hash(key) & (slots_.size() - 1); }
  [[nodiscard]] std::size_t next(std::size_t at) const { return (at + 1) & (slots_.size() - 1); }

  std::vector<Record> records_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir::pyrrha
