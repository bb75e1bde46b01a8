// SPDX-License-Identifier: Apache-2.0
// Changes that a switch makes to a frame's bytes in place. The ICRC covers none of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "ports/packet.h"
#include "units/hot_path.h"
#include "units/ids.h"
#include "wire/address.h"
#include "wire/byte_order.h"
#include "wire/ipv4_udp.h"

namespace weir {

// Each takes the bytes of an Ethernet frame that decode() accepted.

/// Adapts the checksum of an IPv4 header of which the sum of its words, without the checksum, has grown by `more`, in
/// ones' complement and not zero (RFC 1624).
WEIR_HOT_INLINE void adapt_checksum(std::span<std::byte, kIpv4HeaderBytes> header, std::uint32_t more) {
  constexpr std::size_t kAt = 10;
  const std::span<const std::byte, kIpv4HeaderBytes> before = header;
  std::uint32_t sum = (~std::uint32_t{load_be16<kAt>(before)} & 0xffff) + more;
  sum = (sum & 0xffff) + (sum >> 16);
  store_be16<kAt>(header, ~sum);
}
/// Lowers the time to live of an IPv4 header by one, and adapts its checksum.
WEIR_HOT_INLINE void lower_time_to_live_of(std::span<std::byte, kIpv4HeaderBytes> header) {
  constexpr std::size_t kAt = 8;
  constexpr std::size_t kChecksumAt = 10;
  header[kAt] = std::byte(std::to_integer<unsigned>(header[kAt]) - 1);
  // The sum of the words has lost one in a higher byte, so the checksum gains it. In ones' complement that can be added
  // with the bytes exchanged, too (RFC 1071, section 2), as they are in the number that is loaded here.
  static_assert(std::endian::native == std::endian::little);
  std::uint16_t checksum = 0;
  std::memcpy(&checksum, &header[kChecksumAt], sizeof checksum);
  const std::uint32_t more = std::uint32_t{checksum} + 1;
  checksum = static_cast<std::uint16_t>(more + (more >= 0xffff ? 1 : 0));
  std::memcpy(&header[kChecksumAt], &checksum, sizeof checksum);
}
/// The same for that of a frame. Nothing if it is not IPv4.
void lower_time_to_live(std::span<std::byte> frame);
/// Sets the ECN field to "congestion experienced", and adapts the header checksum. Nothing if it is not IPv4.
void mark_congestion(std::span<std::byte> frame);
/// Writes a priority (0..7) to the 802.1Q tag or, without one, to the upper three bits of the DSCP. Nothing if the
/// frame is neither tagged nor IPv4.
void set_priority(std::span<std::byte> frame, Priority priority);
void set_destination(std::span<std::byte> frame, const MacAddress& mac);
void set_source(std::span<std::byte> frame, const MacAddress& mac);

/// The fields of a scheme's header without extension and flags (SchemeShim).
struct PlainShim {
  std::uint8_t protocol = 0;
  std::uint16_t tag = 0;
  std::uint32_t tag_value = 0;
};

/// Whether the payload is IPv4.
[[nodiscard]] bool is_ipv4(std::span<const std::byte> frame);

/// Gives a RoCEv2 packet this scheme's header (SchemeShim, with its extension) in place of the one that it has, if any;
/// empty: none. Adapts opcode, lengths, checksums and the padding to the Ethernet minimum; all else stays as it is,
/// reserved bits and pad bytes too. False, and nothing is changed: the longer frame does not fit into the buffer or
/// into the length fields. The length of `header` is a multiple of four.
[[nodiscard]] bool replace_shim(Packet& packet, std::span<const std::byte> header);

/// The same for a packet such as read_plain_rocev2() reads, with a scheme's header if it `has_shim`, and for a header
/// that has no extension and no flags. The common case, in a fraction of the time.
[[nodiscard]] bool replace_plain_shim(Packet& packet, bool has_shim, const PlainShim& shim);

/// Gives a RoCEv2 frame the ICRC of another one, and adapts its UDP checksum if it has one. Both must be IPv4 with the
/// same bytes under the ICRC.
void copy_icrc(std::span<const std::byte> from, std::span<std::byte> to);

}  // namespace weir
