// SPDX-License-Identifier: Apache-2.0
// What holds frames back, and who must act before they may go on: told to those who measure.
#pragma once

#include <cstdint>

#include "units/ids.h"

namespace weir {

/// One reason why a queue of a switch, or queue pairs of a NIC, cannot go on now. Each reason alone holds them.
struct HeldBy {
  /// The neighbour behind this port must act: resume, or give credit. none(): something in this node must.
  PortId port;
  /// By which the neighbour knows it (HopPause::name there).
  std::uint64_t name = 0;
  /// Without a port: what is in this queue of the switch must go on first. none(): it ends by itself, by a timer.
  QueueId queue{};

  bool operator==(const HeldBy&) const = default;
};

/// What a flow control has told the neighbour behind `ingress`, or owes it, by a name of its own: a pause, or credit
/// that it has not given yet.
struct HopPause {
  PortId ingress;
  std::uint64_t name = 0;
  /// A frame keeps it until the frame leaves the switch; otherwise until it leaves its queue.
  bool in_switch = false;
};

}  // namespace weir
