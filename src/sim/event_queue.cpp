#include "sim/event_queue.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace weir {
namespace {

// Up to so many entries are moved to insert one into a sorted array; more is left to the heap or to std::sort.
constexpr std::uint32_t kFewEntries = 32;

}  // namespace

EventQueue::EventQueue(std::span<const EventSpec> events, Duration slot_width)
    : lists_(kLevels * kSlots, kNone), id_of_order_(events.size()) {
  if (events.size() >= kFirst) throw std::length_error("an event queue holds fewer than 2^30 events");
  while (shift_ < kMaxShift && Duration::picoseconds(std::int64_t{2} << shift_) <= slot_width) ++shift_;

  std::iota(id_of_order_.begin(), id_of_order_.end(), EventId{0});
  std::sort(id_of_order_.begin(), id_of_order_.end(), [&](EventId a, EventId b) {
    if (events[a].phase != events[b].phase) return events[a].phase < events[b].phase;
    return events[a].rank != events[b].rank ? events[a].rank < events[b].rank : a < b;
  });
  nodes_.resize(events.size());
  for (std::uint32_t order = 0; order < id_of_order_.size(); ++order) nodes_[id_of_order_[order]].order = order;
  for (const EventSpec& event : events) {
    for (auto phase = static_cast<std::size_t>(event.phase) + 1; phase < kPhases; ++phase) ++orders_before_[phase];
  }
  run_.resize(events.size());
  late_.resize(events.size());
}

// The list whose window begins first; one of a higher level if it and one of level 0 begin in the same window.
//
// Level 0 holds the 4096 slots from the present one on, so those before it in the array are of the next window. Lists
// of the levels above are all of windows that begin after the present one, and those of a level are all in the present
// window of the level above it.
EventQueue::Window EventQueue::next_window() const {
  const std::uint64_t digit = present_ & (kSlots - 1);
  const std::uint64_t first = occupied_[0].first(digit);
  if (first != kSlots) return {first, present_ - digit + first};
  const Window above = next_window_above();
  const std::uint64_t wrapped = occupied_[0].first(0);
  if (wrapped == kSlots) return above;
  const std::uint64_t slot = present_ - digit + kSlots + wrapped;
  return above.first_slot <= slot ? above : Window{wrapped, slot};
}

EventQueue::Window EventQueue::next_window_above() const {
  for (std::size_t level = 1; level < kLevels; ++level) {
    if (occupied_[level].summary == 0) continue;
    const std::uint64_t digit = occupied_[level].first(0);
    const std::uint64_t prefix = level + 1 == kLevels ? 0 : present_ >> ((level + 1) * kDigit) << kDigit;
    return {level << kDigit | digit, (prefix | digit) << (level * kDigit)};
  }
  return {};
}

// Sorts the events of a slot into run_, which is empty, and makes it the present one.
void EventQueue::take_slot(std::uint64_t list, std::uint64_t slot) {
  present_ = slot;
  EventId id = lists_[list];
  lists_[list] = kNone;
  occupied_[0].clear(list);
  Entry* const run = run_.data();
  run[0] = take_next(id);
  std::uint32_t size = 1;
  for (; id != kNone; ++size) {
    const Entry entry = take_next(id);
    std::uint32_t at = size;
    if (size < kFewEntries) {
      for (; at > 0 && run[at - 1].key < entry.key; --at) run[at] = run[at - 1];
    }
    run[at] = entry;
  }
  run_size_ = size;
  if (size > kFewEntries) sort_run();
}

// Takes an event off the list of its slot, and steps to the next.
inline EventQueue::Entry EventQueue::take_next(EventId& id) {
  Node& node = nodes_[id];
  const Entry entry = entry_of(id, node);
  node.previous = kInRun;
  id = node.next;
  return entry;
}

[[gnu::noinline]] void EventQueue::sort_run() {
  std::sort(run_.begin(), run_.begin() + run_size_, [](const Entry& a, const Entry& b) { return a.key > b.key; });
}

// Moves the events of a window of a higher level down, and makes its first slot the present one.
void EventQueue::deal_out(Window window) {
  present_ = window.first_slot;
  EventId id = lists_[window.list];
  lists_[window.list] = kNone;
  occupied_[window.list >> kDigit].clear(window.list & (kSlots - 1));
  do {
    Node& node = nodes_[id];
    const EventId next = node.next;
    link(id, node, slot_of(node.time));
    id = next;
  } while (id != kNone);
}

