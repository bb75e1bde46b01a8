// SPDX-License-Identifier: Apache-2.0
// The headers of the packets of which a fabric carries most, in one pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "ports/frame_header.h"
#include "units/hot_path.h"
#include "wire/address.h"
#include "wire/byte_order.h"
#include "wire/ethernet.h"
#include "wire/frame_pool.h"
#include "wire/ipv4_udp.h"
#include "wire/rocev2.h"
#include "wire/scheme_shim.h"
#include "wire/sequence.h"

namespace weir {

namespace plain_rocev2 {

inline constexpr std::size_t kUdpAt = kIpv4HeaderBytes;
inline constexpr std::size_t kBthAt = kUdpAt + kUdpHeaderBytes;
inline constexpr std::size_t kHeaders = kBthAt + kBthBytes;
static_assert(kEthernetHeaderBytes + kVlanTagBytes + kHeaders <= kMinimumEthernetBytes);

/// The scheme's header; all zero if there is none.
struct Shim {
  std::uint32_t first = 0;
  std::uint32_t tag = 0;
  std::uint32_t value = 0;
};

/// Whether 20 bytes are an IPv4 header with the right checksum.
WEIR_HOT_INLINE bool verifies(std::span<const std::byte, kHeaders> ip) {
  std::uint64_t sum =
      std::uint64_t{load_be32<0>(ip)} + load_be32<4>(ip) + load_be32<8>(ip) + load_be32<12>(ip) + load_be32<16>(ip);
  // The sum of five numbers of 32 bits, and the carries of adding its halves, and again.
  sum = (sum & 0xffff'ffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff || sum == 0x1'fffe;
}

/// What is behind the Ethernet header, which begins at `kAt`.
template <std::size_t kAt, class Accept>
WEIR_HOT_INLINE bool read(FramePool& pool, std::span<const std::byte> bytes, std::size_t hosts, std::uint32_t priority,
                          Accept accept) {
  const auto ip = bytes.subspan<kAt>().template first<kHeaders>();
  constexpr std::uint32_t kWithoutOptions = 0x45;
  constexpr std::uint32_t kFragment = 0xbfff;  // all of this field but "do not fragment"
  constexpr std::uint32_t kFirstHost = ipv4_address_of(HostId(0)).value;
  constexpr std::size_t kPadded = kMinimumEthernetBytes + kAt - kEthernetHeaderBytes;
  const std::uint32_t first = load_be32<0>(ip);
  const std::uint32_t total = first & 0xffff;
  const std::uint32_t life_and_protocol = load_be16<8>(ip);
  const std::uint32_t source = load_be32<12>(ip) - kFirstHost;
  const std::uint32_t destination = load_be32<16>(ip) - kFirstHost;
  const std::uint32_t ports = load_be32<kUdpAt>(ip);
  if (first >> 24 != kWithoutOptions || (load_be16<6>(ip) & kFragment) != 0) return false;
  if ((life_and_protocol & 0xff) != ip_protocol::kUdp || life_and_protocol >> 8 < 2) return false;
  if ((ports & 0xffff) != kRoceUdpPort || load_be32<kUdpAt + 4>(ip) != (total - kIpv4HeaderBytes) << 16) return false;
  if (source >= hosts || destination >= hosts || !verifies(ip)) return false;
  if (total < kHeaders + kIcrcBytes || total > bytes.size() - kAt) return false;
  if (total != bytes.size() - kAt && bytes.size() > kPadded) return false;

  constexpr std::uint32_t kTransportVersion = 0x0f;
  constexpr std::uint32_t kBecn = 0x4000'0000;
  constexpr std::uint32_t kAcknowledgeRequest = 0x8000'0000;
  const std::uint32_t opcode_and_flags = load_be16<kBthAt>(ip);
  const std::uint32_t congestion_and_pair = load_be32<kBthAt + 4>(ip);
  const std::uint32_t request_and_sequence = load_be32<kBthAt + 8>(ip);
  if ((opcode_and_flags & kTransportVersion) != 0) return false;
  auto opcode = static_cast<std::uint8_t>(opcode_and_flags >> 8);
  std::size_t rest = total - kHeaders - kIcrcBytes;
  std::span<const std::byte> behind = bytes.subspan(kAt + kHeaders);
  Shim shim;
  const bool has_shim = tells_of_shim(opcode);
  if (has_shim) {
    constexpr std::uint32_t kVersionAndExtension = 0xff00'ffff;
    constexpr std::uint32_t kVersionOne = 0x0100'0000;
    if (rest < kShimBytes) return false;
    const auto fields = behind.first<kShimBytes>();
    shim = {load_be32<0>(fields), load_be32<4>(fields), load_be32<8>(fields)};
    if ((shim.first & kVersionAndExtension) != kVersionOne || (shim.tag & 0xffff) != 0) return false;
    opcode = opcode_telling(opcode, false);
    rest -= kShimBytes;
    behind = behind.subspan(kShimBytes);
  }

  const std::uint32_t pad = opcode_and_flags >> 4 & 0x03;
  std::uint32_t sequence = request_and_sequence & kSequenceMask;
  std::size_t payload = 0;
  FrameKind kind = FrameKind::data;
  constexpr auto kLastOfSend = static_cast<std::uint8_t>(BthOpcode::send_only);
  constexpr std::uint32_t kSends = 0b10111;  // SEND First, Middle, Last, Only
  if (opcode <= kLastOfSend && (kSends >> opcode & 1u) != 0) {
    if (rest % 4 != 0 || pad > rest) return false;
    payload = rest - pad;
  } else if (opcode == static_cast<std::uint8_t>(BthOpcode::acknowledge)) {
    if (pad != 0 || rest != kAethBytes) return false;
    const WireResult<Aeth> aeth = parse_aeth(behind.first<kAethBytes>());
    if (!aeth) return false;
    kind = aeth->negative ? FrameKind::nack : FrameKind::ack;
    if (!aeth->negative) sequence = (sequence + 1) & kSequenceMask;
  } else {
    return false;
  }

  const FrameId id = pool.allocate();
  if (!id.exists()) return false;
  const std::uint32_t type_of_service = first >> 16 & 0xff;
  constexpr std::uint32_t kEct1 = 1;
  const std::uint32_t ecn = type_of_service & 0x03;
  // Written when it is complete, because the fields of a frame in memory are not combined.
  Frame frame{};
  frame.frame_bytes = static_cast<std::uint16_t>(bytes.size() + kFcsBytes);
  frame.payload_bytes = static_cast<std::uint16_t>(payload);
  frame.kind = kind;
  frame.priority = static_cast<Priority>(kAt == kEthernetHeaderBytes ? type_of_service >> 5 : priority);
  frame.set_ecn(ecn == kEct1 ? Ecn::capable : static_cast<Ecn>(ecn));
  frame.set_echoes_congestion((congestion_and_pair & kBecn) != 0);
  frame.set_ends_message(opcode == static_cast<std::uint8_t>(BthOpcode::send_last) ||
                         opcode == static_cast<std::uint8_t>(BthOpcode::send_only));
  frame.set_wants_ack((request_and_sequence & kAcknowledgeRequest) != 0);
  frame.protocol = static_cast<std::uint8_t>(shim.first >> 16);
  frame.source = HostId(source);
  frame.destination = HostId(destination);
  frame.queue_pair = QueuePairId(congestion_and_pair & 0x00ff'ffff);
  frame.sequence = sequence;
  frame.entropy = static_cast<std::uint16_t>(ports >> 16);
  frame.tag = static_cast<std::uint16_t>(shim.tag >> 16);
  frame.tag_value = shim.value;
  const FrameHeader header(frame);
  header.write_to(pool[id]);
  accept(id, header, has_shim);
  return true;
}

}  // namespace plain_rocev2

/// Reads a RoCEv2 data packet, ACK or NAK between hosts of the network, without IPv4 options and UDP checksum, whose
/// scheme's header (if it has one) has no extension and no flags. Calls accept(FrameId, FrameHeader, has_shim) with a
/// new frame of the pool, which is that of decode() at a forwarder, and returns true. No frame is made for any other
/// packet, and none if a header is not as it should be or the pool is empty: decode() says what such a packet is.
template <class Accept>
WEIR_HOT_INLINE bool read_plain_rocev2(FramePool& pool, std::span<const std::byte> bytes, std::size_t hosts,
                                       Accept accept) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max() - kFcsBytes;
  if (bytes.size() < kMinimumEthernetBytes || bytes.size() > kMost) return false;
  const auto ethernet = bytes.first<kEthernetHeaderBytes + kVlanTagBytes>();
  const std::uint32_t type = load_be16<12>(ethernet);
  const std::size_t known = std::min<std::size_t>(hosts, kAddressableHosts);
  if (type == ether_type::kIpv4) return plain_rocev2::read<kEthernetHeaderBytes>(pool, bytes, known, 0, accept);
  if (type != ether_type::kVlan || load_be16<16>(ethernet) != ether_type::kIpv4) return false;
  constexpr std::uint32_t kReservedVlan = 0xfff;
  const std::uint32_t tag = load_be16<14>(ethernet);
  if ((tag & kReservedVlan) == kReservedVlan) return false;
  return plain_rocev2::read<kEthernetHeaderBytes + kVlanTagBytes>(pool, bytes, known, tag >> 13, accept);
}

}  // namespace weir
