// SPDX-License-Identifier: Apache-2.0
// The control frames of Homa, and what its data carry.
#pragma once

#include <algorithm>
#include <cstdint>

#include "policy/header_fields.h"
#include "policy/transport.h"
#include "units/ids.h"
#include "wire/frame_pool.h"

namespace weir::homa {

inline constexpr std::uint8_t kProtocol = 77;

/// The lower byte of Frame::tag. Packets are numbered as those of the queue pair.
enum class Kind : std::uint8_t {
  grant = 1,   ///< packets before tag_value may be sent, those beyond the unscheduled ones with the priority
  resend = 2,  ///< packets from `sequence` to before tag_value are missing; the same priority
  busy = 3,    ///< of a sender: it has received `resend`, and sends a shorter message first
  done = 4     ///< all packets before tag_value, the end of the message, have arrived
};

/// The packet after the last one of the message, in its data frames. [HOMA-MSG-1]
inline constexpr HeaderField kMessageEnd{"message_end", 4, FrameKinds(FrameKind::data), HeaderField::Reach::end_to_end};

inline Kind kind_of(const Frame& frame) {
  return static_cast<Kind>(frame.tag & 0xff);
}
/// In the upper byte of Frame::tag.
inline Priority priority_in(const Frame& frame) {
  return static_cast<Priority>(std::min<unsigned>(frame.tag >> 8, kPriorities - 1));
}

/// [HOMA-MSG-2] Sends a control frame to the other half of a queue pair, with the highest priority. If the pool has no
/// frame, it counts as lost.
template <class Half>
void say(TransportContext& context, const Half& half, Kind kind, Priority priority, std::uint32_t from,
         std::uint32_t to) {
  const FrameId id = context.new_control(half, kProtocol, kPriorities - 1);
  if (!id.exists()) return;
  Frame& frame = context.frames()[id];
  frame.tag = static_cast<std::uint16_t>(static_cast<unsigned>(kind) | static_cast<unsigned>(priority) << 8);
  frame.sequence = from;
  frame.tag_value = to;
  context.send_to_host(id);
}

}  // namespace weir::homa