// Makes the slot of the earliest event the present one, if that slot begins before `end`. The present one must be used
// up. A slot that begins later is left alone, since all that is scheduled before the present slot goes to the heap.
bool EventQueue::advance(Time end) {
  for (;;) {
    const std::uint64_t digit = present_ & (kSlots - 1);
    const std::uint64_t first = occupied_[0].first(digit);
    if (first != kSlots) [[likely]] {  // what next_window() finds first
      const std::uint64_t slot = present_ - digit + first;
      if (!begins_before(slot, end)) return false;
      take_slot(first, slot);
      return true;
    }
    const Window window = next_window();
    if (!window.exists() || !begins_before(window.first_slot, end)) return false;
    if (window.list < kSlots) {
      take_slot(window.list, window.first_slot);
      return true;
    }
    deal_out(window);
  }
}

Time EventQueue::next_time() const {
  if (!present_is_empty()) return time_of(first_present());
  const Window window = next_window();
  if (!window.exists()) return Time::never();
  Time earliest = earliest_of(window.list);
  const std::uint64_t wrapped = occupied_[0].first(0);
  if (window.list >= kSlots && wrapped != kSlots) earliest = std::min(earliest, earliest_of(wrapped));
  return earliest;
}

Time EventQueue::earliest_of(std::size_t list) const {
  std::int64_t earliest = kIdle;
  for (EventId id = lists_[list]; id != kNone; id = nodes_[id].next) earliest = std::min(earliest, nodes_[id].time);
  return Time::picoseconds(earliest);
}

void EventQueue::insert_into_present(EventId id, Node& node, std::uint64_t slot) {
  const Entry entry = entry_of(id, node);
  const std::uint32_t deepest = run_size_ > kFewEntries ? run_size_ - kFewEntries : 0;
  std::uint32_t at = run_size_;
  while (at > deepest && run_[at - 1].key < entry.key) --at;
  const bool deeper = at > 0 && run_[at - 1].key < entry.key;
  if (slot < present_ || deeper || run_size_ == run_.size()) {  // cancelled entries may fill run_
    node.previous = kInLate;
    late_.arm(node.order, Time::picoseconds(node.time));
    ++exceptions_;
    return;
  }
  node.previous = kInRun;
  std::copy_backward(run_.begin() + at, run_.begin() + run_size_, run_.begin() + run_size_ + 1);
  run_[at] = entry;
  ++run_size_;
}

void EventQueue::remove_from_present(EventId id, const Node& node) {
  if (node.previous == kInLate) {
    late_.cancel(node.order);
    --exceptions_;
    return;
  }
  const std::uint32_t deepest = run_size_ > kFewEntries ? run_size_ - kFewEntries : 0;
  for (std::uint32_t at = run_size_; at > deepest; --at) {
    if (run_[at - 1].id != id) continue;
    std::copy(run_.begin() + at, run_.begin() + run_size_, run_.begin() + at - 1);
    --run_size_;
    drop_cancelled();
    return;
  }
  // Cancelled entries of the same key may stand beside it: an event cancelled before at this very instant.
  auto found = std::lower_bound(run_.begin(), run_.begin() + run_size_, entry_of(id, node),
                                [](const Entry& a, const Entry& b) { return a.key > b.key; });
  while (found->id != id) ++found;
  found->id = kNone;
  ++exceptions_;
}

void EventQueue::drop_cancelled() {
  while (run_size_ != 0 && run_[run_size_ - 1].id == kNone) {
    --run_size_;
    --exceptions_;
  }
}

// first_present() when late_ or cancelled entries are to be heeded.
EventId EventQueue::first_exception() const {
  if (late_.empty()) return run_[run_size_ - 1].id;
  const EventId late = id_of_order_[late_.first()];
  if (run_size_ == 0) return late;
  const EventId sorted = run_[run_size_ - 1].id;
  const Node& a = nodes_[late];
  const Node& b = nodes_[sorted];
  return std::tie(a.time, a.order) < std::tie(b.time, b.order) ? late : sorted;
}

Event EventQueue::pop_exception() {
  const EventId id = first_exception();
  const Time time = time_of(id);
  cancel(id);
  now_ = time;
  return {time, id};
}

}  // namespace weir
