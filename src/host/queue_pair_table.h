// SPDX-License-Identifier: Apache-2.0
// Queue pairs by number: a slab whose entries never move, with numbers that become invalid when a queue pair closes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "policy/queue_pair.h"
#include "units/hot_path.h"
#include "units/ids.h"

namespace weir {

/// `Entry` objects with a few bytes of policy state each. A number has 24 bits, as on the wire: 17 of index, 7 of
/// generation, so that a frame that arrives after its queue pair has closed matches no entry. Grows in blocks when a
/// queue pair opens, and reuses closed entries.
template <class Entry>
class QueuePairTable {
 public:
  static constexpr std::uint32_t kIndexBits = kPlaceBits;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;
  static constexpr std::uint32_t kGenerationMask = 0x7f;

  /// Bytes of policy state per entry, in two parts.
  void set_state_bytes(std::size_t first, std::size_t second) {
    first_bytes_ = round_up(first);
    state_bytes_ = first_bytes_ + round_up(second);
  }

  /// A new entry, or nullptr if all 131,072 are open.
  Entry* open() {
    if (free_.empty() && !grow()) return nullptr;
    const std::uint32_t index = free_.back();
    free_.pop_back();
    Slot& slot = this->slot(index);
    slot.open = true;
    slot.entry = Entry();
    std::memset(state_of(index), 0, state_bytes_);
    slot.entry.number = QueuePairId(index | (slot.generation << kIndexBits));
    ++open_;
    return &slot.entry;
  }
  void close(Entry& entry) {
    const std::uint32_t index = index_of(entry);
    Slot& slot = this->slot(index);
    slot.open = false;
    slot.generation = (slot.generation + 1) & kGenerationMask;
    free_.push_back(index);
    --open_;
  }
  /// The open entry with this number, or nullptr.
  Entry* find(QueuePairId number) {
    const std::uint32_t index = number.value & kIndexMask;
    if (index >= slots_.size() * kBlock) return nullptr;
    Slot& slot = this->slot(index);
    return slot.open && slot.entry.number == number ? &slot.entry : nullptr;
  }
  /// Prefetches an entry and its state. `number` may be any value.
  WEIR_HOT_INLINE void prefetch(QueuePairId number) const {
    const std::uint32_t index = number.value & kIndexMask;
    if (index >= size()) return;
    prefetch_all(slot(index));
    weir::prefetch(state_of(index));
  }
  Entry& at(std::uint32_t index) { return slot(index).entry; }
  [[nodiscard]] const Entry& at(std::uint32_t index) const { return slot(index).entry; }
  [[nodiscard]] static std::uint32_t index_of(const Entry& entry) { return entry.number.value & kIndexMask; }
  [[nodiscard]] std::byte* first_state(const Entry& entry) { return state_of(index_of(entry)); }
  [[nodiscard]] std::byte* second_state(const Entry& entry) { return state_of(index_of(entry)) + first_bytes_; }
  /// Number of existing entries, open or not; indices are below it.
  [[nodiscard]] std::size_t size() const { return slots_.size() * kBlock; }
  [[nodiscard]] std::size_t open_count() const { return open_; }
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t index = 0; index < size(); ++index) {
      if (slot(index).open) visit(slot(index).entry);
    }
  }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t index = 0; index < size(); ++index) {
      if (slot(index).open) visit(slot(index).entry);
    }
  }

 private:
  static constexpr std::size_t kBlock = 4;  // most hosts of a large network have few open at the same time
  struct Slot {
    Entry entry;
    std::uint32_t generation = 0;
    bool open = false;
  };
  static std::size_t round_up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
  const Slot& slot(std::uint32_t index) const { return slots_[index / kBlock][index % kBlock]; }
  Slot& slot(std::uint32_t index) { return slots_[index / kBlock][index % kBlock]; }
  std::byte* state_of(std::uint32_t index) const {
    return states_[index / kBlock].get() + (index % kBlock) * state_bytes_;
  }
  bool grow() {
    if (size() > kIndexMask) return false;
    const auto first = static_cast<std::uint32_t>(size());
    slots_.push_back(std::make_unique<Slot[]>(kBlock));
    states_.push_back(std::make_unique<std::byte[]>(kBlock * state_bytes_ + 16));
    for (std::uint32_t i = kBlock; i-- > 0;) free_.push_back(first + i);
    return true;
  }

  std::vector<std::unique_ptr<Slot[]>> slots_;
  std::vector<std::unique_ptr<std::byte[]>> states_;
  std::vector<std::uint32_t> free_;
  std::size_t first_bytes_ = 0;
  std::size_t state_bytes_ = 0;
  std::size_t open_ = 0;
};

}  // namespace weir
