// SPDX-License-Identifier: Apache-2.0
// Where the isolated packets of each flow are, so that later packets do not overtake them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "policy/flow_hash.h"
#include "schemes/pyrrha/active_table.h"
#include "schemes/pyrrha/settings.h"

namespace weir::pyrrha {

/// [PYRRHA-ORDER-1] As long as routes do not change, packets of a flow meet the same roots and stay in order by
/// themselves. After a change, a packet goes no further than the last of its predecessors. Frame::own of a packet in an
/// isolation queue has its queue and level.
class FlowOrder {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  FlowOrder() = default;
  explicit FlowOrder(std::size_t flows) : flows_(flows) {}

  /// The isolation queue of the last packet of this flow among those that are at `level` or further; kNone: there is
  /// none.
  [[nodiscard]] std::uint32_t ahead(const Frame& frame, std::size_t level) const {
    if (flows_.in_use() == 0) return kNone;
    const std::uint32_t number = flows_.find(key_of(frame));
    if (number == kNone) return kNone;
    for (; level < kMostLevels; ++level) {
      if (flows_[number].packets[level] > 0) return flows_[number].queue[level];
    }
    return kNone;
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
    std::size_t level = kMostLevels - 1;
    while (flow.packets[level] == 0) --level;  // a flow has packets as long as it is here
    return {flow.queue[level], flow.stamp[level]};
  }
  /// The packet enters this isolation queue. `stamp` is for last().
  void enter(Frame& frame, std::uint32_t queue, std::size_t level, std::uint32_t stamp = 0) {
    frame.own = std::uint64_t{queue + 1} << kQueueShift;
    std::uint32_t number = flows_.find(key_of(frame));
    if (number == kNone) {
      number = flows_.insert(key_of(frame));
      if (number == kNone) {
        ++untracked_;
        return;
      }
      flows_[number].packets.fill(0);
    }
    frame.own |= level + 1;
    flows_[number].queue[level] = queue;
    flows_[number].stamp[level] = stamp;
    ++flows_[number].packets[level];
  }
  /// The packet leaves its isolation queue, if it is in one.
  void leave(Frame& frame) {
    forget(frame);
    frame.own &= ~kLevelMask;
  }
  /// A packet that is lost.
  void forget(const Frame& frame) {
    const std::size_t level = frame.own & kLevelMask;
    if (level == 0) return;
    const std::uint32_t number = flows_.find(key_of(frame));
    Flow& flow = flows_[number];
    --flow.packets[level - 1];
    for (const std::uint32_t packets : flow.packets) {
      if (packets > 0) return;
    }
    flows_.erase(number);
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
  static constexpr std::uint64_t kLevelMask = 0xff;  // level + 1; zero: not tracked

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
    std::array<std::uint32_t, kMostLevels> packets{};
    std::array<std::uint32_t, kMostLevels> queue{};
    std::array<std::uint32_t, kMostLevels> stamp{};
  };
  static Flow::Key key_of(const Frame& frame) { return {FlowKey::of(frame), frame.egress}; }

  ActiveTable<Flow> flows_;
  std::uint64_t untracked_ = 0;
};

}  // namespace weir::pyrrha
