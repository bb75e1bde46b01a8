// SPDX-License-Identifier: Apache-2.0
// Where the isolated packets of each flow are, so that later packets do not overtake them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "policy/flow_hash.h"
#include "schemes/pyrrha/active_table.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

/// [PYRRHA-ORDER-1] As long as routes do not change, packets of a flow meet the same roots and stay in order by
/// themselves. After a change, a packet goes no further than the last of its predecessors. Frame::own of a packet in an
/// isolation queue has its queue and its place in the record of its flow.
class FlowOrder {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  FlowOrder() = default;
  explicit FlowOrder(std::size_t flows) : flows_(flows) {}

  /// Calls visit(queue) for each isolation queue that holds packets of this flow, in no order.
  template <class Visit>
  void for_each_queue(const Frame& frame, Visit visit) const {
    if (flows_.in_use() == 0) return;
    const std::uint32_t number = flows_.find(key_of(frame));
    if (number == kNone) return;
    const Flow& flow = flows_[number];
    for (std::uint32_t left = flow.used; left != 0; left &= left - 1) {
      visit(flow.queue[static_cast<std::size_t>(std::countr_zero(left))]);
    }
  }
  /// Where the last isolated packet of a flow is: its isolation queue, and the stamp with which it entered.
  struct Place {
    std::uint32_t queue = kNone;  ///< kNone: no packet of the flow is isolated
    std::uint32_t stamp = 0;
  };
  /// The same for a flow whose later packets are never at a lower level than its earlier ones.
  [[nodiscard]] Place last(const Frame& frame) const {
    if (flows_.in_use() == 0) return {};
    const std::uint32_t number = flows_.find(key_of(frame));
    if (number == kNone) return {};
    const Flow& flow = flows_[number];
    const auto place = static_cast<std::size_t>(std::bit_width(std::uint32_t{flow.used}) - 1);
    return {flow.queue[place], flow.stamp[place]};
  }
  /// The packet enters this isolation queue.
  void enter(Frame& frame, std::uint32_t queue) {
    Flow* const flow = open(frame, queue);
    if (flow == nullptr) return;
    std::size_t place = kPlaces;
    for (std::size_t i = 0; i < kPlaces; ++i) {
      const bool used = (flow->used >> i & 1) != 0;
      if (used ? flow->queue[i] == queue : place == kPlaces) place = i;
      if (used && flow->queue[i] == queue) break;
    }
    if (place == kPlaces) {  // in as many queues already, which only changes of routes can cause
      ++untracked_;
      return;
    }
    add(frame, *flow, queue, place);
  }
  /// The same for last(): later packets of a flow never get a lower place than earlier ones that are still here.
  void enter(Frame& frame, std::uint32_t queue, std::size_t place, std::uint32_t stamp) {
    Flow* const flow = open(frame, queue);
    if (flow == nullptr) return;
    add(frame, *flow, queue, place);
    flow->stamp[place] = stamp;
  }
  /// The packet enters this isolation queue, and its order is not kept.
  static void note(Frame& frame, std::uint32_t queue) { frame.own = std::uint64_t{queue + 1} << kQueueShift; }
  /// The packet leaves its isolation queue, if it is in one.
  void leave(Frame& frame) {
    forget(frame);
    frame.own &= ~kPlaceMask;
  }
  /// A packet that is lost.
  void forget(const Frame& frame) {
    const std::size_t place = frame.own & kPlaceMask;
    if (place == 0) return;
    const std::uint32_t number = flows_.find(key_of(frame));
    Flow& flow = flows_[number];
    if (--flow.packets[place - 1] > 0) return;
    flow.used = static_cast<std::uint8_t>(flow.used & ~(1u << (place - 1)));
    if (flow.used == 0) flows_.erase(number);
  }
  /// The isolation queue in which the packet was last; kNone: in none.
  [[nodiscard]] static std::uint32_t last_queue(const Frame& frame) {
    return static_cast<std::uint32_t>(frame.own >> kQueueShift) - 1;
  }
  [[nodiscard]] std::size_t flows() const { return flows_.in_use(); }
  /// Packets for whose flow the table had no room.
  [[nodiscard]] std::uint64_t untracked() const { return untracked_; }

 private:
  static constexpr int kQueueShift = 32;
  static constexpr std::uint64_t kPlaceMask = 0xff;  // place + 1; zero: not tracked
  static constexpr std::size_t kPlaces = kMostLevels;

  struct Flow {
    struct Key {
      FlowKey header;
      PortId egress;
      bool operator==(const Key&) const = default;
    };
    static std::uint64_t hash(const Key& key) {
      const std::uint64_t addresses = std::uint64_t{key.header.source.value} << 32 | key.header.destination.value;
      return mix(addresses, std::uint64_t{key.header.entropy} << 32 | key.egress.value);
    }
    Key key;
    // By place: a queue that holds packets of the flow; for last(), what its caller says.
    std::array<std::uint32_t, kPlaces> packets{};
    std::array<std::uint32_t, kPlaces> queue{};
    std::array<std::uint32_t, kPlaces> stamp{};
    std::uint8_t used = 0;  // places with packets
  };
  static Flow::Key key_of(const Frame& frame) { return {FlowKey::of(frame), frame.egress}; }
  /// The record of the packet's flow; null: the table is full.
  Flow* open(Frame& frame, std::uint32_t queue) {
    note(frame, queue);
    std::uint32_t number = flows_.find(key_of(frame));
    if (number != kNone) return &flows_[number];
    number = flows_.insert(key_of(frame));
    if (number == kNone) {
      ++untracked_;
      return nullptr;
    }
    flows_[number].packets.fill(0);
    flows_[number].used = 0;
    return &flows_[number];
  }
  static void add(Frame& frame, Flow& flow, std::uint32_t queue, std::size_t place) {
    frame.own |= place + 1;
    flow.queue[place] = queue;
    ++flow.packets[place];
    flow.used = static_cast<std::uint8_t>(flow.used | 1u << place);
  }

  ActiveTable<Flow> flows_;
  std::uint64_t untracked_ = 0;
};

}  // namespace weir::pyrrha
