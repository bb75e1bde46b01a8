#include "sim/event_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "units/random.h"

namespace weir {
namespace {

using namespace weir::literals;

constexpr Time at(std::int64_t picoseconds) {
  return Time::picoseconds(picoseconds);
}

/// The same set of events in an ordered set, written for nothing but to be right.
class Model {
 public:
  explicit Model(std::vector<EventSpec> events) : events_(std::move(events)), time_(events_.size(), Time::never()) {}

  void reschedule(EventId id, Time time) {
    cancel(id);
    time_[id] = time;
    set_.insert(key(id));
  }
  void cancel(EventId id) {
    set_.erase(key(id));
    time_[id] = Time::never();
  }
  Event pop() {
    const EventId id = std::get<EventId>(*set_.begin());
    now_ = time_[id];
    cancel(id);
    return {now_, id};
  }
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] std::size_t size() const { return set_.size(); }
  [[nodiscard]] Time time_of(EventId id) const { return time_[id]; }
  [[nodiscard]] Time next_time() const { return set_.empty() ? Time::never() : std::get<Time>(*set_.begin()); }
  [[nodiscard]] bool due_before(Phase phase) const {
    return next_time() == now_ && std::get<Phase>(*set_.begin()) < phase;
  }

 private:
  using Key = std::tuple<Time, Phase, std::uint64_t, EventId>;
  [[nodiscard]] Key key(EventId id) const { return {time_[id], events_[id].phase, events_[id].rank, id}; }

  std::vector<EventSpec> events_;
  std::vector<Time> time_;
  std::set<Key> set_;
  Time now_;
};

/// Does everything to both, and compares all that can be seen.
class Pair {
 public:
  explicit Pair(const std::vector<EventSpec>& events, Duration slot_width = EventQueue::kDefaultSlotWidth)
      : queue_(events, slot_width), model_(events) {}

  void schedule(EventId id, Time time) {
    queue_.schedule(id, time);
    model_.reschedule(id, time);
  }
  void reschedule(EventId id, Time time) {
    queue_.reschedule(id, time);
    model_.reschedule(id, time);
  }
  void cancel(EventId id) {
    queue_.cancel(id);
    model_.cancel(id);
  }
  Event pop() {
    const Event expected = model_.pop();
    const Event found = queue_.pop();
    same(found, expected);
    return found;
  }
  void pop_before(Time end) {
    const std::optional<Event> found = queue_.pop_before(end);
    const bool due = model_.next_time() < end;
    if (found.has_value() != due) throw std::logic_error("pop_before() disagrees on whether an event is due");
    if (due) same(*found, model_.pop());
  }
  void compare(EventId id) const {
    const auto require = [](bool same, const char* what) {
      if (!same) throw std::logic_error(what);
    };
    require(queue_.now() == model_.now(), "now() differs");
    require(queue_.size() == model_.size(), "size() differs");
    require(queue_.empty() == (model_.size() == 0), "empty() differs");
    require(queue_.time_of(id) == model_.time_of(id), "time_of() differs");
    require(queue_.pending(id) == (model_.time_of(id) != Time::never()), "pending() differs");
    for (std::size_t phase = 0; phase < kPhases; ++phase) {
      require(queue_.due_before(Phase(phase)) == model_.due_before(Phase(phase)), "due_before() differs");
    }
  }
  void compare_next_time() const {
    if (queue_.next_time() != model_.next_time()) throw std::logic_error("next_time() differs");
  }
  void drain() {
    while (model_.size() > 0) pop();
    compare_next_time();
    if (!queue_.empty()) throw std::logic_error("the queue is not drained");
  }
  [[nodiscard]] const Model& model() const { return model_; }

 private:
  static void same(const Event& found, const Event& expected) {
    if (found != expected) {
      throw std::logic_error("took event " + std::to_string(found.id) + " at " +
                             std::to_string(found.time.picoseconds()) + " ps, not " + std::to_string(expected.id) +
                             " at " + std::to_string(expected.time.picoseconds()) + " ps");
    }
  }

