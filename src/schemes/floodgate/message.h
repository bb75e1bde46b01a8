// SPDX-License-Identifier: Apache-2.0
// What Floodgate's switches say to their neighbours, and how it stands in a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "policy/header_fields.h"
#include "policy/switch_context.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir::floodgate {

/// Frame::protocol of Floodgate's control frames.
inline constexpr std::uint8_t kProtocol = 8;

/// [FLOODGATE-R-1] The PSN of a packet between two switches, doubled, and 1: the units sent to this destination over
/// this link, this packet among them, modulo 2^31. Zero: the packet was charged to no window.
inline constexpr HeaderField kSequence{"hop_sequence", 4, FrameKinds(FrameKind::data), HeaderField::Reach::hop};

inline constexpr std::uint32_t kSequenceMask = 0x7fff'ffffu;
constexpr std::uint32_t field_of(std::uint32_t psn) {
  return psn << 1 | 1u;
}
constexpr bool is_charged(std::uint32_t field) {
  return (field & 1u) != 0;
}
constexpr std::uint32_t psn_in(std::uint32_t field) {
  return field >> 1;
}
/// How far the PSN `to` is ahead of `from`.
constexpr std::uint32_t distance(std::uint32_t from, std::uint32_t to) {
  return (to - from) & kSequenceMask;
}

/// What a control frame says.
enum class Say : std::uint8_t {
  credit,   ///< of one destination
  credits,  ///< of several
  syn,      ///< switchSYN: answer with a credit that has a PSN
  pause,    ///< dstPause
  resume,   ///< dstResume
};

/// Credit for a destination.
struct Credit {
  std::uint32_t name = 0;   ///< of the destination (Settings::name_of)
  std::uint32_t units = 0;  ///< packets or bytes
  std::uint32_t psn = 0;    ///< of the last one credited
  bool operator==(const Credit&) const = default;
};

/// A control frame:
///
///     Frame::tag         what it says (Say)
///     Frame::queue_pair  credit, syn, pause, resume: the name of the destination
///     Frame::tag_value   credit: units; credits: how many it lists
///     Frame::sequence    credit: PSN; syn: the PSN of the last packet sent
///     extension          credits: for each, name, units and PSN, four bytes each, the highest first
struct Message {
  Say say = Say::credit;
  Credit credit;                      ///< but of credits; `units` of a credit only, `psn` of a credit or syn
  std::size_t listed = 0;             ///< of credits
  std::span<const std::byte> list{};  ///< of credits

  /// One of credits; `which` below `listed`.
  [[nodiscard]] Credit at(std::size_t which) const;
};

inline constexpr std::size_t kCreditBytes = 12;
/// The most that one frame lists: an Ethernet payload of 1,500 bytes holds them. [FLOODGATE-C-4]
inline constexpr std::size_t kMostListed = (1500 - 32) / kCreditBytes;

/// Makes a frame that says it; none() when the pool is empty. Not of credits.
FrameId make_message(FramePool& frames, const Framing& framing, Say say, const Credit& credit);
/// The bytes of a frame that lists so many credits.
[[nodiscard]] std::uint16_t list_bytes(const Framing& framing, std::size_t listed);
/// Makes a frame that lists these, 1 to kMostListed of them.
FrameId make_list(FramePool& frames, const Framing& framing, std::span<const Credit> credits);

/// What a control frame says; nothing when it is not Floodgate's, or says what cannot be. A list lies in the frame.
std::optional<Message> read_message(const FramePool& frames, const Frame& frame);

/// Whether the neighbour of `port` takes part, in the same unit and with the same PSNs. [FLOODGATE-C-7]
inline bool takes_part(const SwitchContext& context, PortId port, std::uint32_t announced) {
  const Peer& peer = context.port(port).peer;
  return peer.protocols.has(kProtocol) && peer.announces(kProtocol) == announced;
}

}  // namespace weir::floodgate
