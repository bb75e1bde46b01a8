// SPDX-License-Identifier: Apache-2.0
// A flow as a congestion point tells it from others.
#pragma once

#include <cstddef>
#include <cstdint>

#include "units/ids.h"
#include "units/random.h"
#include "units/time.h"
#include "wire/frame.h"

namespace weir::rocc {

/// The queue pair that receives it names it; the source is where CNPs go.
struct Flow {
  HostId source;
  HostId destination;
  QueuePairId queue_pair;

  static Flow of(const Frame& data) { return {data.source, data.destination, data.queue_pair}; }
  [[nodiscard]] bool exists() const { return destination.exists(); }
  [[nodiscard]] std::size_t hash() const {
    return static_cast<std::size_t>(mix(std::uint64_t{destination.value} << 32 | queue_pair.value));
  }
  friend bool operator==(const Flow& a, const Flow& b) {
    return a.destination == b.destination && a.queue_pair == b.queue_pair;
  }
};

/// What the tables of 3.4 are made with.
struct TableSettings {
  std::size_t entries = 0;         ///< a power of two
  Duration age;                    ///< a flow that was not seen for so long is forgotten
  std::uint32_t sample_every = 1;  ///< of so many frames one is looked at, by chance
  std::uint32_t hits = 1;          ///< so often must a flow have been looked at to count as an elephant
};

}  // namespace weir::rocc
