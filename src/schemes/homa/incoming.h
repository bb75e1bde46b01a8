// SPDX-License-Identifier: Apache-2.0
// The messages of a receiver that need grants, the shortest first.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "policy/packet_bitmap.h"
#include "policy/queue_pair.h"
#include "units/time.h"

namespace weir::homa {

/// The receiver half of a queue pair and its present message. ReceiveState::expected is the first packet that is
/// missing.
struct Receiving {
  Time heard;                   ///< when a packet last arrived, or the sender asked for patience
  std::uint32_t first = 0;      ///< of the message
  std::uint32_t end = 0;        ///< the packet after its last; equal to `first`: no message
  std::uint32_t came = 0;       ///< packets of it that arrived
  std::uint32_t granted = 0;    ///< the packet after the last one that may be sent
  bool has_end = false;         ///< the packet that ends the message has arrived
  bool listed = false;          ///< it is among the messages that need grants
  bool timing = false;          ///< the timer is armed
  std::uint8_t unanswered = 0;  ///< requests for missing packets since it was last heard of
  PacketBitmap early;           ///< packets beyond the missing one that arrived

  [[nodiscard]] bool is_open() const { return first != end; }
  [[nodiscard]] std::uint32_t lacking() const { return end - first - came; }
};

/// [HOMA-RCV-1] [HOMA-RCV-2] Ordered by the packets that have not arrived; of equals, the lower number first. A message
/// is active if it is the first one of its sender, and the senders of fewer than `overcommitment` others come before
/// it.
class Incoming {
 public:
  explicit Incoming(std::size_t overcommitment) : overcommitment_(overcommitment) {}

  void reserve(std::size_t receivers) { list_.reserve(receivers); }
  [[nodiscard]] const std::vector<ReceiveState*>& list() const { return list_; }
  /// Number of active messages.
  [[nodiscard]] std::size_t active() const { return std::min(senders_, overcommitment_); }

  void insert(ReceiveState& receiver) {
    if (!has_other_of(receiver)) ++senders_;
    state_of(receiver).listed = true;
    list_.push_back(&receiver);
    move_up(list_.size() - 1);
  }
  /// It must be in the list.
  void erase(ReceiveState& receiver) {
    std::erase(list_, &receiver);
    state_of(receiver).listed = false;
    if (!has_other_of(receiver)) --senders_;
  }
  /// Fewer packets of this message are missing. It must be in the list.
  void shortened(const ReceiveState& receiver) {
    move_up(static_cast<std::size_t>(std::find(list_.begin(), list_.end(), &receiver) - list_.begin()));
  }
  /// Its place among the active messages, from 0; nothing: it is not active. It must be in the list.
  [[nodiscard]] std::optional<std::size_t> rank_of(const ReceiveState& receiver) const {
    std::size_t rank = 0;
    for (std::size_t i = 0; list_[i] != &receiver; ++i) {
      if (list_[i]->remote == receiver.remote) return std::nullopt;
      rank += is_first_of_sender(i) ? 1 : 0;
      if (rank == overcommitment_) return std::nullopt;
    }
    return rank;
  }
  [[nodiscard]] bool is_first_of_sender(std::size_t place) const {
    for (std::size_t i = 0; i < place; ++i) {
      if (list_[i]->remote == list_[place]->remote) return false;
    }
    return true;
  }

 private:
  static Receiving& state_of(const ReceiveState& receiver) { return receiver.congestion.as<Receiving>(); }
  static bool before(const ReceiveState& a, const ReceiveState& b) {
    const std::uint32_t left = state_of(a).lacking();
    const std::uint32_t right = state_of(b).lacking();
    return left != right ? left < right : a.number.value < b.number.value;
  }
  [[nodiscard]] bool has_other_of(const ReceiveState& receiver) const {
    return std::any_of(list_.begin(), list_.end(), [&](const ReceiveState* other) {
      return other != &receiver && other->remote == receiver.remote;
    });
  }
  void move_up(std::size_t place) {
    for (; place > 0 && before(*list_[place], *list_[place - 1]); --place) std::swap(list_[place], list_[place - 1]);
  }

  std::size_t overcommitment_;
  std::vector<ReceiveState*> list_;
  std::size_t senders_ = 0;  // distinct ones in the list
};

}  // namespace weir::homa
