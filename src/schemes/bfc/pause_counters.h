// SPDX-License-Identifier: Apache-2.0
// The number of frames in the switch over the threshold, by ingress port and upstream queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "units/ids.h"

namespace weir::bfc {

/// Fixed memory. An upstream queue must be paused while its counter is above zero.
class PauseCounters {
 public:
  PauseCounters() = default;
  /// `queues`: the number of queues of the neighbour with the most queues.
  PauseCounters(std::size_t ports, std::size_t queues)
      : queues_(queues),
        words_of_port_((queues + 63) / 64),
        counters_(ports * queues),
        words_(ports * words_of_port_),
        epochs_(ports) {}

  [[nodiscard]] std::size_t queues() const { return queues_; }
  /// True if the counter was zero: the queue must be paused.
  bool add(PortId ingress, std::size_t queue) {
    if (counters_[ingress.index() * queues_ + queue]++ != 0) return false;
    words_[ingress.index() * words_of_port_ + queue / 64] |= bit(queue);
    return true;
  }
  /// Reverts an add() of the same epoch. True if the counter is now zero: the queue must be resumed.
  bool remove(PortId ingress, std::size_t queue) {
    if (--counters_[ingress.index() * queues_ + queue] != 0) return false;
    words_[ingress.index() * words_of_port_ + queue / 64] &= ~bit(queue);
    return true;
  }
  /// Bit n % 64 of word n / 64: queue n must be paused.
  [[nodiscard]] std::span<const std::uint64_t> bitmap(PortId ingress) const {
    return {words_.data() + ingress.index() * words_of_port_, words_of_port_};
  }
  /// Changes whenever the link of `ingress` fails or recovers; frames counted in another epoch are forgotten.
  [[nodiscard]] std::uint32_t epoch(PortId ingress) const { return epochs_[ingress.index()]; }
  void forget(PortId ingress) {
    epochs_[ingress.index()] = (epochs_[ingress.index()] + 1) & kEpochMask;
    for (std::size_t queue = 0; queue < queues_; ++queue) counters_[ingress.index() * queues_ + queue] = 0;
    for (std::size_t word = 0; word < words_of_port_; ++word) words_[ingress.index() * words_of_port_ + word] = 0;
  }
  static constexpr std::uint32_t kEpochMask = 0xff'ffff;

 private:
  static std::uint64_t bit(std::size_t queue) { return std::uint64_t{1} << (queue % 64); }

  std::size_t queues_ = 0;
  std::size_t words_of_port_ = 0;
  std::vector<std::uint32_t> counters_;  // by port * queues_ + queue
  std::vector<std::uint64_t> words_;     // by port * words_of_port_ + queue / 64
  std::vector<std::uint32_t> epochs_;    // by port
};

}  // namespace weir::bfc
