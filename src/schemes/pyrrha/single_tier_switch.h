// SPDX-License-Identifier: Apache-2.0
// Pyrrha in a switch with one tier of isolation queues.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schemes/pyrrha/active_table.h"
#include "schemes/pyrrha/flow_order.h"
#include "schemes/pyrrha/pyrrha_switch.h"
#include "units/random.h"

namespace weir::pyrrha {

/// [PYRRHA-ONE-2] Each set of roots that a packet meets has one isolation queue, from which packets leave for the wire.
/// A set has at most two roots: one two hops from the destination (the near one) and one at the last hop.
class SingleTierSwitch : public PyrrhaSwitch {
 public:
  using PyrrhaSwitch::PyrrhaSwitch;

  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override;
  void on_marker(QueueContext& context, QueueId queue, std::uint32_t token) override;
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override;
  [[nodiscard]] std::int64_t signalled_length(const SwitchContext& context, QueueId queue,
                                              const Frame& frame) const override;

  // ---- for tests ----
  [[nodiscard]] QueueId queue_of(PortId port, Root root) const override;
  /// The isolation queue of packets that meet both roots; none(): they have none.
  [[nodiscard]] QueueId queue_of_both(PortId port, Root near, Root last) const;
  /// Whether an order marker of another queue stands in this one.
  [[nodiscard]] bool has_marker(QueueId queue) const;

 protected:
  void attach_queues(QueueContext& context) override;
  QueueId arrive(QueueContext& context, Frame& frame) override;
  void grew_long(SwitchContext& context, std::uint32_t queue, PortId ingress) override;
  using PyrrhaSwitch::shrank;
  void shrank(SwitchContext& context, std::uint32_t queue) override;
  void changed(QueueContext& context, std::uint32_t number, State before) override;
  [[nodiscard]] bool is_empty(const SwitchContext& context, const Record& record) const override;
  void unassign(QueueContext& context, std::uint32_t number) override;
  void lost(const Frame& frame) override { order_.forget(frame); }
  [[nodiscard]] std::uint64_t untracked() const override { return order_.untracked(); }
  [[nodiscard]] std::uint64_t markers() const override { return markers_; }
  void list_pauses(std::uint32_t queue, std::vector<HopPause>& out) const override;
  [[nodiscard]] std::string audit_queue(const SwitchContext& context, std::uint32_t queue) const override;

 private:
  /// Where the order marker of a set can stand: in the queues of its parts, and in the output queue.
  enum Marked : std::uint8_t { in_near = 0, in_last = 1, in_output = 2 };
  struct Set {
    struct Key {
      std::uint32_t near = kNone;  // record; kNone: no such root
      std::uint32_t last = kNone;
      bool operator==(const Key&) const = default;
    };
    static std::uint64_t hash(const Key& key) { return mix(key.near, key.last); }
    [[nodiscard]] bool is_pair() const { return key.near != kNone && key.last != kNone; }
    [[nodiscard]] bool has_marker(Marked where) const { return (markers >> where & 1) != 0; }
    Key key;
    std::uint32_t queue = kNone;          // isolation queue
    std::uint32_t next_of_queue = kNone;  // set with the same queue
    std::uint32_t next_of_near = kNone;   // set with the same root
    std::uint32_t next_of_last = kNone;
    std::uint32_t made = 0;       // by clock_
    std::uint8_t markers = 0;     // one bit for each Marked
    std::uint32_t in_output = 0;  // markers in the output queue: one for each change of routes since the first of them
  };

  [[nodiscard]] Set::Key met_by(const SwitchContext& context, const Frame& frame) const;
  std::uint32_t set_of(QueueContext& context, PortId port, Set::Key key);
  std::uint32_t make_set(QueueContext& context, PortId port, Set::Key key);
  std::uint32_t assign_queue(QueueContext& context, PortId port, Set::Key key);
  void insert_markers(QueueContext& context, PortId port, std::uint32_t number);
  bool insert_marker(QueueContext& context, std::uint32_t number, Marked where, QueueId queue);
  void wait_for_output(QueueContext& context, PortId port);
  [[nodiscard]] bool follows(std::uint32_t set, FlowOrder::Place before) const;
  /// The set of one root of a pair; kNone: it has no queue.
  [[nodiscard]] std::uint32_t part(const Set& set, Marked where) const;
  /// The other root of a pair than that of part(where).
  [[nodiscard]] static std::uint32_t other(const Set& set, Marked where) {
    return where == in_near ? set.key.last : set.key.near;
  }
  [[nodiscard]] bool is_paused(std::uint32_t record) const {
    return record != kNone && table_[record].state == State::paused;
  }
  /// Whether a set's long queue is due to this root of it.
  [[nodiscard]] bool is_due_to(const Set& set, std::uint32_t record) const;
  [[nodiscard]] std::uint32_t& next_of(Set& set, std::uint32_t record) {
    return record == set.key.near ? set.next_of_near : set.next_of_last;
  }
  [[nodiscard]] std::uint32_t next_of(const Set& set, std::uint32_t record) const {
    return record == set.key.near ? set.next_of_near : set.next_of_last;
  }
  void note_held(const SwitchContext& context, const Frame& frame, std::uint32_t queue);
  void note_held(const SwitchContext& context, QueueId queue, std::uint32_t record);
  void erase_set(QueueContext& context, std::uint32_t number);
  void resume(SwitchContext& context, std::uint32_t record);

  ActiveTable<Set> sets_;
  std::vector<std::uint32_t> first_set_;  // of an isolation queue
  FlowOrder order_;                       // places: sets
  std::vector<std::uint64_t> routes_;     // by port, the version of the routes by which its packets are in their queues
  std::size_t pairs_ = 0;
  std::uint32_t clock_ = 0;  // counts sets made
  std::uint64_t markers_ = 0;
};

}  // namespace weir::pyrrha
