// SPDX-License-Identifier: Apache-2.0
// A queue in memory that is allocated once.
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

namespace weir::expresspass {

template <class Entry>
class Fifo {
 public:
  /// Allocates, unless it already has this capacity. The queue must be empty.
  void allocate(std::size_t capacity) {
    assert(size_ == 0);
    if (entries_.size() < capacity) entries_.resize(capacity);
  }
  [[nodiscard]] bool is_allocated() const { return !entries_.empty(); }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] bool full() const { return size_ == entries_.size(); }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// There must be room.
  void push(const Entry& entry) {
    assert(!full());
    std::size_t at = first_ + size_;
    if (at >= entries_.size()) at -= entries_.size();
    entries_[at] = entry;
    ++size_;
  }
  /// Must not be empty.
  Entry pop() {
    assert(!empty());
    const Entry entry = entries_[first_];
    if (++first_ == entries_.size()) first_ = 0;
    --size_;
    return entry;
  }

 private:
  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace weir::expresspass
