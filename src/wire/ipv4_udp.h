// SPDX-License-Identifier: Apache-2.0
// IPv4 (RFC 791, 2474, 3168) and UDP (RFC 768) headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/address.h"
#include "wire/wire_error.h"

namespace weir {

inline constexpr std::size_t kIpv4HeaderBytes = 20;  ///< without options
inline constexpr std::size_t kMaximumIpv4OptionBytes = 40;
inline constexpr std::size_t kMaximumIpv4HeaderBytes = kIpv4HeaderBytes + kMaximumIpv4OptionBytes;
inline constexpr std::size_t kUdpHeaderBytes = 8;

namespace ip_protocol {
inline constexpr std::uint8_t kIcmp = 1;
inline constexpr std::uint8_t kUdp = 17;
inline constexpr std::uint8_t kExperimental = 253;  ///< "use for experimentation and testing" (RFC 3692)
}  // namespace ip_protocol

/// The options of an IPv4 header, preserved but not interpreted.
struct Ipv4Options {
  std::array<std::byte, kMaximumIpv4OptionBytes> content{};
  std::uint8_t bytes = 0;  ///< a multiple of four, at most kMaximumIpv4OptionBytes
  [[nodiscard]] std::span<const std::byte> span() const { return std::span(content).first(bytes); }
  bool operator==(const Ipv4Options&) const = default;
};

struct Ipv4Header {
  std::uint8_t dscp = 0;           ///< 6 bits
  std::uint8_t ecn = 0;            ///< 2 bits
  std::uint16_t total_length = 0;  ///< header, options and payload, in bytes
  std::uint16_t identification = 0;
  bool dont_fragment = false;
  std::uint8_t time_to_live = 0;
  std::uint8_t protocol = 0;
  Ipv4Address source;
  Ipv4Address destination;
  Ipv4Options options;
  bool operator==(const Ipv4Header&) const = default;
};

[[nodiscard]] constexpr std::size_t header_bytes(const Ipv4Header& header) {
  return kIpv4HeaderBytes + header.options.bytes;
}

/// Whether RFC 791 (section 3.1) permits the options: the length of each is at least two and within the options, or it
/// is one of the two that have a single byte; and they fill whole 32-bit words.
[[nodiscard]] bool well_formed(const Ipv4Options& options);

struct Ipv4Packet {
  Ipv4Header header;
  std::span<const std::byte> packet;   ///< header and payload: total_length bytes
  std::span<const std::byte> payload;  ///< what follows header and options
  std::size_t trailing_bytes;          ///< of the bytes parsed, those after the packet
};

/// Reads an IPv4 packet. Checks version, lengths, header checksum (+0 and -0 are one value, RFC 1624) and options, and
/// that it is not a fragment, the reserved flag is clear and the time to live is above zero.
[[nodiscard]] WireResult<Ipv4Packet> parse_ipv4(std::span<const std::byte> bytes);

/// Writes header_bytes(header) bytes, including the checksum, to the start of `out`, which must hold them.
void emit_ipv4(const Ipv4Header& header, std::span<std::byte> out);

struct UdpHeader {
  std::uint16_t source_port = 0;
  std::uint16_t destination_port = 0;
  bool has_checksum = false;  ///< optional in IPv4; RoCEv2 senders, whose ICRC covers more, send none
  bool operator==(const UdpHeader&) const = default;
};

struct UdpDatagram {
  UdpHeader header;
  std::span<const std::byte> payload;
};

/// Reads the UDP datagram that is the payload of `packet`. Checks its length and, if it has one, its checksum.
[[nodiscard]] WireResult<UdpDatagram> parse_udp(const Ipv4Packet& packet);

/// Writes the header of the datagram `datagram`, which already contains its payload. At least kUdpHeaderBytes and at
/// most 65535 - kIpv4HeaderBytes.
void emit_udp(const UdpHeader& header, const Ipv4Header& ipv4, std::span<std::byte> datagram);

}  // namespace weir
