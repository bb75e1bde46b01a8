// The event list of the simulator: a hierarchical timing wheel with exact order inside a slot.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "units/deadline_heap.h"
#include "units/time.h"

namespace weir {

/// What an event is about; events at one instant come in this order.
enum class Phase : std::uint8_t { link_change, arrival, timer, new_flow, transmit, sample };
inline constexpr std::size_t kPhases = 6;

/// The name of an event: its index in the list an EventQueue is built from.
using EventId = std::uint32_t;

/// What never changes about an event: its place among the events of one instant, which is (phase, rank, id).
struct EventSpec {
  Phase phase = Phase::timer;
  std::uint64_t rank = 0;
};

/// An event that is due.
struct Event {
  Time time;
  EventId id = 0;
  bool operator==(const Event&) const = default;
};

/// A set of events known beforehand, each pending at no or one instant, taken in the order (time, phase, rank, id).
/// Whoever has something to wait for owns an event for good, so nothing is allocated after construction.
///
/// Time is cut into slots of 2^k ps, the slots into windows of 4096, these into windows of 4096 windows, and so on up
/// to all of time: a hierarchical timing wheel (Varghese and Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987,
/// scheme 7). An event due within 4096 slots waits at level 0, in the list of its slot. One due later waits in the list
/// of the widest window that does not hold the present, and is dealt out to the levels below when that window begins.
/// Lists have no order and are linked through the nodes. When the time of a slot comes, its few events are sorted into
/// `run_`, so order is exact and most comparisons are never made. What is scheduled into the slot after that is
/// inserted near the front of `run_`, or goes to the heap `late_` when its place is deep inside, so that thousands of
/// events at one instant cost a logarithm each.
///
/// Costs: schedule and cancel O(1), pop O(1) amortised while a slot holds a few events, O(log n) when it holds n.
class EventQueue {
 public:
  static constexpr Duration kDefaultSlotWidth = Duration::picoseconds(64);

  /// Events 0..events.size()-1, none pending, at time 0. `slot_width` changes the speed but never the order. It is
  /// right when a slot holds about ten events or fewer, and most events are scheduled less than 4096 slots ahead: 64 ps
  /// does for up to some 20,000 events, 8 ps to 16 ps for 100,000. It is rounded down to a power of two in 8 ps..2^20
  /// ps. Throws std::length_error for 2^30 events or more.
  explicit EventQueue(std::span<const EventSpec> events, Duration slot_width = kDefaultSlotWidth);

  /// The time of the last event taken; 0 before the first.
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] bool empty() const { return pending_ == 0; }
  /// How many events are pending.
  [[nodiscard]] std::size_t size() const { return pending_; }
  [[nodiscard]] bool pending(EventId id) const { return nodes_[id].time != kIdle; }
  /// When the event is due; Time::never() when it is not pending.
  [[nodiscard]] Time time_of(EventId id) const { return Time::picoseconds(nodes_[id].time); }

  /// Makes an event pending that is not; now() <= time < Time::never().
  void schedule(EventId id, Time time);
  /// Moves an event, or makes it pending; now() <= time < Time::never().
  void reschedule(EventId id, Time time);
  /// Does nothing when the event is not pending.
  void cancel(EventId id);

  /// Takes the earliest event, whose time becomes now(). The queue must not be empty.
  Event pop();
  /// Takes the earliest event if it is due before `end`. When it gives none, the queue has looked no further than
  /// `end`, so that events scheduled from `end` on cost no more than usual.
  std::optional<Event> pop_before(Time end);

  /// The time of the earliest event; Time::never() when there is none. O(1) when an event is due in the slot of now(),
  /// or else it reads the events of the next slot; to ask about this instant only, due_before() is quicker.
  [[nodiscard]] Time next_time() const;
  /// Whether an event of a phase before `phase` is due at now(). O(1).
  [[nodiscard]] bool due_before(Phase phase) const;

