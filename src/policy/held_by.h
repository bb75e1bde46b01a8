// SPDX-License-Identifier: Apache-2.0
// The causes that block frames, and which node must act to unblock them. For measurement.
#pragma once

#include <cstdint>

#include "units/ids.h"

namespace weir {

/// One reason why a queue of a switch, or queue pairs of a NIC, are blocked. Each reason alone suffices to block them.
struct HeldBy {
  /// The neighbour behind this port must act: send a RESUME or credit. none(): the cause is in this node.
  PortId port;
  /// The ID of the pause at that neighbour (HopPause::name there).
  std::uint64_t name = 0;
  /// Without a port: frames of this queue of the switch must move first. none(): a timer ends the block.
  QueueId queue{};

  bool operator==(const HeldBy&) const = default;
};

/// What a flow control has sent to the neighbour behind `ingress`, or owes it, with an ID of its own: a pause, or
/// credit that it has not given yet.
struct HopPause {
  PortId ingress;
  std::uint64_t name = 0;
  /// A frame keeps it in force until the frame leaves the switch; otherwise until it leaves its queue.
  bool in_switch = false;
};

}  // namespace weir
