// SPDX-License-Identifier: Apache-2.0
// Somebody who listens to wires.
#pragma once

#include <cstddef>

#include "net/topology.h"
#include "units/time.h"
#include "wire/frame.h"
#include "wire/frame_pool.h"

namespace weir {

/// One direction of a link, by its sender.
struct LinkDirection {
  NodeId from;
  PortId port;
  bool operator==(const LinkDirection&) const = default;
};

/// Is told of the frames that are put on some wires. Changes nothing.
class WireTap {
 public:
  virtual ~WireTap() = default;
  /// The first bit of `frame` leaves at `now`, on the wire that is `number` in the order in which they were named. In
  /// order of `now`. A frame that is damaged on its way is so already; one that a failing link loses is not known to
  /// be lost.
  virtual void on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) = 0;
};

}  // namespace weir
