// SPDX-License-Identifier: Apache-2.0
// Replays a recorded trace in a poll loop, and compares the results.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>

#include "host/nic.h"
#include "policy/boundary_trace.h"
#include "poll/burst.h"
#include "switch/switch.h"

namespace weir {

/// The result of a replay. Calls before the first difference agreed.
struct Replay {
  std::size_t calls = 0;
  std::size_t bursts = 0;  ///< groups of frames that shared one `now`
  std::size_t largest_burst = 0;
  std::string difference;  ///< empty: every action was the same
};

namespace detail {
inline void receive(Switch& node, Time now, PortId port, FrameId id) {
  node.receive(now, port, id);
}
inline void receive(Nic& node, Time now, PortId, FrameId id) {
  node.receive(now, id);
}
inline void receive(Switch& node, Time now, PortId port, std::span<const FrameId> burst) {
  node.receive(now, port, burst);
}
inline void receive(Nic& node, Time now, PortId, std::span<const FrameId> burst) {
  node.receive(now, burst);
}
inline FrameId transmit(Switch& node, Time now, PortId port) {
  return node.transmit(now, port);
}
inline FrameId transmit(Nic& node, Time now, PortId) {
  return node.transmit(now);
}
inline void link(Switch& node, Time now, PortId port, bool up) {
  node.link(now, port, up);
}
inline void link(Nic& node, Time now, PortId, bool up) {
  node.link(now, up);
}
}  // namespace detail

/// Bursts of maximum size, as from real ports.
struct FullBursts {
  std::size_t operator()() const { return kBurst; }
};

/// Replays `trace` on `node`, which must be built like the recorded one and must not have been called yet. The virtual
/// clock steps from one recorded time to the next; frames that arrived together at a port are received in bursts whose
/// maximum size `most` returns for each, from 1 to kBurst.
template <class Node, class Most = FullBursts>
Replay replay(const BoundaryTrace<Node>& trace, Node& node, FramePool& frames, Most most = {}) {
  using Kind = typename BoundaryTrace<Node>::Kind;
  Replay result;
  std::array<FrameId, kBurst> burst;
  for (std::size_t at = 0; at < trace.calls.size();) {
    const Time clock = trace.calls[at].now;
    std::size_t size = 0;
    const std::size_t full = most();
    while (size < full && at + size < trace.calls.size() && trace.calls[at + size].kind == Kind::receive &&
           trace.calls[at + size].now == clock && trace.calls[at + size].port == trace.calls[at].port) {
      burst[size] = trace.calls[at + size].frame.make(frames);
      ++size;
    }
    if (size > 0) {
      detail::receive(node, clock, trace.calls[at].port, std::span<const FrameId>(burst.data(), size));
      ++result.bursts;
      result.largest_burst = std::max(result.largest_burst, size);
      at += size;
      result.calls += size;
      continue;
    }
    const auto& call = trace.calls[at];
    if (call.kind == Kind::transmit) {
      const FrameId id = detail::transmit(node, clock, call.port);
      const bool same =
          id.exists() == call.gave && (!id.exists() || FrameCopy::of(frames, frames[id]).same_on_wire(call.frame));
      if (!same) {
        result.difference = "call " + std::to_string(at) + " at " + std::to_string(clock.picoseconds()) +
                            " ps: transmit on port " + std::to_string(call.port.value) + " gave " +
                            (id.exists() ? "another frame" : "nothing") + " instead of " +
                            (call.gave ? "packet " + std::to_string(call.frame.header.sequence) : "nothing");
        return result;
      }
      if (id.exists()) frames.release(id);
    } else if (call.kind == Kind::advance) {
      node.advance(clock);
    } else if (call.kind == Kind::link) {
      detail::link(node, clock, call.port, call.up);
    } else {
      call.redo(node);
    }
    ++at;
    ++result.calls;
  }
  return result;
}

}  // namespace weir