  EventQueue queue_;
  Model model_;
};

/// Events of all phases, with ranks so few that many are equal.
std::vector<EventSpec> mixed_events(std::size_t count, RandomStream& random) {
  std::vector<EventSpec> events(count);
  for (EventSpec& event : events) event = {Phase(random.below(kPhases)), random.below(4)};
  return events;
}

/// A distance from 0 ps to seconds, about equally often of each size, and often at the edge of a slot or window.
Duration mixed_distance(Time now, Duration slot_width, RandomStream& random) {
  switch (random.below(8)) {
    case 0:
      return 0_ps;
    case 1:
      return Duration::picoseconds(static_cast<std::int64_t>(random.below(3)));
    case 2: {  // just before, at or just after the next boundary of a level
      const std::int64_t window = slot_width.picoseconds() << (random.below(4) * 12);
      const std::int64_t to_boundary = window - now.picoseconds() % window;
      return Duration::picoseconds(
          std::max<std::int64_t>(0, to_boundary + static_cast<std::int64_t>(random.below(3)) - 1));
    }
    default:
      return Duration::picoseconds(static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(43))));
  }
}

/// Random operations for as long as `steps`; about `events` / 2 events are pending.
void operate(std::size_t count, Duration slot_width, std::uint64_t seed, int steps, Time start = Time()) {
  RandomStream random(seed, 0, 0);
  const std::vector<EventSpec> events = mixed_events(count, random);
  Pair pair(events, slot_width);
  if (start != Time()) {
    pair.schedule(0, start);
    pair.pop();
  }
  // A crowd: for a while, nearly everything happens at one instant and the next.
  std::uint64_t crowd = 0;
  for (int step = 0; step < steps; ++step) {
    const auto id = static_cast<EventId>(random.below(count));
    if (crowd == 0 && random.below(4 * count) == 0) crowd = random.below(4 * count);
    const Time now = pair.model().now();
    Duration distance = mixed_distance(now, slot_width, random);
    if (crowd > 0) {
      --crowd;
      distance = Duration::picoseconds(random.below(16) == 0);
    }
    switch (random.below(crowd > 0 ? 14 : 10)) {
      case 0:
        pair.cancel(id);
        break;
      case 1:
      case 2:
        pair.reschedule(id, now + distance);
        break;
      case 3:
        pair.pop_before(now + distance);
        break;
      case 4:
        pair.compare_next_time();
        break;
      case 5:
      case 6:
      case 7:
        if (pair.model().size() > 0) pair.pop();
        break;
      default:
        if (pair.model().time_of(id) == Time::never()) pair.schedule(id, now + distance);
        break;
    }
    pair.compare(id);
  }
  pair.drain();
}

