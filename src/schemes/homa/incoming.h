// SPDX-License-Identifier: Apache-2.0
// The messages that a receiver expects, the shortest first, and the grants that it may give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policy/packet_bitmap.h"
#include "policy/queue_pair.h"

namespace weir::homa {

/// The receiving half of a message. Packets are numbered from the first of the queue pair.
struct Receiving {
  std::uint32_t first = 0;    ///< of the present message
  std::uint32_t end = 0;      ///< the packet after its last; equal to `first`: none has arrived
  std::uint32_t missing = 0;  ///< the first packet that has not arrived
  std::uint32_t came = 0;     ///< packets that arrived
  std::uint32_t granted = 0;  ///< the packet after the last that may be sent
  PacketBitmap here;          ///< packets after `missing` that arrived

  [[nodiscard]] bool is_open() const { return first != end; }
  [[nodiscard]] std::uint32_t lacks() const { return end - first - came; }
  /// Packets that were granted, or are unscheduled, and have not arrived.
  [[nodiscard]] std::uint32_t in_flight() const { return granted - first - came; }
};

/// Unfinished messages with packets that need grants, by lacking packets; of equals, the lower number first. [HOMA-R-1]
class Incoming {
 public:
  void reserve(std::size_t receivers) { list_.reserve(receivers); }
  void insert(ReceiveState& receiver) {
    list_.push_back(&receiver);
    move_up(list_.size() - 1);
  }
  void erase(const ReceiveState& receiver) { std::erase(list_, &receiver); }
  /// A packet of this message arrived.
  void shortened(const ReceiveState& receiver) {
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (list_[i] == &receiver) return move_up(i);
    }
  }
  [[nodiscard]] const std::vector<ReceiveState*>& list() const { return list_; }

 private:
  static bool before(const ReceiveState& a, const ReceiveState& b) {
    const std::uint32_t left = a.congestion.as<Receiving>().lacks();
    const std::uint32_t right = b.congestion.as<Receiving>().lacks();
    return left != right ? left < right : a.number.value < b.number.value;
  }
  void move_up(std::size_t i) {
    for (; i > 0 && before(*list_[i], *list_[i - 1]); --i) std::swap(list_[i], list_[i - 1]);
  }
  std::vector<ReceiveState*> list_;
};

}  // namespace weir::homa
