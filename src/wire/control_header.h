// SPDX-License-Identifier: Apache-2.0
// Weir's own header for a scheme's control frames on links.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "units/ids.h"
#include "wire/extension_field.h"
#include "wire/wire_error.h"

namespace weir {

/// Whether a control frame ends at the neighbour or is routed to a host. To the neighbour it is the payload of an
/// Ethernet frame of type 0x88b5; to a host that of an IPv4 packet: of protocol 253, or for Frame::protocol 128 to 255
/// of an ICMP message of type 253 (both for experiments: RFC 3692, RFC 4727), code 0, its other four header bytes zero.
enum class ControlReach : std::uint8_t { neighbour, host };

/// Whether a host control frame of this Frame::protocol is carried by ICMP.
[[nodiscard]] constexpr bool carried_by_icmp(std::uint8_t protocol) {
  return protocol >= 128;
}

/// Every field of a Frame to which a scheme may assign its own meaning. 24 bytes, 32 to the neighbour, followed by the
/// extension:
///
///     0       1        2      3         4                6        8    10        12           16
///     version protocol flags  reserved  ExtensionField   checksum tag  entropy   tag_value    sequence
///     20           24       28
///     queue pair   source   destination (to the neighbour only; otherwise the IPv4 header has them)   extension ...
///
/// Version 1. Flags: 1 echoes congestion, 2 ends message, 4 wants an acknowledgement. Source, destination and queue
/// pair are all ones for none. The checksum is that of RFC 1071 over header and extension; a checksum of zero is sent
/// as 0xffff, so a checksum is always present.
struct ControlHeader {
  std::uint8_t protocol = 0;
  bool echoes_congestion = false;
  bool ends_message = false;
  bool wants_ack = false;
  ExtensionField extension;
  std::uint16_t tag = 0;
  std::uint16_t entropy = 0;
  std::uint32_t tag_value = 0;
  std::uint32_t sequence = 0;
  QueuePairId queue_pair;
  HostId source;       ///< to the neighbour only
  HostId destination;  ///< to the neighbour only
  bool operator==(const ControlHeader&) const = default;
};

/// Without the extension.
[[nodiscard]] constexpr std::size_t control_header_bytes(ControlReach reach) {
  return reach == ControlReach::neighbour ? 32 : 24;
}

struct ParsedControl {
  ControlHeader header;
  std::span<const std::byte> extension;  ///< header.extension.bytes of the bytes parsed
  std::size_t trailing_bytes;            ///< of the bytes parsed, those after the extension
};

[[nodiscard]] WireResult<ParsedControl> parse_control(std::span<const std::byte> bytes, ControlReach reach);

/// Writes control_header_bytes(reach) + header.extension.bytes bytes to the start of `out`, which must hold them;
/// `block` is the extension.
void emit_control(const ControlHeader& header, ControlReach reach, std::span<const std::byte> block,
                  std::span<std::byte> out);

}  // namespace weir
