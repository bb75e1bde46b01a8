// SPDX-License-Identifier: Apache-2.0
// The flow tables that process every frame: the flows in the queue, and the recently seen flows (3.4, the first two).
#pragma once

#include <cstdint>
#include <vector>

#include "schemes/rocc/flow.h"

namespace weir::rocc {

/// Maximum distance of a flow from its hashed entry.
inline constexpr std::size_t kProbes = 16;

/// Default number of entries for at most this many flows: half of them stay free for hashing.
[[nodiscard]] constexpr std::size_t hashed_entries_for(std::size_t flows) {
  return 2 * flows;
}

/// Open addressing over a power of two of entries, each with a member `Flow flow`.
template <class Entry>
class HashedEntries {
 public:
  explicit HashedEntries(std::size_t entries) : entries_(entries) {}

  /// The flow's entry, or nullptr.
  [[nodiscard]] Entry* find(const Flow& flow) {
    const std::size_t start = flow.hash();
    for (std::size_t i = 0; i < kProbes; ++i) {
      Entry& entry = at(start + i);
      if (entry.flow == flow) return &entry;
    }
    return nullptr;
  }
  /// The entry with the lowest `cost` among those that the flow may take.
  template <class Cost>
  [[nodiscard]] Entry& cheapest(const Flow& flow, Cost cost) {
    const std::size_t start = flow.hash();
    Entry* best = &at(start);
    for (std::size_t i = 1; i < kProbes; ++i) {
      Entry& entry = at(start + i);
      if (cost(entry) < cost(*best)) best = &entry;
    }
    return *best;
  }
  [[nodiscard]] Entry& operator[](std::size_t slot) { return entries_[slot]; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::size_t number_of(const Entry& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }
  void clear() { entries_.assign(entries_.size(), Entry()); }

 private:
  [[nodiscard]] Entry& at(std::size_t place) { return entries_[place & (entries_.size() - 1)]; }
  std::vector<Entry> entries_;
};

/// [ROCC-FT-1] The flows that have frames in the queue. A flow that finds no free entry is sent no CNPs meanwhile.
class QueueTable {
 public:
  static constexpr bool kCountsDepartures = true;
  static std::size_t entries_for(std::size_t flows) { return hashed_entries_for(flows); }
  explicit QueueTable(const TableSettings& settings) : entries_(settings.entries) {}

  void enter(const Flow& flow, Time, RandomStream&) {
    Entry* entry = entries_.find(flow);
    if (entry == nullptr) {
      entry = &entries_.cheapest(flow, [](const Entry& each) { return each.frames; });
      if (entry->frames > 0) return;
      entry->flow = flow;
    }
    ++entry->frames;
  }
  void leave(const Flow& flow) {
    if (Entry* entry = entries_.find(flow); entry != nullptr && entry->frames > 0) --entry->frames;
  }
  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  /// The flow of this slot if CNPs must be sent to it, otherwise nullptr.
  [[nodiscard]] const Flow* told(std::size_t slot, Time) {
    return entries_[slot].frames > 0 ? &entries_[slot].flow : nullptr;
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Flow flow;
    std::uint32_t frames = 0;
  };
  HashedEntries<Entry> entries_;
};

/// [ROCC-FT-2] As many flows as the minimum rate allows on a link; the flow that was not seen for the longest time is
/// replaced.
class BoundedTable {
 public:
  static constexpr bool kCountsDepartures = false;
  static std::size_t entries_for(std::size_t flows) { return hashed_entries_for(flows); }
  explicit BoundedTable(const TableSettings& settings) : age_(settings.age), entries_(settings.entries) {}

  void enter(const Flow& flow, Time now, RandomStream&) {
    Entry* entry = entries_.find(flow);
    if (entry == nullptr) {
      entry = &entries_.cheapest(flow, [](const Entry& each) { return each.flow.exists() ? each.seen : Time(); });
      entry->flow = flow;
    }
    entry->seen = now;
  }
  void leave(const Flow&) {}
  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  [[nodiscard]] const Flow* told(std::size_t slot, Time now) {
    Entry& entry = entries_[slot];
    if (entry.flow.exists() && now - entry.seen > age_) entry = Entry();
    return entry.flow.exists() ? &entry.flow : nullptr;
  }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    Flow flow;
    Time seen;
  };
  Duration age_;
  HashedEntries<Entry> entries_;
};

}  // namespace weir::rocc
