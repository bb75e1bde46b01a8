// SPDX-License-Identifier: Apache-2.0
// Bursts, as received from real ports.
#include "host/nic.h"

namespace weir {

// The port has written the frames, so none is in the cache: a few are prefetched while one is processed.
void Nic::receive(Time now, std::span<const FrameId> burst) {
  constexpr std::size_t kAhead = 4;
  for (std::size_t i = 0; i < burst.size() && i < kAhead; ++i) frame_at_.prefetch(burst[i]);
  for (std::size_t i = 0; i < burst.size(); ++i) {
    if (i + kAhead < burst.size()) frame_at_.prefetch(burst[i + kAhead]);
    receive(now, burst[i]);
  }
}

}  // namespace weir
