// SPDX-License-Identifier: Apache-2.0
// How nodes name the flow of a frame that Weir does not model.
#pragma once

#include <cstdint>

#include "units/ids.h"

namespace weir {

/// The flow of an opaque frame (decode()), in place of a queue pair: schemes identify flows by destination and queue
/// pair. Switches and hosts compute it from the same bytes, so a notification names the flow to its source. Flows of
/// one destination have different numbers if they differ in source (of 64 consecutive hosts), in priority, or in their
/// TCP or UDP ports; those without ports differ only by source and priority.
///
/// 24 bits, as a queue pair on the wire has. The highest is set: queue pairs of a NIC have such numbers only after 64
/// reuses.
constexpr QueuePairId datagram_flow(HostId source, Priority priority, std::uint16_t entropy) {
  constexpr std::uint32_t kMark = 0x80'0000;
  constexpr std::uint32_t kHosts = 0x3f;
  const std::uint32_t of_ports = entropy ^ static_cast<std::uint32_t>(priority) << 13;
  return QueuePairId(kMark | (source.value & kHosts) << 16 | of_ports);
}

}  // namespace weir
