// SPDX-License-Identifier: Apache-2.0
// The deadlines of one node: a heap in which each timer has at most one entry, found by its number.
#pragma once

#include <cstdint>
#include <vector>

#include "units/hot_path.h"
#include "units/time.h"

namespace weir {

/// A 4-ary min-heap over (deadline, timer number), so that timers due at one instant are taken in the order of their
/// numbers. Allocates only in resize().
class DeadlineHeap {
 public:
  /// Makes room for timers 0..timers-1; armed timers stay armed. Never shrinks.
  void resize(std::size_t timers) {
    if (timers <= position_.size()) return;
    position_.resize(timers, kIdle);
    heap_.reserve(timers);
  }
  [[nodiscard]] std::size_t size() const { return position_.size(); }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  /// The earliest deadline; Time::never() if none is armed.
  [[nodiscard]] Time earliest() const { return earliest_; }
  /// The timer with the earliest deadline; the heap must not be empty.
  [[nodiscard]] std::uint32_t first() const { return heap_.front().timer; }
  [[nodiscard]] bool armed(std::uint32_t timer) const { return position_[timer] != kIdle; }
  /// Time::never() if the timer is not armed.
  [[nodiscard]] Time deadline(std::uint32_t timer) const {
    return armed(timer) ? heap_[position_[timer]].deadline : Time::never();
  }

  /// Prefetches the deadline of an armed timer.
  WEIR_HOT_INLINE void prefetch(std::uint32_t timer) const {
    if (timer < size() && position_[timer] != kIdle) weir::prefetch(&heap_[position_[timer]]);
  }

  /// Arms the timer, or changes its deadline.
  void arm(std::uint32_t timer, Time deadline) {
    std::uint32_t at = position_[timer];
    if (at == kIdle) {
      at = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({deadline, timer});
      rise(at, {deadline, timer});
    } else {
      place({deadline, timer}, at);
    }
    earliest_ = heap_.front().deadline;
  }

  void cancel(std::uint32_t timer) {
    const std::uint32_t at = position_[timer];
    if (at == kIdle) return;
    position_[timer] = kIdle;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) place(last, at);
    earliest_ = heap_.empty() ? Time::never() : heap_.front().deadline;
  }

 private:
  struct Entry {
    Time deadline;
    std::uint32_t timer;
    [[nodiscard]] bool before(const Entry& other) const {
      return deadline != other.deadline ? deadline < other.deadline : timer < other.timer;
    }
  };
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};

  void put(std::uint32_t at, const Entry& entry) {
    heap_[at] = entry;
    position_[entry.timer] = at;
  }
  void place(const Entry& entry, std::uint32_t at) {
    if (at > 0 && entry.before(heap_[(at - 1) / 4])) {
      rise(at, entry);
    } else {
      sink(at, entry);
    }
  }
  void rise(std::uint32_t at, const Entry& entry) {
    while (at > 0) {
      const std::uint32_t parent = (at - 1) / 4;
      if (!entry.before(heap_[parent])) break;
      put(at, heap_[parent]);
      at = parent;
    }
    put(at, entry);
  }
  void sink(std::uint32_t at, const Entry& entry) {
    const auto size = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t first = at * 4 + 1;
      if (first >= size) break;
      std::uint32_t least = first;
      for (std::uint32_t child = first + 1; child < first + 4 && child < size; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (!heap_[least].before(entry)) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, entry);
  }

  Time earliest_ = Time::never();  // of heap_
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> position_;
};

}  // namespace weir
