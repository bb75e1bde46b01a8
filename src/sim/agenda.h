// SPDX-License-Identifier: Apache-2.0
// The pending events of nodes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "sim/tournament.h"
#include "units/time.h"

namespace weir {

/// The events of one node, each pending at most once: its ports' arrivals, its deadline and its ports' wires, in this
/// order at one instant; within a kind by number. Arrivals and wires have separate tournaments, because one of half the
/// size has one level less.
class Agenda {
 public:
  /// Initially none is pending. `ports` is at least 1.
  explicit Agenda(std::uint32_t ports) : ports_(ports), key_(key_of(ports)), arrivals_(ports), wires_(ports) {}
  /// The limit() of a node with this number of ports.
  [[nodiscard]] static Time limit_of(std::uint32_t ports) { return key_of(ports).limit(); }

  /// Numbers of events: arrivals are below this one, wires above.
  [[nodiscard]] std::uint32_t deadline() const { return ports_; }
  [[nodiscard]] std::uint32_t wire(std::uint32_t number) const { return ports_ + 1 + number; }

  /// Times must be before this one.
  [[nodiscard]] Time limit() const { return key_.limit(); }
  /// The time of the earliest event; limit() if none is pending.
  [[nodiscard]] Time next() const { return key_.time(first_key()); }
  /// The earliest event. One must be pending.
  [[nodiscard]] std::uint32_t first() const { return key_.event(first_key()); }

  /// The earliest event and its time in one number, by which events are ordered: loops read it once.
  [[nodiscard]] std::uint64_t first_key() const { return std::min({arrivals_.first(), wires_.first(), deadline_}); }
  /// No event at `time` or later has a key below this one.
  [[nodiscard]] std::uint64_t key_from(Time time) const { return time < limit() ? key_.of(time, 0) : EventKey::kIdle; }
  /// limit() if none is pending.
  [[nodiscard]] Time time_of(std::uint64_t key) const { return key_.time(key); }
  [[nodiscard]] std::uint32_t event_of(std::uint64_t key) const { return key_.event(key); }

  /// Prefetches the events of a node with one port.
  WEIR_HOT_INLINE void prefetch() const {
    arrivals_.prefetch();
    wires_.prefetch();
  }

  // `time` is before limit(). Clearing has no effect if the event is not pending.
  void set_arrival(std::uint32_t number, Time time) { arrivals_.set(number, key_.of(time, number)); }
  void clear_arrival(std::uint32_t number) { arrivals_.set(number, EventKey::kIdle); }
  void set_wire(std::uint32_t number, Time time) { wires_.set(number, key_.of(time, wire(number))); }
  void clear_wire(std::uint32_t number) { wires_.set(number, EventKey::kIdle); }
  void set_deadline(Time time) { deadline_ = key_.of(time, ports_); }
  void clear_deadline() { deadline_ = EventKey::kIdle; }

 private:
  [[nodiscard]] static EventKey key_of(std::uint32_t ports) {
    return EventKey(static_cast<int>(std::bit_width(2 * ports)));
  }

  std::uint32_t ports_;
  EventKey key_;
  std::uint64_t deadline_ = EventKey::kIdle;
  Tournament arrivals_;
  Tournament wires_;
};

/// The time of the next event of each node.
class NodeAgenda {
 public:
  /// Initially none is pending. `nodes` is at least 1.
  explicit NodeAgenda(std::uint32_t nodes) : key_(key_of(nodes)), nodes_(nodes) {}
  /// The limit() for this number of nodes.
  [[nodiscard]] static Time limit_of(std::uint32_t nodes) { return key_of(nodes).limit(); }

  /// Times must be before this one.
  [[nodiscard]] Time limit() const { return key_.limit(); }
  /// The earliest time; limit() if nothing is pending.
  [[nodiscard]] Time next() const { return key_.time(nodes_.first()); }
  /// The node with the earliest event; the lowest of several at one instant. One must be pending.
  [[nodiscard]] std::uint32_t first() const { return key_.event(nodes_.first()); }
  /// limit() if the node has nothing pending.
  [[nodiscard]] Time time_of(std::uint32_t node) const { return key_.time(nodes_.key(node)); }
  /// `time` is before limit().
  void set(std::uint32_t node, Time time) { nodes_.set(node, key_.of(time, node)); }
  void clear(std::uint32_t node) { nodes_.set(node, EventKey::kIdle); }

 private:
  [[nodiscard]] static EventKey key_of(std::uint32_t nodes) {
    return EventKey(static_cast<int>(std::bit_width(nodes)));
  }

  EventKey key_;
  Tournament nodes_;
};

}  // namespace weir
