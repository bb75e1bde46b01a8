// The event list against those of the standard library: take the earliest event and schedule it again, with a number of
// events always pending (the "hold" model of event list studies).

#include "sim/event_queue.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "units/random.h"

namespace weir {
namespace {

/// How far ahead an event is scheduled again.
enum class Distances : std::uint8_t {
  serialisation,  ///< uniform in 0..100 ns: frames on wires
  network,        ///< of ten, seven uniform in 0..100 ns, two of 1 us (a link's delay), one of 300 us (a timer)
};

/// A small table of distances drawn beforehand, so that drawing is not measured. The same for all queues.
class DistanceTable {
 public:
  explicit DistanceTable(Distances kind) : table_(kSize) {
    RandomStream random(1, 0, 0);
    for (std::uint32_t& distance : table_) {
      const std::uint64_t of_ten = kind == Distances::network ? random.below(10) : 0;
      const auto within = static_cast<std::uint32_t>(random.below(100'000));
      distance = of_ten < 7 ? within : of_ten < 9 ? 1'000'000 : 300'000'000;
    }
  }
  Duration next() { return Duration::picoseconds(table_[at_++ & (kSize - 1)]); }

 private:
  static constexpr std::size_t kSize = 1u << 13;
  std::vector<std::uint32_t> table_;  // picoseconds
  std::size_t at_ = 0;
};

class WheelQueue {
 public:
  WheelQueue(std::size_t events, std::int64_t slot_width) : queue_(specs(events), Duration::picoseconds(slot_width)) {}
  void push(const Event& event) { queue_.schedule(event.id, event.time); }
  Event pop() { return queue_.pop(); }

 private:
  static std::vector<EventSpec> specs(std::size_t events) {
    std::vector<EventSpec> specs(events);
    for (std::size_t id = 0; id < events; ++id) specs[id] = {Phase(id % kPhases), mix(id)};
    return specs;
  }
  EventQueue queue_;
};

class BinaryHeap {
 public:
  BinaryHeap(std::size_t, std::int64_t) {}
  void push(const Event& event) { queue_.push(event); }
  Event pop() {
    const Event event = queue_.top();
    queue_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const { return a.time != b.time ? a.time > b.time : a.id > b.id; }
  };
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
};

class SearchTree {
 public:
  SearchTree(std::size_t, std::int64_t) {}
  void push(const Event& event) { map_.emplace(event.time, event.id); }
  Event pop() {
    const auto first = map_.begin();
    const Event event = {first->first, first->second};
    map_.erase(first);
    return event;
  }

 private:
  std::multimap<Time, EventId> map_;
};

/// Arguments: events pending; slot width in picoseconds.
template <class Queue, Distances kind>
void hold(benchmark::State& state) {
  DistanceTable distances(kind);
  const auto pending = static_cast<EventId>(state.range(0));
  Queue queue(pending, state.range(1));
  for (EventId id = 0; id < pending; ++id) queue.push({Time() + distances.next(), id});
  for (std::size_t i = 0; i < 20 * std::size_t{pending}; ++i) {  // until the distribution is steady
    const Event event = queue.pop();
    queue.push({event.time + distances.next(), event.id});
  }
  for ([[maybe_unused]] auto _ : state) {
    const Event event = queue.pop();
    queue.push({event.time + distances.next(), event.id});
  }
  state.SetItemsProcessed(state.iterations());
}

/// All events at one instant, each of which schedules another for it: a synchronous incast. Argument: events.
void one_instant(benchmark::State& state) {
  const auto arrivals = static_cast<EventId>(state.range(0));
  std::vector<EventSpec> specs(2 * std::size_t{arrivals});
  for (EventId id = 0; id < arrivals; ++id) {
    specs[id] = {Phase::arrival, mix(id)};
    specs[arrivals + id] = {Phase::transmit, mix(id, 1)};
  }
  EventQueue queue(specs);
  for ([[maybe_unused]] auto _ : state) {
    const Time instant = queue.now() + Duration::picoseconds(1'000'000);
    for (EventId id = 0; id < arrivals; ++id) queue.schedule(id, instant);
    while (!queue.empty()) {
      const Event event = queue.pop();
      if (event.id < arrivals) queue.schedule(arrivals + event.id, instant);
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0) * 2);
}

void pending_counts(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t pending : {1'000, 10'000, 100'000}) benchmark->Args({pending, 64});
}

BENCHMARK_TEMPLATE(hold, WheelQueue, Distances::serialisation)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, BinaryHeap, Distances::serialisation)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, SearchTree, Distances::serialisation)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, WheelQueue, Distances::network)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, BinaryHeap, Distances::network)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, SearchTree, Distances::network)->Apply(pending_counts);
// What the slot width is worth, and a queue with next to nothing in it.
BENCHMARK_TEMPLATE(hold, WheelQueue, Distances::serialisation)
    ->ArgsProduct({{1'000, 10'000, 100'000}, {8, 16, 32, 128, 256}});
BENCHMARK_TEMPLATE(hold, WheelQueue, Distances::network)
    ->ArgsProduct({{1'000, 10'000, 100'000}, {8, 16, 32, 128, 256}});
BENCHMARK_TEMPLATE(hold, WheelQueue, Distances::network)->Args({4, 64});
BENCHMARK(one_instant)->Arg(300)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace weir
