// SPDX-License-Identifier: Apache-2.0
// From bytes to a Frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/envelope.h"
#include "wire/ethernet.h"
#include "wire/frame_pool.h"
#include "wire/wire_error.h"

namespace weir {

/// Whether the ICRC is looked at: hosts do; a switch need not, since what it changes the ICRC does not cover.
enum class IcrcCheck : std::uint8_t { verify, skip };

struct ParsedFrame {
  FrameId id;  ///< of the pool that parse() was given; the caller's to release
  Envelope envelope;
  std::span<const std::byte> payload;  ///< of the bytes parsed: Frame::payload_bytes bytes of the message
};

/// Reads one Ethernet frame, checks every length, checksum and CRC, and takes a frame of the pool for it. The Frame's
/// meta data are empty and its node's to fill (Frame::clear_meta); nothing is taken when an error is returned.
///
/// Frame::frame_bytes is the length with the FCS, whether that is among the bytes or not. Of the sequence number the
/// low 24 bits are known (extend_sequence gives the rest). An acknowledgement names on the wire the packet it
/// acknowledges and in a Frame the one expected next, one higher. Frame::retransmitted is nothing a wire shows.
///
/// emit() of frame, envelope and payload gives the same bytes again, but for what receivers must ignore, which is sent
/// as zero: Ethernet padding, RoCEv2 pad bytes, reserved bits of BTH, CNP and class-enable vector; and an IPv4 or ICMP
/// checksum of 0xffff, sent as 0x0000. Checksums and CRCs that cover these follow. Padding beyond 64 bytes, of which a
/// tagged frame may have four that a bridge left, is not sent.
[[nodiscard]] WireResult<ParsedFrame> parse(FramePool& pool, std::span<const std::byte> bytes, Fcs fcs,
                                            IcrcCheck icrc = IcrcCheck::verify);

}  // namespace weir
