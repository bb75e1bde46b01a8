// SPDX-License-Identifier: Apache-2.0
// The flow tables that sample frames at random to distinguish elephants from mice (3.4, the last three).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "schemes/rocc/flow.h"
#include "schemes/rocc/hashed_tables.h"

namespace weir::rocc {

/// Default number of entries of tables that are searched linearly for each sampled frame.
inline constexpr std::size_t kElephants = 128;

/// The common part of the three: one of `sample_every` frames is sampled.
class Sampling {
 public:
  explicit Sampling(const TableSettings& settings) : settings_(settings) {}
  static constexpr bool kCountsDepartures = false;
  void leave(const Flow&) {}

 protected:
  [[nodiscard]] bool looks(RandomStream& random) const { return random.below(settings_.sample_every) == 0; }
  [[nodiscard]] bool is_old(Time seen, Time now) const { return now - seen > settings_.age; }
  [[nodiscard]] const TableSettings& settings() const { return settings_; }

 private:
  TableSettings settings_;
};

/// [ROCC-FT-3] AFD: for each flow, its number of frames among the last sampled frames, as many as there are entries. A
/// new sample replaces a random one, as in AFD's shadow buffer.
class AfdTable : public Sampling {
 public:
  static std::size_t entries_for(std::size_t flows) { return hashed_entries_for(flows); }
  explicit AfdTable(const TableSettings& settings)
      : Sampling(settings), entries_(settings.entries), shadow_(settings.entries, kNone) {}

  void enter(const Flow& flow, Time now, RandomStream& random) {
    if (!looks(random)) return;
    std::uint32_t& place = shadow_[random.below(shadow_.size())];
    if (place != kNone) forget_one(entries_[std::exchange(place, kNone)]);
    Entry* entry = entries_.find(flow);
    if (entry == nullptr) {
      entry = &entries_.cheapest(flow, [](const Entry& each) { return each.frames; });
      if (entry->frames > 0) return;
      entry->flow = flow;
    }
    ++entry->frames;
    entry->seen = now;
    place = static_cast<std::uint32_t>(entries_.number_of(*entry));
  }
  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  [[nodiscard]] const Flow* told(std::size_t slot, Time now) {
    const Entry& entry = entries_[slot];
    return entry.frames >= settings().hits && !is_old(entry.seen, now) ? &entry.flow : nullptr;
  }
  void clear() {
    entries_.clear();
    std::fill(shadow_.begin(), shadow_.end(), kNone);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Entry {
    Flow flow;
    std::uint32_t frames = 0;  // in the shadow buffer
    Time seen;
  };
  static void forget_one(Entry& entry) { --entry.frames; }

  HashedEntries<Entry> entries_;
  std::vector<std::uint32_t> shadow_;  // slots
};

/// [ROCC-FT-4] ElephantTrap: counts the samples of each flow. A new flow replaces the one under the hand if its count
/// is below that of an elephant; otherwise that count is halved and the hand advances.
class ElephantTrap : public Sampling {
 public:
  static std::size_t entries_for(std::size_t flows) { return std::min(flows, kElephants); }
  explicit ElephantTrap(const TableSettings& settings) : Sampling(settings), entries_(settings.entries) {}

  void enter(const Flow& flow, Time now, RandomStream& random) {
    if (!looks(random)) return;
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.flow == flow; });
    if (found != entries_.end()) {
      found->count = std::min(found->count + 1, kMost);
      found->seen = now;
      return;
    }
    Entry& victim = entries_[hand_];
    hand_ = (hand_ + 1) % entries_.size();
    if (victim.count < settings().hits || is_old(victim.seen, now)) {
      victim = {flow, 1, now};
    } else {
      victim.count /= 2;
    }
  }
  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  [[nodiscard]] const Flow* told(std::size_t slot, Time now) {
    const Entry& entry = entries_[slot];
    return entry.count >= settings().hits && !is_old(entry.seen, now) ? &entry.flow : nullptr;
  }
  void clear() { entries_.assign(entries_.size(), Entry()); }

 private:
  static constexpr std::uint32_t kMost = 255;  // so that an ended elephant is soon forgotten
  struct Entry {
    Flow flow;
    std::uint32_t count = 0;
    Time seen;
  };
  std::vector<Entry> entries_;
  std::size_t hand_ = 0;
};

/// [ROCC-FT-5] BubbleCache: a flow of which a frame is sampled swaps places with the one above it, and a new one takes
/// the lowest place; elephants thus rise and mice are displaced.
class BubbleCache : public Sampling {
 public:
  static std::size_t entries_for(std::size_t flows) { return std::min(flows, kElephants); }
  explicit BubbleCache(const TableSettings& settings) : Sampling(settings), entries_(settings.entries) {}

  void enter(const Flow& flow, Time now, RandomStream& random) {
    if (!looks(random)) return;
    auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) { return each.flow == flow; });
    if (found == entries_.end()) {
      entries_.back() = {flow, 1, now};
      return;
    }
    found->count = std::min(found->count + 1, settings().hits);
    found->seen = now;
    if (found != entries_.begin()) std::iter_swap(found, found - 1);
  }
  [[nodiscard]] std::size_t slots() const { return entries_.size(); }
  [[nodiscard]] const Flow* told(std::size_t slot, Time now) {
    const Entry& entry = entries_[slot];
    return entry.count >= settings().hits && !is_old(entry.seen, now) ? &entry.flow : nullptr;
  }
  void clear() { entries_.assign(entries_.size(), Entry()); }

 private:
  struct Entry {
    Flow flow;
    std::uint32_t count = 0;  // since it is in the table, up to an elephant's
    Time seen;
  };
  std::vector<Entry> entries_;
};

}  // namespace weir::rocc
