// SPDX-License-Identifier: Apache-2.0
// The control frames of ExpressPass, and what its data carry.
#pragma once

#include <cstdint>

#include "policy/header_fields.h"
#include "units/bit_rate.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir::expresspass {

inline constexpr std::uint8_t kProtocol = 75;
/// Bytes of a control frame on the wire, including preamble and inter-frame gap.
inline constexpr std::int64_t kControlWire = 84;
/// The priority of credits at NICs, and of their queues at switches.
inline constexpr Priority kCreditPriority = 7;

/// In Frame::tag.
enum class Kind : std::uint16_t {
  request = 1,  ///< Frame::sequence: the first packet to be sent; tag_value: packets to be sent
  stop = 2,
  credit = 3,  ///< Frame::sequence: its number; tag_value: when it was made, see stamp_of()
  nack = 4     ///< Frame::sequence: the packet expected
};

/// A data frame carries the number (its low 16 bits) and the time stamp of the credit that permits it.
inline constexpr HeaderField kCreditNumber = {
    .name = "credit_number", .bytes = 2, .kinds = FrameKinds(FrameKind::data)};
inline constexpr HeaderField kCreditTime = {.name = "credit_time", .bytes = 4, .kinds = FrameKinds(FrameKind::data)};
inline constexpr std::uint16_t kHeaderBytes = 6;

/// A time in nanoseconds modulo 2^32.
inline std::uint32_t stamp_of(Time time) {
  return static_cast<std::uint32_t>(time.picoseconds() / 1'000);
}
/// The time from a stamp until `now`, if that is below 4.29 s.
inline Duration since(std::uint32_t stamp, Time now) {
  return Duration::picoseconds(std::int64_t{stamp_of(now) - stamp} * 1'000);
}

inline bool is_mine(const Frame& frame) {
  return frame.kind == FrameKind::host_control && frame.protocol == kProtocol;
}
inline bool is_credit(const Frame& frame) {
  return is_mine(frame) && frame.tag == static_cast<std::uint16_t>(Kind::credit);
}

/// [XPASS-Q-1] The rate of credits whose data, of `data_wire` bytes each on the wire, fit beside credits on a link.
constexpr BitRate credit_rate(BitRate link, std::int64_t data_wire) {
  return link * kControlWire / (kControlWire + data_wire);
}

/// [XPASS-M-1] Completes a control frame made by TransportContext::new_control.
inline void write_control(Frame& frame, const Framing& framing, Kind kind, std::uint32_t sequence,
                          std::uint32_t value) {
  frame.frame_bytes = static_cast<std::uint16_t>(kControlWire - framing.wire_overhead);
  frame.tag = static_cast<std::uint16_t>(kind);
  frame.sequence = sequence;
  frame.tag_value = value;
}

}  // namespace weir::expresspass
