// SPDX-License-Identifier: Apache-2.0
#include "ports/decode.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "ports/datagram_flow.h"
#include "ports/plain_rocev2.h"
#include "wire/byte_order.h"
#include "wire/control_header.h"
#include "wire/ethernet.h"
#include "wire/icmp.h"
#include "wire/ipv4_udp.h"
#include "wire/parse.h"
#include "wire/rocev2.h"

namespace weir {
namespace {

constexpr std::uint16_t kArp = 0x0806;
constexpr std::size_t kArpBytes = 28;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kIcmpOfSchemes = 253;

/// The header of a frame that may be shorter than the Ethernet minimum.
WireResult<EthernetFrame> ethernet_of(std::span<const std::byte> bytes) {
  if (bytes.size() < kEthernetHeaderBytes) return WireError::truncated;
  if (bytes.size() >= kMinimumEthernetBytes) return parse_ethernet(bytes, Fcs::absent);
  std::array<std::byte, kMinimumEthernetBytes> padded{};
  std::copy(bytes.begin(), bytes.end(), padded.begin());
  WireResult<EthernetFrame> frame = parse_ethernet(padded, Fcs::absent);
  if (!frame) return frame;
  const std::size_t headers = header_bytes(frame->header);
  if (bytes.size() < headers) return WireError::truncated;
  return EthernetFrame{frame->header, bytes.subspan(headers)};
}

/// What an opaque frame tells a switch.
struct Opaque {
  std::optional<HostId> source;
  std::optional<HostId> destination;
  Priority priority = 0;
  std::uint8_t ecn = 0;
  std::uint16_t entropy = 0;
};

/// Both ports of a TCP or UDP packet; zero if it has none.
std::uint16_t entropy_of(const Ipv4Packet& packet) {
  const bool has_ports = packet.header.protocol == kTcp || packet.header.protocol == ip_protocol::kUdp;
  if (!has_ports || packet.payload.size() < 4) return 0;
  const auto ports = packet.payload.first<4>();
  const std::uint16_t destination = load_be16<2>(ports);
  // Rotated, so that two equal ports are not zero.
  return static_cast<std::uint16_t>(load_be16<0>(ports) ^ (destination << 7 | destination >> 9));
}

/// The fields of a fragment whose header parse_ipv4() found in order.
Opaque fragment_of(std::span<const std::byte> bytes, const Neighbours& neighbours) {
  const auto fixed = bytes.first<kIpv4HeaderBytes>();
  Opaque out;
  out.source = neighbours.host(Ipv4Address{load_be32<12>(fixed)});
  out.destination = neighbours.host(Ipv4Address{load_be32<16>(fixed)});
  out.priority = static_cast<Priority>(load_8<1>(fixed) >> 5);
  out.ecn = static_cast<std::uint8_t>(load_8<1>(fixed) & 0x03u);
  return out;
}

Opaque opaque_of(const Ipv4Packet& packet, const Neighbours& neighbours) {
  const Ipv4Header& header = packet.header;
  return {.source = neighbours.host(header.source),
          .destination = neighbours.host(header.destination),
          .priority = static_cast<Priority>(header.dscp >> 3),
          .ecn = header.ecn,
          .entropy = entropy_of(packet)};
}

/// Neither IPv4 nor modelled: ARP by its addresses, anything else by its MAC addresses.
Opaque opaque_of(const EthernetFrame& ethernet, const Neighbours& neighbours) {
  Opaque out;
  if (ethernet.header.ether_type == kArp && ethernet.payload.size() >= kArpBytes) {
    const auto arp = ethernet.payload.first<kArpBytes>();
    out.source = neighbours.host(Ipv4Address{load_be32<14>(arp)});
    out.destination = neighbours.host(Ipv4Address{load_be32<24>(arp)});
    return out;
  }
  out.source = neighbours.host(ethernet.header.source);
  out.destination = neighbours.host(ethernet.header.destination);
  return out;
}

WireResult<DecodedFrame> make_opaque(FramePool& pool, std::size_t bytes, const EthernetHeader& header,
                                     const Opaque& from) {
  if (!from.destination) return WireError::foreign_host;
  const std::size_t frame_bytes = std::max(bytes, kMinimumEthernetBytes) + kFcsBytes;
  if (frame_bytes > std::numeric_limits<std::uint16_t>::max()) return WireError::too_long;
  const FrameId id = pool.allocate();
  if (!id.exists()) return WireError::pool_empty;
  Frame& frame = pool[id];
  frame.kind = FrameKind::datagram;
  frame.frame_bytes = static_cast<std::uint16_t>(frame_bytes);
  frame.payload_bytes = static_cast<std::uint16_t>(bytes - header_bytes(header));
  frame.source = from.source.value_or(HostId::none());
  frame.destination = *from.destination;
  frame.priority = header.tag ? header.tag->priority : from.priority;
  frame.entropy = from.entropy;
  frame.queue_pair = datagram_flow(frame.source, frame.priority, frame.entropy);
  constexpr std::uint8_t kEct1 = 1;
  frame.set_ecn(from.ecn == kEct1 ? Ecn::capable : static_cast<Ecn>(from.ecn));
  return DecodedFrame{.id = id, .opaque = true};
}

/// Whether an IPv4 packet is of a protocol that Weir models.
bool is_modelled(const Ipv4Packet& packet) {
  switch (packet.header.protocol) {
    case ip_protocol::kExperimental:
      return true;
    case ip_protocol::kIcmp:
      return !packet.payload.empty() && std::to_integer<std::uint8_t>(packet.payload[0]) == kIcmpOfSchemes;
    case ip_protocol::kUdp:
      return packet.payload.size() >= 4 && load_be16<2>(packet.payload.first<4>()) == kRoceUdpPort;
    default:
      return false;
  }
}

/// Schemes have tables of hosts, so a number from a wire must be one of them.
bool is_of(const Neighbours& neighbours, HostId host) {
  return !host.exists() || host.index() < neighbours.hosts();
}

/// A switch does not forward a packet whose time to live would be zero.
std::uint8_t least_time_to_live(DecodeAt at) {
  return at == DecodeAt::host ? 1 : 2;
}

WireResult<DecodedFrame> decode_modelled(FramePool& pool, std::span<const std::byte> bytes,
                                         const Neighbours& neighbours, DecodeAt at) {
  const IcrcCheck icrc = at == DecodeAt::host ? IcrcCheck::verify : IcrcCheck::skip;
  const WireResult<ParsedFrame> parsed = parse(pool, bytes, Fcs::absent, icrc);
  if (!parsed) return parsed.error();
  const Frame& frame = pool[parsed->id];
  std::optional<WireError> error;
  if (!is_of(neighbours, frame.source) || !is_of(neighbours, frame.destination)) error = WireError::foreign_host;
  if (parsed->envelope.time_to_live < least_time_to_live(at)) error = WireError::expired;
  if (error) {
    pool.release(parsed->id);
    return *error;
  }
  return DecodedFrame{parsed->id, parsed->envelope.extension_bytes, parsed->envelope.has_shim, false};
}

WireResult<DecodedFrame> decode_ipv4(FramePool& pool, std::span<const std::byte> bytes, const EthernetFrame& ethernet,
                                     const Neighbours& neighbours, DecodeAt at) {
  const WireResult<Ipv4Packet> packet = parse_ipv4(ethernet.payload);
  if (!packet && packet.error() != WireError::fragmented) return packet.error();
  constexpr std::size_t kTimeToLive = 8;
  if (std::to_integer<std::uint8_t>(ethernet.payload[kTimeToLive]) < least_time_to_live(at)) return WireError::expired;
  if (!packet) return make_opaque(pool, bytes.size(), ethernet.header, fragment_of(ethernet.payload, neighbours));
  if (is_modelled(*packet)) {
    WireResult<DecodedFrame> decoded = decode_modelled(pool, bytes, neighbours, at);
    if (decoded || decoded.error() != WireError::unknown_opcode) return decoded;
  }
  return make_opaque(pool, bytes.size(), ethernet.header, opaque_of(*packet, neighbours));
}

/// Whether these are the first bytes of a RoCEv2 packet: most packets of a fabric. Looks at no other field.
bool begins_like_rocev2(std::span<const std::byte> bytes) {
  constexpr std::size_t kType = 12;
  if (bytes.size() < kMinimumEthernetBytes) return false;
  std::size_t at = kType;
  if (load_be16<0>(bytes.subspan(at).first<2>()) == ether_type::kVlan) at += kVlanTagBytes;
  if (load_be16<0>(bytes.subspan(at).first<2>()) != ether_type::kIpv4) return false;
  const std::span<const std::byte> ip = bytes.subspan(at + 2);
  constexpr std::byte kPlain{0x45};  // version 4, no options
  constexpr std::size_t kProtocol = 9;
  return ip[0] == kPlain && std::to_integer<std::uint8_t>(ip[kProtocol]) == ip_protocol::kUdp &&
         load_be16<0>(ip.subspan(kIpv4HeaderBytes + 2).first<2>()) == kRoceUdpPort;
}

}  // namespace

WireResult<DecodedFrame> decode(FramePool& pool, std::span<const std::byte> bytes, const Neighbours& neighbours,
                                DecodeAt at) {
  // The long way would parse these headers twice. It judges all packets that are not as they should be.
  if (at == DecodeAt::forwarder) {
    DecodedFrame plain;
    const auto accept = [&](FrameId id, const FrameHeader&, bool has_shim, std::size_t) {
      plain = {id, 0, has_shim, false};
    };
    if (read_plain_rocev2(pool, bytes, neighbours.hosts(), accept)) return plain;
  }
  if (begins_like_rocev2(bytes)) {
    const WireResult<DecodedFrame> decoded = decode_modelled(pool, bytes, neighbours, at);
    if (decoded) return decoded;
  }
  const WireResult<EthernetFrame> ethernet = ethernet_of(bytes);
  if (!ethernet) return ethernet.error();
  switch (ethernet->header.ether_type) {
    case ether_type::kMacControl:
    case ether_type::kExperimental:
      return decode_modelled(pool, bytes, neighbours, at);
    case ether_type::kIpv4:
      return decode_ipv4(pool, bytes, *ethernet, neighbours, at);
    default:
      return make_opaque(pool, bytes.size(), ethernet->header, opaque_of(*ethernet, neighbours));
  }
}

}  // namespace weir
