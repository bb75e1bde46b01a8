// SPDX-License-Identifier: Apache-2.0
// Decoding of bytes as a Frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/envelope.h"
#include "wire/ethernet.h"
#include "wire/frame_pool.h"
#include "wire/wire_error.h"

namespace weir {

/// Whether the ICRC is verified: hosts do; a switch need not, because the ICRC does not cover what it changes.
enum class IcrcCheck : std::uint8_t { verify, skip };

struct ParsedFrame {
  FrameId id;  ///< in the pool passed to parse(); to be released by the caller
  Envelope envelope;
  std::span<const std::byte> payload;  ///< of the bytes parsed: Frame::payload_bytes bytes of the message
};

/// Reads one Ethernet frame, checks every length, checksum and CRC, and allocates a frame of the pool for it. The
/// Frame's meta data are empty, to be filled by its node (Frame::clear_meta); nothing is allocated if an error is
/// returned.
///
/// Frame::frame_bytes is the length with the FCS, whether that is among the bytes or not. Of the sequence number the
/// low 24 bits are known (extend_sequence computes the rest). An acknowledgement contains on the wire the number of the
/// packet it acknowledges and in a Frame that of the next one expected, one higher. Frame::retransmitted is not visible
/// on the wire.
///
/// emit() of frame, envelope and payload gives the same bytes again, except for what receivers must ignore, which is
/// sent as zero: Ethernet padding, RoCEv2 pad bytes, reserved bits of BTH, CNP and class-enable vector; and an IPv4 or
/// ICMP checksum of 0xffff, sent as 0x0000. Checksums and CRCs that cover these change accordingly. Padding beyond 64
/// bytes, of which a tagged frame may have four that a bridge left, is not sent.
[[nodiscard]] WireResult<ParsedFrame> parse(FramePool& pool, std::span<const std::byte> bytes, Fcs fcs,
                                            IcrcCheck icrc = IcrcCheck::verify);

}  // namespace weir
