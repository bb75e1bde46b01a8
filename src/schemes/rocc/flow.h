// SPDX-License-Identifier: Apache-2.0
// The identity of a flow at a congestion point.
#pragma once

#include <cstddef>
#include <cstdint>

#include "units/ids.h"
#include "units/random.h"
#include "units/time.h"
#include "wire/frame.h"

namespace weir::rocc {

/// Identified by the receiving queue pair; CNPs are sent to the source.
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

/// The settings of the tables of 3.4.
struct TableSettings {
  std::size_t entries = 0;         ///< a power of two
  Duration age;                    ///< a flow without a frame for this time is forgotten
  std::uint32_t sample_every = 1;  ///< one of this many frames is sampled, at random
  std::uint32_t hits = 1;          ///< minimum number of samples of a flow that counts as an elephant
};

}  // namespace weir::rocc