 private:
  static constexpr std::int64_t kIdle = Time::never().picoseconds();
  static constexpr int kDigit = 12;  // bits of a slot number that a level resolves
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << kDigit;
  static constexpr int kMinShift = 3;
  static constexpr int kMaxShift = 20;
  static constexpr std::size_t kLevels = 5;
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};
  static_assert(kMinShift + int{kLevels} * kDigit >= 63, "the levels together hold every time");

  // Values of Node::previous and Node::next that are not nodes.
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kInRun = kNone - 1;
  static constexpr std::uint32_t kInLate = kNone - 2;
  static constexpr std::uint32_t kFirst = std::uint32_t{1} << 30;  // the first of its list: kFirst + number of the list

  struct Node {
    std::int64_t time = kIdle;
    std::uint32_t order = 0;  // (phase, rank, id) as one number
    std::uint32_t previous = kNone;
    std::uint32_t next = kNone;
  };

  // An event of the present slot. Slots are narrower than 2^32 ps and do not straddle a multiple of it, so the low half
  // of the time orders them.
  struct Entry {
    std::uint64_t key = 0;  // low half of the time, order
    EventId id = 0;         // kNone once cancelled
  };

  // Which lists of a level are not empty.
  struct Occupancy {
    std::uint64_t summary = 0;
    std::array<std::uint64_t, 64> words{};

    void set(std::uint64_t digit) {
      words[digit >> 6] |= std::uint64_t{1} << (digit & 63);
      summary |= std::uint64_t{1} << (digit >> 6);
    }
    void clear(std::uint64_t digit) {
      const std::uint64_t word = words[digit >> 6] &= ~(std::uint64_t{1} << (digit & 63));
      if (word == 0) summary &= ~(std::uint64_t{1} << (digit >> 6));
    }
    // The first at or after `from`; kSlots when there is none.
    [[nodiscard]] std::uint64_t first(std::uint64_t from) const {
      const std::uint64_t here = words[from >> 6] >> (from & 63);
      if (here != 0) return from + static_cast<std::uint64_t>(std::countr_zero(here));
      const std::uint64_t later = summary & (~std::uint64_t{1} << (from >> 6));
      if (later == 0) return kSlots;
      const auto word = static_cast<std::uint64_t>(std::countr_zero(later));
      return word << 6 | static_cast<std::uint64_t>(std::countr_zero(words[word]));
    }
  };
  static_assert(kSlots == 64 * 64);

  // A list of the wheel that is not empty, and the first slot of its window. Lists are numbered by level, then digit.
  struct Window {
    std::size_t list = 0;
    std::uint64_t first_slot = kNoSlot;
    [[nodiscard]] bool exists() const { return first_slot != kNoSlot; }
  };

  [[nodiscard]] std::uint64_t slot_of(std::int64_t time) const { return static_cast<std::uint64_t>(time) >> shift_; }
  [[nodiscard]] bool begins_before(std::uint64_t slot, Time end) const {
    return static_cast<std::int64_t>(slot << shift_) < end.picoseconds();
  }
  [[nodiscard]] static Entry entry_of(EventId id, const Node& node) {
    return {static_cast<std::uint64_t>(node.time) << 32 | node.order, id};
  }

  void link(EventId id, Node& node, std::uint64_t slot);
  void unlink(const Node& node);

  [[nodiscard]] Window next_window() const;
  [[nodiscard]] Window next_window_above() const;
  [[nodiscard]] Time earliest_of(std::size_t list) const;
  bool advance(Time end);
  void take_slot(std::uint64_t list, std::uint64_t slot);
  void sort_run();
  Entry take_next(EventId& id);
  void deal_out(Window window);

  void insert_into_present(EventId id, Node& node, std::uint64_t slot);
  void remove_from_present(EventId id, const Node& node);
  void drop_cancelled();
  [[nodiscard]] bool present_is_empty() const { return run_size_ == 0 && exceptions_ == 0; }
  [[nodiscard]] EventId first_present() const { return exceptions_ == 0 ? run_[run_size_ - 1].id : first_exception(); }
  [[nodiscard]] EventId first_exception() const;
  Event pop_run();
  Event pop_exception();

  // The present slot: those of its events that are not in late_, latest first. The last is never a cancelled one.
  std::vector<Entry> run_;
  std::uint32_t run_size_ = 0;
  std::uint32_t exceptions_ = 0;  // events in late_, and cancelled ones in run_; nearly always 0
  std::uint64_t present_ = 0;     // the number of the slot
  Time now_;
  std::size_t pending_ = 0;
  int shift_ = kMinShift;  // log2 of the width of a slot
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> lists_;  // the first node of each
  std::array<Occupancy, kLevels> occupied_;

  DeadlineHeap late_;  // events of slots up to the present; its timers are orders
  std::vector<EventId> id_of_order_;
  std::array<std::uint32_t, kPhases> orders_before_{};  // how many events are of earlier phases
};

