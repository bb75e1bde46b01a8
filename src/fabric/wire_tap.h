// SPDX-License-Identifier: Apache-2.0
// The interface of observers of links.
#pragma once

#include <cstddef>

#include "net/topology.h"
#include "units/time.h"
#include "wire/frame.h"
#include "wire/frame_pool.h"

namespace weir {

/// One direction of a link, identified by its sender.
struct LinkDirection {
  NodeId from;
  PortId port;
  bool operator==(const LinkDirection&) const = default;
};

/// Is called for the frames that are put on selected wires. Must not change anything.
class WireTap {
 public:
  virtual ~WireTap() = default;
  /// The first bit of `frame` leaves at `now` on wire `number`, in the order in which the wires were named. Called in
  /// order of `now`. A frame that is damaged on the link is already marked; a frame that will be lost by a link failure
  /// is not.
  virtual void on_wire(std::size_t number, Time now, const FramePool& pool, const Frame& frame) = 0;
};

}  // namespace weir
