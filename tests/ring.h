// SPDX-License-Identifier: Apache-2.0
// A queue in preallocated memory: for policies of tests, whose hooks allocate nothing.
#pragma once

#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace weir::shape {

template <class Entry>
class Ring {
 public:
  /// Makes room for this many more entries; queued entries stay. Allocates.
  void reserve(std::size_t capacity) {
    if (capacity <= entries_.size()) return;
    std::vector<Entry> entries(capacity);
    for (std::size_t i = 0; i < size_; ++i) entries[i] = entries_[at(i)];
    entries_ = std::move(entries);
    first_ = 0;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Entry& front() const { return entries_[first_]; }
  /// There must be room.
  void push_back(const Entry& entry) {
    assert(size_ < entries_.size());
    entries_[at(size_++)] = entry;
  }
  void pop_front() {
    first_ = at(1);
    --size_;
  }
  void erase(const Entry& entry) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (entries_[at(i)] != entry) entries_[at(kept++)] = entries_[at(i)];
    }
    size_ = kept;
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t i) const { return (first_ + i) % entries_.size(); }
  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::shape
