// SPDX-License-Identifier: Apache-2.0
// A bounded table of flows, of which the least recently used makes room for a new one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "units/ids.h"
#include "units/random.h"

namespace weir {

/// Queue pairs by flow: the host at the other end, and the flow's number (ports/datagram_flow.h). All memory is taken
/// at construction. Looking up, adding and removing take constant time on average.
class FlowSlots {
 public:
  struct Flow {
    HostId remote;
    QueuePairId number;
    friend bool operator==(const Flow&, const Flow&) = default;
  };

  /// Room for `flows` flows, at least one.
  explicit FlowSlots(std::size_t flows) : slots_(flows), heads_(2 * flows, kNone) {
    for (std::size_t i = flows; i-- > 0;) {
      slots_[i].next = free_;
      free_ = static_cast<std::uint32_t>(i);
    }
  }

  /// The flow's queue pair, which then is the most recently used; none() if the table does not contain the flow.
  QueuePairId use(const Flow& flow) {
    const std::uint32_t slot = find(flow);
    if (slot == kNone) return QueuePairId::none();
    unlink(slot);
    link_newest(slot);
    return slots_[slot].queue_pair;
  }
  /// As use(), without effect on the order.
  [[nodiscard]] QueuePairId peek(const Flow& flow) const {
    const std::uint32_t slot = find(flow);
    return slot == kNone ? QueuePairId::none() : slots_[slot].queue_pair;
  }
  /// If the table is full, removes the least recently used flow, and returns its queue pair.
  std::optional<QueuePairId> make_room() {
    if (free_ != kNone) return std::nullopt;
    const std::uint32_t slot = oldest_;
    unlink(slot);
    for (std::uint32_t* at = &heads_[bucket(slots_[slot].flow)]; *at != kNone; at = &slots_[*at].next) {
      if (*at != slot) continue;
      *at = slots_[slot].next;
      break;
    }
    slots_[slot].next = free_;
    free_ = slot;
    --size_;
    return slots_[slot].queue_pair;
  }
  /// Adds a flow that the table does not contain; there must be room.
  void add(const Flow& flow, QueuePairId queue_pair) {
    const std::uint32_t slot = free_;
    free_ = slots_[slot].next;
    std::uint32_t& head = heads_[bucket(flow)];
    slots_[slot] = {flow, queue_pair, head, kNone, kNone};
    head = slot;
    link_newest(slot);
    ++size_;
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Slot {
    Flow flow;
    QueuePairId queue_pair;
    std::uint32_t next = kNone;   // in its bucket, or of the free slots
    std::uint32_t older = kNone;  // in the order of use
    std::uint32_t newer = kNone;
  };
  [[nodiscard]] std::size_t bucket(const Flow& flow) const {
    return mix(flow.remote.value, flow.number.value) % heads_.size();
  }
  [[nodiscard]] std::uint32_t find(const Flow& flow) const {
    std::uint32_t slot = heads_[bucket(flow)];
    while (slot != kNone && slots_[slot].flow != flow) slot = slots_[slot].next;
    return slot;
  }
  void link_newest(std::uint32_t slot) {
    slots_[slot].older = newest_;
    slots_[slot].newer = kNone;
    (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
    newest_ = slot;
  }
  void unlink(std::uint32_t slot) {
    const Slot& at = slots_[slot];
    (at.older == kNone ? oldest_ : slots_[at.older].newer) = at.newer;
    (at.newer == kNone ? newest_ : slots_[at.newer].older) = at.older;
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> heads_;
  std::uint32_t free_ = kNone;
  std::uint32_t oldest_ = kNone;
  std::uint32_t newest_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace weir
