// SPDX-License-Identifier: Apache-2.0
// Whether a switch keeps the packets of each flow in order.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "wire/frame.h"

namespace weir::whole {

/// Compares the order in which packets of a flow leave a port with that in which they arrived at the switch. Losses and
/// retransmissions do not matter.
class OrderWatch {
 public:
  void arrived(const Frame& frame) { arrivals_[&frame] = ++clock_; }
  /// Returns whether a later packet of the flow has left the same port before.
  bool departed(const Frame& frame) {
    const auto arrival = arrivals_.find(&frame);
    if (arrival == arrivals_.end()) return false;
    std::uint64_t& last = last_[{frame.source.value, frame.destination.value, frame.entropy, frame.egress.value}];
    const bool overtaken = arrival->second < last;
    last = arrival->second;
    arrivals_.erase(arrival);
    return overtaken;
  }
  void lost(const Frame& frame) { arrivals_.erase(&frame); }

 private:
  std::map<const Frame*, std::uint64_t> arrivals_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>, std::uint64_t> last_;
  std::uint64_t clock_ = 0;
};

}  // namespace weir::whole
