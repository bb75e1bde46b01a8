// Pauses that have come to a port and take effect when the FIFO behind its gates has drained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "units/time.h"

namespace weir::bfc {

/// The queues of one port that wait to be paused, in the order in which they are due: each waits alike. Fixed memory.
class DelayedPauses {
 public:
  DelayedPauses() = default;
  explicit DelayedPauses(std::size_t queues) : entries_(queues + 1) { clear(); }

  [[nodiscard]] bool empty() const { return entries_.back().next == end(); }
  [[nodiscard]] bool waits(std::size_t queue) const { return entries_[queue].waits; }
  /// When the first is due; there must be one.
  [[nodiscard]] Time due() const { return entries_[entries_.back().next].due; }

  /// The queue must not wait yet; `due` must not lie before that of an earlier one.
  void push(std::size_t queue, Time due) {
    Entry& last = entries_.back();
    entries_[queue] = {due, static_cast<std::uint16_t>(end()), last.previous, true};
    entries_[last.previous].next = static_cast<std::uint16_t>(queue);
    last.previous = static_cast<std::uint16_t>(queue);
  }
  void remove(std::size_t queue) {
    Entry& entry = entries_[queue];
    if (!entry.waits) return;
    entry.waits = false;
    entries_[entry.previous].next = entry.next;
    entries_[entry.next].previous = entry.previous;
  }
  /// Takes the first; there must be one.
  std::size_t pop() {
    const std::size_t queue = entries_.back().next;
    remove(queue);
    return queue;
  }
  void clear() {
    for (Entry& entry : entries_) entry.waits = false;
    entries_.back().next = entries_.back().previous = static_cast<std::uint16_t>(end());
  }

 private:
  struct Entry {
    Time due;
    std::uint16_t next = 0;
    std::uint16_t previous = 0;
    bool waits = false;
  };
  [[nodiscard]] std::size_t end() const { return entries_.size() - 1; }

  std::vector<Entry> entries_;  // by queue, and the end of the list
};

}  // namespace weir::bfc
