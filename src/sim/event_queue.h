// The event list of the simulator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "units/time.h"

namespace weir {

enum class Phase : std::uint8_t { link_change, arrival, timer, new_flow, transmit, sample };

struct EventSpec {
  Phase phase = Phase::timer;
  std::uint64_t rank = 0;
};

struct Event {
  Time time;
  std::uint32_t id;
};

class EventQueue {
 public:
  explicit EventQueue(std::span<const EventSpec> specs) : order_(specs.size()), id_of_order_(specs.size()), position_(specs.size(), kIdle) {
    std::iota(id_of_order_.begin(), id_of_order_.end(), 0u);
    std::sort(id_of_order_.begin(), id_of_order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (specs[a].phase != specs[b].phase) return specs[a].phase < specs[b].phase;
      if (specs[a].rank != specs[b].rank) return specs[a].rank < specs[b].rank;
      return a < b;
    });
    for (std::uint32_t i = 0; i < id_of_order_.size(); ++i) order_[id_of_order_[i]] = i;
  }
  bool empty() const { return heap_.empty(); }
  bool pending(std::uint32_t id) const { return position_[id] != kIdle; }
  Time time_of(std::uint32_t id) const { return pending(id) ? heap_[position_[id]].time : Time::never(); }
  Time next_time() const { return heap_.empty() ? Time::never() : heap_.front().time; }
  void schedule(std::uint32_t id, Time time) { reschedule(id, time); }
  void reschedule(std::uint32_t id, Time time) {
    if (!pending(id)) { position_[id] = static_cast<std::uint32_t>(heap_.size()); heap_.push_back({time, order_[id]}); }
    place({time, order_[id]}, position_[id]);
  }
  void cancel(std::uint32_t id) {
    const std::uint32_t at = position_[id];
    if (at == kIdle) return;
    position_[id] = kIdle;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) place(last, at);
  }
  Event pop() {
    const Entry first = heap_.front();
    const std::uint32_t id = id_of_order_[first.order];
    cancel(id);
    return {first.time, id};
  }

 private:
  struct Entry { Time time; std::uint32_t order; bool before(const Entry& o) const { return time != o.time ? time < o.time : order < o.order; } };
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};
  void put(std::uint32_t at, const Entry& e) { heap_[at] = e; position_[id_of_order_[e.order]] = at; }
  void place(const Entry& e, std::uint32_t at) {
    while (at > 0 && e.before(heap_[(at - 1) / 4])) { put(at, heap_[(at - 1) / 4]); at = (at - 1) / 4; }
    const auto n = static_cast<std::uint32_t>(heap_.size());
    for (;;) {
      const std::uint32_t f = at * 4 + 1;
      if (f >= n) break;
      std::uint32_t l = f;
      for (std::uint32_t c = f + 1; c < f + 4 && c < n; ++c) if (heap_[c].before(heap_[l])) l = c;
      if (!heap_[l].before(e)) break;
      put(at, heap_[l]); at = l;
    }
    put(at, e);
  }
  std::vector<Entry> heap_;
  std::vector<std::uint32_t> order_, id_of_order_, position_;
};

}  // namespace weir
