// SPDX-License-Identifier: Apache-2.0
// Changes that a switch makes to a frame's bytes in place. The ICRC covers none of them.
#pragma once

#include <cstddef>
#include <span>

#include "ports/packet.h"
#include "units/ids.h"
#include "wire/address.h"

namespace weir {

// Each takes the bytes of an Ethernet frame that decode() accepted.

/// Lowers the IPv4 time to live by one, and adapts the header checksum (RFC 1624). Nothing if it is not IPv4.
void lower_time_to_live(std::span<std::byte> frame);
/// Sets the ECN field to "congestion experienced", and adapts the header checksum. Nothing if it is not IPv4.
void mark_congestion(std::span<std::byte> frame);
/// Writes a priority (0..7) to the 802.1Q tag or, without one, to the upper three bits of the DSCP. Nothing if the
/// frame is neither tagged nor IPv4.
void set_priority(std::span<std::byte> frame, Priority priority);
void set_destination(std::span<std::byte> frame, const MacAddress& mac);
void set_source(std::span<std::byte> frame, const MacAddress& mac);

/// Whether the payload is IPv4.
[[nodiscard]] bool is_ipv4(std::span<const std::byte> frame);

/// Gives a RoCEv2 packet this scheme's header (SchemeShim, with its extension) in place of the one that it has, if any;
/// empty: none. Adapts opcode, lengths, checksums and the padding to the Ethernet minimum; all else stays as it is,
/// reserved bits and pad bytes too. False, and nothing is changed: the longer frame does not fit into the buffer or
/// into the length fields. The length of `header` is a multiple of four.
[[nodiscard]] bool replace_shim(Packet& packet, std::span<const std::byte> header);

/// Gives a RoCEv2 frame the ICRC of another one, and adapts its UDP checksum if it has one. Both must be IPv4 with the
/// same bytes under the ICRC.
void copy_icrc(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace weir
