// SPDX-License-Identifier: Apache-2.0
// The receiver half of loss recoveries that keep packets that arrive out of order.
#pragma once

#include <cstdint>

#include "policy/packet_bitmap.h"
#include "wire/frame.h"

namespace weir {

/// Keeps track of packets that arrived before an earlier one, and of the messages that end with them. Messages are
/// completed in order.
class ReorderWindow {
 public:
  enum class Arrival : std::uint8_t {
    in_order,   ///< the expected packet: `expected` has advanced beyond it and any packets kept behind it
    early,      ///< kept; an earlier packet is missing
    duplicate,  ///< already received
    beyond,     ///< too far ahead to be kept
  };
  struct Result {
    Arrival arrival;
    std::uint32_t completed_messages = 0;
  };

  /// A data frame arrived: advances ReceiveState::expected and counts duplicates.
  Result arrive(ReceiveState& receiver, const Frame& data) {
    const std::uint32_t ahead = data.sequence - receiver.expected;
    const bool old = sequence_before(data.sequence, receiver.expected);
    if (old || (ahead < PacketBitmap::kSpan && kept_.contains(data.sequence))) {
      ++receiver.duplicates;
      return {Arrival::duplicate};
    }
    if (ahead >= PacketBitmap::kSpan) return {Arrival::beyond};
    kept_.insert(data.sequence);
    if (data.ends_message()) ends_.insert(data.sequence);
    if (ahead > 0) return {Arrival::early};
    Result result{Arrival::in_order};
    for (; kept_.contains(receiver.expected); ++receiver.expected) {
      kept_.erase(receiver.expected);
      if (!ends_.contains(receiver.expected)) continue;
      ends_.erase(receiver.expected);
      ++result.completed_messages;
    }
    return result;
  }

 private:
  PacketBitmap kept_;  // starting with the expected packet
  PacketBitmap ends_;  // those that are the last packet of a message
};

}  // namespace weir
