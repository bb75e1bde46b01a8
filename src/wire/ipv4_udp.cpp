// SPDX-License-Identifier: Apache-2.0
#include "wire/ipv4_udp.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/internet_checksum.h"

namespace weir {
namespace {

constexpr std::uint32_t kReservedFlag = 0x8000;
constexpr std::uint32_t kDontFragment = 0x4000;
constexpr std::uint32_t kFragmentMask = 0x3fff;  // "more fragments" and the offset

// The sum of a UDP datagram and its pseudo header (RFC 768).
InternetChecksum udp_sum(const Ipv4Header& ipv4, std::span<const std::byte> datagram) {
  InternetChecksum sum;
  for (const Ipv4Address address : {ipv4.source, ipv4.destination}) {
    sum.update(static_cast<std::uint16_t>(address.value >> 16));
    sum.update(static_cast<std::uint16_t>(address.value));
  }
  sum.update(std::uint16_t{ip_protocol::kUdp});
  sum.update(static_cast<std::uint16_t>(datagram.size()));
  sum.update(datagram);
  return sum;
}

}  // namespace

bool well_formed(const Ipv4Options& options) {
  constexpr auto kEnd = std::byte{0};
  constexpr auto kNoOperation = std::byte{1};
  if (options.bytes > kMaximumIpv4OptionBytes || options.bytes % 4 != 0) return false;
  std::span<const std::byte> rest = options.span();
  while (!rest.empty() && rest[0] != kEnd) {
    if (rest[0] == kNoOperation) {
      rest = rest.subspan(1);
      continue;
    }
    if (rest.size() < 2) return false;
    const auto length = std::to_integer<std::size_t>(rest[1]);
    if (length < 2 || length > rest.size()) return false;
    rest = rest.subspan(length);
  }
  return true;
}

WireResult<Ipv4Packet> parse_ipv4(std::span<const std::byte> bytes) {
  if (bytes.size() < kIpv4HeaderBytes) return WireError::truncated;
  const auto fixed = bytes.first<kIpv4HeaderBytes>();
  if (load_8<0>(fixed) >> 4 != 4) return WireError::bad_ipv4_version;
  const std::size_t header_length = std::size_t{4} * (load_8<0>(fixed) & 0x0fu);
  if (header_length < kIpv4HeaderBytes) return WireError::bad_length;
  if (bytes.size() < header_length) return WireError::truncated;
  InternetChecksum sum;
  sum.update(bytes.first(header_length));
  if (!sum.verifies()) return WireError::bad_ipv4_checksum;

  Ipv4Header header;
  header.dscp = static_cast<std::uint8_t>(load_8<1>(fixed) >> 2);
  header.ecn = static_cast<std::uint8_t>(load_8<1>(fixed) & 0x03u);
  header.total_length = load_be16<2>(fixed);
  header.identification = load_be16<4>(fixed);
  const std::uint32_t fragment = load_be16<6>(fixed);
  header.dont_fragment = (fragment & kDontFragment) != 0;
  header.time_to_live = load_8<8>(fixed);
  header.protocol = load_8<9>(fixed);
  header.source = {load_be32<12>(fixed)};
  header.destination = {load_be32<16>(fixed)};
  header.options.bytes = static_cast<std::uint8_t>(header_length - kIpv4HeaderBytes);
  std::copy_n(bytes.begin() + kIpv4HeaderBytes, header.options.bytes, header.options.content.begin());

  if (header.total_length < header_length || header.total_length > bytes.size()) return WireError::bad_length;
  if (!well_formed(header.options)) return WireError::bad_ipv4_options;
  if ((fragment & (kReservedFlag | kFragmentMask)) != 0) return WireError::fragmented;
  if (header.time_to_live == 0) return WireError::expired;
  const std::span<const std::byte> packet = bytes.first(header.total_length);
  return Ipv4Packet{header, packet, packet.subspan(header_length), bytes.size() - packet.size()};
}

void emit_ipv4(const Ipv4Header& header, std::span<std::byte> out) {
  const std::size_t length = header_bytes(header);
  const auto fixed = out.first<kIpv4HeaderBytes>();
  store_8<0>(fixed, 0x40u | static_cast<std::uint32_t>(length / 4));
  store_8<1>(fixed, static_cast<std::uint32_t>(header.dscp) << 2 | (header.ecn & 0x03u));
  store_be16<2>(fixed, header.total_length);
  store_be16<4>(fixed, header.identification);
  store_be16<6>(fixed, header.dont_fragment ? kDontFragment : 0);
  store_8<8>(fixed, header.time_to_live);
  store_8<9>(fixed, header.protocol);
  store_be16<10>(fixed, 0);
  store_be32<12>(fixed, header.source.value);
  store_be32<16>(fixed, header.destination.value);
  const std::span<const std::byte> options = header.options.span();
  std::copy(options.begin(), options.end(), out.begin() + kIpv4HeaderBytes);
  InternetChecksum sum;
  sum.update(out.first(length));
  store_be16<10>(fixed, sum.value());
}

WireResult<UdpDatagram> parse_udp(const Ipv4Packet& packet) {
  const std::span<const std::byte> datagram = packet.payload;
  if (datagram.size() < kUdpHeaderBytes) return WireError::truncated;
  const auto fixed = datagram.first<kUdpHeaderBytes>();
  if (load_be16<4>(fixed) != datagram.size()) return WireError::bad_length;
  const UdpHeader header{load_be16<0>(fixed), load_be16<2>(fixed), load_be16<6>(fixed) != 0};
  if (header.has_checksum && !udp_sum(packet.header, datagram).verifies()) return WireError::bad_udp_checksum;
  return UdpDatagram{header, datagram.subspan(kUdpHeaderBytes)};
}

void emit_udp(const UdpHeader& header, const Ipv4Header& ipv4, std::span<std::byte> datagram) {
  const auto fixed = datagram.first<kUdpHeaderBytes>();
  store_be16<0>(fixed, header.source_port);
  store_be16<2>(fixed, header.destination_port);
  store_be16<4>(fixed, static_cast<std::uint32_t>(datagram.size()));
  store_be16<6>(fixed, 0);
  if (!header.has_checksum) return;
  // A sum of zero is sent as its other representation, because zero means that there is no checksum.
  const std::uint16_t sum = udp_sum(ipv4, datagram).value();
  store_be16<6>(fixed, sum == 0 ? 0xffffu : sum);
}

}  // namespace weir
