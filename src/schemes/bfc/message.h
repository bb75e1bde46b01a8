// SPDX-License-Identifier: Apache-2.0
// The messages between BFC's switches and their neighbours, and their encoding in frames.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "policy/flow_hash.h"
#include "policy/header_fields.h"
#include "policy/queue_pair.h"
#include "policy/switch_context.h"
#include "policy/switch_policy.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir::bfc {

/// Frame::protocol of BFC's control frames.
inline constexpr std::uint8_t kProtocol = 6;

/// Whether the neighbour of `port` runs BFC too. A port of none() has no neighbour: control frames that a full buffer
/// refuses are charged to no ingress.
inline bool speaks_bfc(const SwitchContext& context, PortId port) {
  return port.exists() && context.port(port).peer.protocols.has(kProtocol);
}

/// [BFC-W-1] The upstream queue from which a frame arrives, as its number plus one; zero: a neighbour without BFC. The
/// top bit is set by the sender for a flow of an incast.
inline constexpr HeaderField kUpstreamQueue{
    "upstream_queue", 2, FrameKinds(FrameKind::data, FrameKind::datagram, FrameKind::ack, FrameKind::nack),
    HeaderField::Reach::hop};
/// [BFC-V-3] The remaining bytes of the sender's messages, for the order of queues; zero: the frame carries no size.
inline constexpr HeaderField kRemaining{"remaining", 4, FrameKinds(FrameKind::data, FrameKind::datagram),
                                        HeaderField::Reach::end_to_end};

/// The positions of both fields in a frame.
struct FrameFields {
  InlineField<std::uint16_t> upstream_queue;
  InlineField<std::uint32_t> remaining;

  static FrameFields of(const HeaderLayout& headers) {
    return {headers.place<std::uint16_t>(kUpstreamQueue), headers.place<std::uint32_t>(kRemaining)};
  }
};

inline constexpr std::uint16_t kIncastBit = 0x8000;
constexpr std::uint16_t tag_of(std::size_t queue, bool incast = false) {
  return static_cast<std::uint16_t>((queue + 1) | (incast ? kIncastBit : 0u));
}
/// The queue number in that field; empty if it names none of `queues`.
constexpr std::optional<std::size_t> queue_in(std::uint16_t tag, std::size_t queues) {
  const std::size_t number = tag & ~unsigned{kIncastBit};
  return number == 0 || number > queues ? std::nullopt : std::optional(number - 1);
}

/// The value of kRemaining for a sender.
inline std::uint32_t remaining_of(const SendState& sender) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(sender.remaining(), std::int64_t{1}, kMost));
}

/// The rank of a frame in the order by remaining size: the lowest goes first, and all other frames before data. Data
/// without a remaining size, from a host that writes none, goes last, in order of arrival.
inline std::uint64_t rank_of(const FrameFields& fields, const Frame& frame) {
  constexpr std::uint64_t kNoSize = std::uint64_t{1} << 63;
  if (frame.is_control()) return 0;
  if (const std::uint32_t remaining = fields.remaining.read(frame); remaining != 0) return remaining;  // [BFC-V-3]
  return kNoSize | static_cast<std::uint64_t>(frame.arrival.picoseconds());                            // [BFC-D-4]
}

/// The type of a control frame.
enum class Say : std::uint8_t {
  resume,  ///< of one queue
  pause,
  bitmap,       ///< of all queues: which of them are paused
  resume_flow,  ///< of one flow
  pause_flow,
};

inline constexpr unsigned kEntropyBits = 16;
inline constexpr unsigned kHostBits = 24;

/// The ID of a flow's pauses: its complete key, because no network has more than 2^24 hosts.
[[nodiscard]] inline std::uint64_t name_of(const FlowKey& key) {
  return (std::uint64_t{key.source.value} << kHostBits | key.destination.value) << kEntropyBits | key.entropy;
}

/// A control frame:
///
///     Frame::tag_value   its type (Say)
///     Frame::tag         resume, pause: tag_of(queue)
///     Frame::sequence    bitmap: number of queues covered
///     extension          bitmap: bit n % 8 of byte n / 8 is queue n; set: paused
///     source, destination, entropy, queue_pair   resume_flow, pause_flow: those of the flow's data
struct Message {
  Say say = Say::resume;
  std::size_t queue = 0;                 ///< resume, pause
  std::size_t queues = 0;                ///< bitmap: covers 0..queues-1
  std::span<const std::byte> bits = {};  ///< bitmap; at least queues bits
  FlowKey flow = {};                     ///< resume_flow, pause_flow
  QueuePairId queue_pair = {};           ///< resume_flow, pause_flow

  /// For a bitmap; `queue` must be below `queues`.
  [[nodiscard]] bool paused(std::size_t of) const {
    return (std::to_integer<unsigned>(bits[of / 8]) >> (of % 8) & 1u) != 0;
  }
};

/// Makes a frame that pauses or resumes one queue; none() if the pool is empty.
FrameId make_message(FramePool& frames, const Framing& framing, bool pause, std::size_t queue);
/// The same for one flow.
FrameId make_message(FramePool& frames, const Framing& framing, bool pause, const FlowKey& flow,
                     QueuePairId queue_pair);
/// Frame bytes of a bitmap of this many queues.
[[nodiscard]] std::uint16_t bitmap_bytes(const Framing& framing, std::size_t queues);
/// The same for queues 0..queues-1: bit n % 64 of words[n / 64].
FrameId make_bitmap(FramePool& frames, const Framing& framing, std::span<const std::uint64_t> words,
                    std::size_t queues);
/// Turns a frame of make_message() or make_bitmap() into one of make_bitmap(). False if the pool is empty.
bool turn_into_bitmap(FramePool& frames, const Framing& framing, Frame& frame, std::span<const std::uint64_t> words,
                      std::size_t queues);

/// The content of a control frame for a receiver with `queues` queues; empty if it is not BFC's or not valid. The bits
/// are stored in the frame.
std::optional<Message> read_message(const FramePool& frames, const Frame& frame, std::size_t queues);

/// Whether a switch with `queues` queues per port accepts a control frame, if it obeys pauses of flows (`by_flow`) or
/// of queues (SwitchPolicy::judge). [BFC-D-5]
std::optional<ControlVerdict> judge_message(const SwitchContext& context, PortId port, const Frame& frame,
                                            std::size_t queues, bool by_flow);

}  // namespace weir::bfc