RC_GTEST_PROP(EventQueue, TakesEventsAsAnOrderedSetDoes, ()) {
  const auto count = *rc::gen::element<std::size_t>(1, 2, 5, 40, 300);
  const Duration slot_width = *rc::gen::element(8_ps, 64_ps, 4096_ps, Duration::picoseconds(1 << 20));
  operate(count, slot_width, *rc::gen::arbitrary<std::uint64_t>(), 4'000);
}

RC_GTEST_PROP(EventQueue, TakesEventsInOrderLateInTime, ()) {
  const Time start = at(*rc::gen::inRange(std::int64_t{1} << 62, (std::int64_t{1} << 62) + (std::int64_t{1} << 61)));
  operate(40, *rc::gen::element(8_ps, 64_ps), *rc::gen::arbitrary<std::uint64_t>(), 2'000, start);
}

TEST(EventQueue, TakesManyThousandEventsAsAnOrderedSetDoes) {
  operate(20'000, 64_ps, 1, 400'000);
}

TEST(EventQueue, HasNothingAtFirst) {
  const std::vector<EventSpec> events(3);
  const EventQueue queue(events);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_EQ(queue.now(), Time());
  EXPECT_EQ(queue.next_time(), Time::never());
  EXPECT_FALSE(queue.pending(2));
  EXPECT_EQ(queue.time_of(2), Time::never());
  EXPECT_FALSE(queue.due_before(Phase::sample));
}

TEST(EventQueue, CanHoldNoEvents) {
  EventQueue queue({});
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.next_time(), Time::never());
  EXPECT_FALSE(queue.pop_before(Time::never()).has_value());
}

TEST(EventQueue, OrdersAnInstantByPhaseThenRankThenId) {
  const std::vector<EventSpec> events = {{Phase::sample, 0},   {Phase::transmit, 9}, {Phase::transmit, 3},
                                         {Phase::arrival, 7},  {Phase::timer, ~0u},  {Phase::link_change, 5},
                                         {Phase::new_flow, 0}, {Phase::arrival, 7},  {Phase::arrival, 6}};
  EventQueue queue(events);
  for (EventId id = 0; id < events.size(); ++id) queue.schedule(id, at(1'000'000));
  std::vector<EventId> taken;
  while (!queue.empty()) taken.push_back(queue.pop().id);
  EXPECT_EQ(taken, (std::vector<EventId>{5, 8, 3, 7, 4, 6, 2, 1, 0}));
}

TEST(EventQueue, SaysWhatElseIsDueNow) {
  const std::vector<EventSpec> events = {{Phase::arrival, 0}, {Phase::arrival, 1}, {Phase::transmit, 0}};
  EventQueue queue(events);
  for (const EventId id : {0u, 1u, 2u}) queue.schedule(id, at(500));
  EXPECT_FALSE(queue.due_before(Phase::sample));  // it is not 500 ps yet
  queue.pop();
  EXPECT_TRUE(queue.due_before(Phase::transmit));
  EXPECT_FALSE(queue.due_before(Phase::arrival));
  queue.pop();
  EXPECT_FALSE(queue.due_before(Phase::transmit));
  EXPECT_TRUE(queue.due_before(Phase::sample));
  queue.reschedule(2, at(501));  // in the same slot, but not now
  EXPECT_FALSE(queue.due_before(Phase::sample));
}

TEST(EventQueue, TakesAtThisInstantWhatIsScheduledForIt) {
  const std::vector<EventSpec> events = {{Phase::arrival, 0}, {Phase::transmit, 0}, {Phase::timer, 0}};
  EventQueue queue(events);
  queue.schedule(0, at(100));
  EXPECT_EQ(queue.pop(), (Event{at(100), 0}));
  queue.schedule(1, at(100));
  queue.schedule(2, at(100));
  queue.schedule(0, at(100));
  EXPECT_EQ(queue.pop(), (Event{at(100), 0}));
  EXPECT_EQ(queue.pop(), (Event{at(100), 2}));
  EXPECT_EQ(queue.pop(), (Event{at(100), 1}));
  EXPECT_TRUE(queue.empty());
}

TEST(EventQueue, TakesNothingAtOrAfterTheEnd) {
  const std::vector<EventSpec> events(2);
  EventQueue queue(events);
  queue.schedule(0, Time() + 1_s);
  EXPECT_FALSE(queue.pop_before(Time() + 1_us).has_value());
  EXPECT_EQ(queue.now(), Time());
  queue.schedule(1, Time() + 1_us);  // before what pop_before() may have seen
  EXPECT_FALSE(queue.pop_before(Time() + 1_us).has_value());
  EXPECT_EQ(queue.pop_before(Time() + 1_us + 1_ps), (Event{Time() + 1_us, 1}));
  EXPECT_FALSE(queue.pop_before(Time() + 1_s).has_value());
  EXPECT_EQ(queue.pop(), (Event{Time() + 1_s, 0}));
}

TEST(EventQueue, ReachesEveryBoundaryOfEveryLevel) {
  const std::vector<EventSpec> events(3);
  for (int shift = 3; shift < 62; ++shift) {
    const std::int64_t boundary = std::int64_t{1} << shift;
    Pair pair(events);
    pair.schedule(0, at(boundary));
    pair.schedule(1, at(boundary - 1));
    pair.schedule(2, at(boundary + 1));
    EXPECT_EQ(pair.pop().id, 1u);
    pair.reschedule(1, at(2 * boundary - 1));
    EXPECT_EQ(pair.pop().id, 0u);
    pair.schedule(0, at(2 * boundary));
    EXPECT_EQ(pair.pop().id, 2u);
    EXPECT_EQ(pair.pop().id, 1u);
    EXPECT_EQ(pair.pop().id, 0u);
    pair.drain();
  }
}

TEST(EventQueue, HoldsTheLastInstant) {
  const std::vector<EventSpec> events(3);
  for (const Duration slot_width : {8_ps, 64_ps, 1_us}) {
    Pair pair(events, slot_width);
    const Time last = at(std::numeric_limits<std::int64_t>::max() - 1);
    pair.schedule(0, last);
    pair.schedule(1, at((std::int64_t{1} << 62) + 1));
    pair.schedule(2, at((std::int64_t{1} << 62) - 1));
    EXPECT_EQ(pair.pop().id, 2u);
    EXPECT_EQ(pair.pop().id, 1u);
    EXPECT_EQ(pair.pop().time, last);
    pair.drain();
  }
}

TEST(EventQueue, OrderDoesNotHangOnTheSlotWidth) {
  RandomStream random(3, 0, 0);
  const std::vector<EventSpec> events = mixed_events(500, random);
  EventQueue narrow(events, 1_ps);
  EventQueue wide(events, 1_s);
  for (EventId id = 0; id < events.size(); ++id) {
    const Time time = at(static_cast<std::int64_t>(random.below(2'000)));
    narrow.schedule(id, time);
    wide.schedule(id, time);
  }
  for (int step = 0; step < 100'000; ++step) {
    const Event event = narrow.pop();
    ASSERT_EQ(wide.pop(), event);
    const Time time = event.time + mixed_distance(event.time, 64_ps, random);
    narrow.schedule(event.id, time);
    wide.schedule(event.id, time);
  }
}

// What a synchronous start is: everything at one instant, each arrival asking for a transmission at it, a part of which
// is taken back. With a cost linear in the events of the instant this would take 10^10 steps.
TEST(EventQueue, TakesAHundredThousandEventsOfOneInstant) {
  constexpr EventId kArrivals = 100'000;
  RandomStream random(5, 0, 0);
  std::vector<EventSpec> events(2 * kArrivals);
  for (EventId id = 0; id < kArrivals; ++id) {
    events[id] = {Phase::arrival, random.next()};
    events[kArrivals + id] = {Phase::transmit, random.next()};
  }
  Pair pair(events);
  const Time instant = at(123'456'789);
  for (EventId id = 0; id < kArrivals; ++id) pair.schedule(id, instant);
  for (EventId taken = 0; taken < kArrivals / 2; ++taken) {
    const Event event = pair.pop();
    ASSERT_EQ(event.time, instant);
    pair.schedule(kArrivals + event.id, instant);
  }
  for (EventId id = 0; id < kArrivals; ++id) {
    if (random.below(4) == 0) pair.cancel(id);
    if (random.below(4) == 0) pair.cancel(kArrivals + id);
    if (random.below(4) == 0) pair.reschedule(id, instant + 1_ps);
  }
  pair.drain();
}

// Events that are moved again and again within the present slot leave nothing behind that adds up. Two crowds take
// turns in going ahead of the other, so that all that is moved is moved from deep inside to the front.
TEST(EventQueue, BearsEndlessReschedulingWithinASlot) {
  constexpr EventId kCrowd = 40;
  const std::vector<EventSpec> events(2 * kCrowd + 1);
  Pair pair(events, Duration::picoseconds(1 << 20));
  const std::int64_t slot = 1 << 20;
  pair.schedule(2 * kCrowd, at(slot));
  for (EventId id = 0; id < 2 * kCrowd; ++id) pair.schedule(id, at(slot + 500'000 + id));
  pair.pop();  // the slot is present now
  for (int round = 0; round < 1'000; ++round) {
    const EventId first = round % 2 == 0 ? kCrowd : 0;
    for (EventId id = first; id < first + kCrowd; ++id) {
      pair.reschedule(id, at(slot + 400'000 - 100 * round - static_cast<int>(id - first)));
      pair.compare(id);
    }
    pair.compare_next_time();
  }
  pair.drain();
}

TEST(EventQueue, CancelsWhereverTheEventWaits) {
  RandomStream random(7, 0, 0);
  const std::vector<EventSpec> events = mixed_events(64, random);
  for (int round = 0; round < 50; ++round) {
    Pair pair(events);
    for (EventId id = 0; id < events.size(); ++id) {
      pair.schedule(id, at(static_cast<std::int64_t>(random.below(std::uint64_t{1} << random.below(50)))));
    }
    for (int i = 0; i < 8; ++i) pair.pop();
    for (EventId id = 0; id < events.size(); ++id) {
      pair.cancel(id);
      pair.compare(id);
      pair.cancel(id);  // does nothing
      pair.compare(id);
      pair.compare_next_time();
    }
    pair.schedule(3, Time() + 1_s);  // with every list empty again
    EXPECT_EQ(pair.pop(), (Event{Time() + 1_s, 3}));
  }
}

TEST(EventQueue, MovesAsAWhole) {
  const std::vector<EventSpec> events(2);
  EventQueue queue(events);
  queue.schedule(0, at(70));
  queue.schedule(1, at(7'000'000));
  EventQueue moved = std::move(queue);
  EXPECT_EQ(moved.pop(), (Event{at(70), 0}));
  EXPECT_EQ(moved.pop(), (Event{at(7'000'000), 1}));
}

}  // namespace
}  // namespace weir