inline void EventQueue::schedule(EventId id, Time time) {
  Node& node = nodes_[id];
  assert(node.time == kIdle && time >= now_ && time != Time::never());
  node.time = time.picoseconds();
  ++pending_;
  const std::uint64_t slot = slot_of(node.time);
  if (slot > present_) {
    link(id, node, slot);
  } else {
    insert_into_present(id, node, slot);
  }
}

inline void EventQueue::reschedule(EventId id, Time time) {
  cancel(id);
  schedule(id, time);
}

inline void EventQueue::cancel(EventId id) {
  Node& node = nodes_[id];
  if (node.time == kIdle) return;
  if (node.previous < kInLate) {
    unlink(node);
  } else {
    remove_from_present(id, node);
  }
  node.time = kIdle;
  --pending_;
}

inline Event EventQueue::pop() {
  assert(!empty());
  if (exceptions_ != 0) return pop_exception();
  if (run_size_ == 0) advance(Time::never());
  return pop_run();
}

inline std::optional<Event> EventQueue::pop_before(Time end) {
  if (present_is_empty() && !advance(end)) return std::nullopt;
  if (time_of(first_present()) >= end) return std::nullopt;
  return exceptions_ != 0 ? pop_exception() : pop_run();
}

inline bool EventQueue::due_before(Phase phase) const {
  const std::uint32_t end = orders_before_[static_cast<std::size_t>(phase)];
  if (exceptions_ == 0) [[likely]] {
    if (run_size_ == 0) return false;
    const Entry& next = run_[run_size_ - 1];
    // The key has the low half of the time, which nearly always tells.
    return static_cast<std::uint32_t>(next.key >> 32) == static_cast<std::uint32_t>(now_.picoseconds()) &&
           static_cast<std::uint32_t>(next.key) < end && nodes_[next.id].time == now_.picoseconds();
  }
  const Node& first = nodes_[first_exception()];
  return first.time == now_.picoseconds() && first.order < end;
}

// Puts the node into the list of `slot`, which is not before the present one.
inline void EventQueue::link(EventId id, Node& node, std::uint64_t slot) {
  std::size_t list = slot & (kSlots - 1);
  std::size_t level = 0;
  if (slot - present_ >= kSlots) {
    // The lowest level at which the two are in one window.
    level = static_cast<std::size_t>(63 - std::countl_zero(slot ^ present_)) / kDigit;
    list = level << kDigit | (slot >> (level * kDigit) & (kSlots - 1));
  }
  const std::uint32_t second = lists_[list];
  lists_[list] = id;
  node.previous = kFirst + static_cast<std::uint32_t>(list);
  node.next = second;
  if (second == kNone) {
    occupied_[level].set(list & (kSlots - 1));
  } else {
    nodes_[second].previous = id;
  }
}

inline void EventQueue::unlink(const Node& node) {
  if (node.next != kNone) nodes_[node.next].previous = node.previous;
  if (node.previous < kFirst) {
    nodes_[node.previous].next = node.next;
    return;
  }
  const std::uint32_t list = node.previous - kFirst;
  lists_[list] = node.next;
  if (node.next == kNone) occupied_[list >> kDigit].clear(list & (kSlots - 1));
}

// The first of run_ when there is neither a cancelled event in it nor one in late_.
inline Event EventQueue::pop_run() {
  const EventId id = run_[--run_size_].id;
  Node& node = nodes_[id];
  now_ = Time::picoseconds(node.time);
  node.time = kIdle;
  --pending_;
  return {now_, id};
}

}  // namespace weir
