// SPDX-License-Identifier: Apache-2.0
// Bursts: what real ports give.
#include "switch/switch.h"

namespace weir {

// A port has written the frames, so none is in the cache: a few are on their way while one is handled.
void Switch::receive(Time now, PortId port, std::span<const FrameId> burst) {
  constexpr std::size_t kAhead = 4;
  for (std::size_t i = 0; i < burst.size() && i < kAhead; ++i) frame_at_.prefetch(burst[i]);
  for (std::size_t i = 0; i < burst.size(); ++i) {
    if (i + kAhead < burst.size()) frame_at_.prefetch(burst[i + kAhead]);
    receive(now, port, burst[i]);
  }
}

}  // namespace weir
