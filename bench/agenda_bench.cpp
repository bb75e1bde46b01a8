// SPDX-License-Identifier: Apache-2.0
// The agenda of nodes compared with the event lists of the standard library: remove the earliest event and schedule it
// again, with a constant number of pending events (the "hold" model of event list studies).

#include "sim/agenda.h"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "units/random.h"

namespace weir {
namespace {

struct Event {
  Time time;
  std::uint32_t number = 0;
};

/// A small table of distances drawn in advance, so that drawing is not measured: uniform in 0..100 ns, as for frames on
/// wires.
class DistanceTable {
 public:
  DistanceTable() : table_(kSize) {
    RandomStream random(1, 0, 0);
    for (std::uint32_t& distance : table_) distance = static_cast<std::uint32_t>(random.below(100'000));
  }
  Duration next() { return Duration::picoseconds(table_[at_++ & (kSize - 1)]); }

 private:
  static constexpr std::size_t kSize = 1u << 13;
  std::vector<std::uint32_t> table_;  // picoseconds
  std::size_t at_ = 0;
};

class Nodes {
 public:
  explicit Nodes(std::uint32_t events) : agenda_(events) {}
  void fill(const Event& event) { agenda_.set(event.number, event.time); }
  [[nodiscard]] Event first() const { return {agenda_.next(), agenda_.first()}; }
  void move_first(const Event& to) { agenda_.set(to.number, to.time); }

 private:
  NodeAgenda agenda_;
};

class BinaryHeap {
 public:
  explicit BinaryHeap(std::uint32_t) {}
  void fill(const Event& event) { queue_.push(event); }
  [[nodiscard]] Event first() const { return queue_.top(); }
  void move_first(const Event& to) {
    queue_.pop();
    queue_.push(to);
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.number > b.number;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> queue_;
};

class SearchTree {
 public:
  explicit SearchTree(std::uint32_t) {}
  void fill(const Event& event) { map_.emplace(event.time, event.number); }
  [[nodiscard]] Event first() const { return {map_.begin()->first, map_.begin()->second}; }
  void move_first(const Event& to) {
    map_.erase(map_.begin());
    fill(to);
  }

 private:
  std::multimap<Time, std::uint32_t> map_;
};

/// Argument: pending events; 80 is the number of switches of a fat-tree of k = 8, 1024 the number of hosts of k = 16.
template <class Queue>
void hold(benchmark::State& state) {
  DistanceTable distances;
  const auto pending = static_cast<std::uint32_t>(state.range(0));
  Queue queue(pending);
  for (std::uint32_t number = 0; number < pending; ++number) queue.fill({Time() + distances.next(), number});
  for ([[maybe_unused]] auto _ : state) {
    const Event event = queue.first();
    queue.move_first({event.time + distances.next(), event.number});
  }
  state.SetItemsProcessed(state.iterations());
}

void pending_counts(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t pending : {4, 20, 80, 320, 1024}) benchmark->Arg(pending);
}

BENCHMARK_TEMPLATE(hold, Nodes)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, BinaryHeap)->Apply(pending_counts);
BENCHMARK_TEMPLATE(hold, SearchTree)->Apply(pending_counts);

}  // namespace
}  // namespace weir
