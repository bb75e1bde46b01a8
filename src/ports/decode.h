// SPDX-License-Identifier: Apache-2.0
// Received bytes as a Frame of the switch core.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "ports/neighbours.h"
#include "wire/frame_pool.h"
#include "wire/wire_error.h"

namespace weir {

/// The result of decode().
struct DecodedFrame {
  FrameId id;                         ///< in the pool passed to decode(); to be released by the caller
  std::uint16_t extension_bytes = 0;  ///< Envelope::extension_bytes
  bool has_shim = false;              ///< Envelope::has_shim
  /// Weir does not model its content: a Frame of kind datagram stands for its bytes. It has the destination, the
  /// priority of its 802.1Q tag or DSCP, the ECN field, its TCP or UDP ports as entropy, and its flow
  /// (ports/datagram_flow.h) as queue pair.
  bool opaque = false;
};

/// Who reads a frame. A switch leaves the ICRC to hosts, and lowers the time to live; a host verifies the ICRC.
enum class DecodeAt : std::uint8_t { forwarder, host };

/// Reads an Ethernet frame without FCS that a port received.
///
/// PFC, control frames of schemes and RoCEv2 frames are parsed (wire/parse.h). Everything else is opaque if its
/// destination is a host of the network: by its IPv4 address, by the target address of an ARP packet, or by its
/// destination MAC address. IPv4 fragments have no entropy, because only the first one has ports. RoCEv2 with an opcode
/// that Weir does not model, such as RDMA READ, is opaque. Errors of a protocol that Weir models, and of the IPv4
/// header, are returned; so are an IPv4 time to live that would end at a forwarder (expired) and destinations that are
/// not hosts of the network (foreign_host).
///
/// The other fields of the headers stay in the bytes, from which parse() gives them (Envelope).
///
/// Opaque frames may be shorter than the Ethernet minimum, as on virtual links, and count as padded.
[[nodiscard]] WireResult<DecodedFrame> decode(FramePool& pool, std::span<const std::byte> bytes,
                                              const Neighbours& neighbours, DecodeAt at = DecodeAt::forwarder);

}  // namespace weir
