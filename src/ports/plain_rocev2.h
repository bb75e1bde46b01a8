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

inline constexpr std::size_t kHeaders = kIpv4HeaderBytes + kUdpHeaderBytes + kBthBytes;
inline constexpr std::uint32_t kFirstHost = ipv4_address_of(HostId(0)).value;
static_assert(kEthernetHeaderBytes + kVlanTagBytes + kHeaders <= kMinimumEthernetBytes);

/// The scheme's header; all zero if there is none.
struct Shim {
  std::uint64_t first = 0;  ///< version, protocol, extension, tag, flags
  std::uint32_t value = 0;
};

/// The headers as numbers of eight bytes.
struct Words {
  WEIR_HOT_INLINE explicit Words(std::span<const std::byte, kHeaders> ip)
      : first(load_be64<0>(ip)),
        second(load_be64<8>(ip)),
        third(load_be64<16>(ip)),
        fourth(load_be64<24>(ip)),
        fifth(load_be64<32>(ip)) {}

  std::uint64_t first;   ///< IPv4: version and length, type of service, total length, identification, fragment
  std::uint64_t second;  ///< time to live, protocol, checksum, source
  std::uint64_t third;   ///< destination; UDP: both ports
  std::uint64_t fourth;  ///< length, checksum; BTH: opcode, flags, partition key
  std::uint64_t fifth;   ///< congestion and reserved bits, queue pair, acknowledge request, sequence number

  [[nodiscard]] std::uint32_t total() const { return first >> 32 & 0xffff; }
  [[nodiscard]] std::uint32_t source() const { return static_cast<std::uint32_t>(second); }
  [[nodiscard]] std::uint32_t destination() const { return static_cast<std::uint32_t>(third >> 32); }

  /// Zero if the fields that have one value in all such packets have it.
  [[nodiscard]] WEIR_HOT_INLINE std::uint64_t difference() const {
    constexpr std::uint64_t kVersionAndFragment = 0xff00'0000'0000'bfff;  // all but "do not fragment"
    constexpr std::uint64_t kWithoutOptions = 0x4500'0000'0000'0000;
    constexpr std::uint64_t kProtocol = 0x00ff'0000'0000'0000;
    constexpr std::uint64_t kUdp = std::uint64_t{ip_protocol::kUdp} << 48;
    constexpr std::uint64_t kPort = 0xffff;
    constexpr std::uint64_t kTransportVersion = 0x000f'0000;
    // The length of UDP, without a checksum behind it.
    const std::uint64_t udp = static_cast<std::uint64_t>(total() - kIpv4HeaderBytes) << 16;
    return ((first & kVersionAndFragment) ^ kWithoutOptions) | ((second & kProtocol) ^ kUdp) |
           ((third & kPort) ^ kRoceUdpPort) | ((fourth >> 32) ^ udp) | (fourth & kTransportVersion);
  }
  /// Whether the checksum of the IPv4 header is right: its 16-bit words, of which one is not zero, add up to a multiple
  /// of 2^16 - 1. So do numbers of 32 bits.
  [[nodiscard]] WEIR_HOT_INLINE bool verifies() const {
    const std::uint64_t sum =
        (first >> 32) + (first & 0xffff'ffff) + (second >> 32) + std::uint64_t{source()} + destination();
    // Multiplied by the inverse of the divisor modulo 2^64, a multiple of the divisor gives the quotient, and any other
    // number a larger product. That takes half as long as the remainder of a division.
    constexpr std::uint64_t kDivisor = 0xffff;
    constexpr std::uint64_t kInverse = 0xfffe'fffe'fffe'ffff;
    static_assert(kDivisor * kInverse == 1);
    return sum * kInverse <= ~std::uint64_t{0} / kDivisor;
  }
};

/// What is behind the BTH of a packet whose headers are as they should be. `rest`: its bytes, without the ICRC.
template <bool kTagged, bool kHasShim, class Accept>
WEIR_HOT_INLINE bool read_transport(FramePool& pool, std::span<const std::byte> bytes, const Words& words,
                                    std::size_t rest, Accept accept) {
  constexpr std::uint64_t kBecn = std::uint64_t{1} << 62;
  constexpr std::uint64_t kAcknowledgeRequest = std::uint64_t{1} << 31;
  constexpr std::size_t kEthernet = kEthernetHeaderBytes + (kTagged ? kVlanTagBytes : 0);
  auto opcode = static_cast<std::uint8_t>(words.fourth >> 24);
  std::span<const std::byte> behind = bytes.subspan(kEthernet + kHeaders);
  Shim shim;
  if constexpr (kHasShim) {
    constexpr std::uint64_t kVersionExtensionAndFlags = 0xff00'ffff'0000'ffff;
    constexpr std::uint64_t kVersionOne = 0x0100'0000'0000'0000;
    if (rest < kShimBytes) return false;
    const auto fields = behind.first<kShimBytes>();
    shim = {load_be64<0>(fields), load_be32<8>(fields)};
    if ((shim.first & kVersionExtensionAndFlags) != kVersionOne) return false;
    opcode = static_cast<std::uint8_t>(opcode & ~kReliableConnectionWithShim);
    rest -= kShimBytes;
    behind = behind.subspan(kShimBytes);
  }

  const std::uint32_t pad = words.fourth >> 20 & 0x03;
  std::uint32_t sequence = words.fifth & kSequenceMask;
  std::size_t payload = 0;
  FrameKind kind = FrameKind::data;
  constexpr auto kLastOfSend = static_cast<std::uint8_t>(BthOpcode::send_only);
  constexpr std::uint32_t kSends = 0b10111;    // SEND First, Middle, Last, Only
  constexpr std::uint32_t kEndings = 0b10100;  // SEND Last, Only
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

  const FrameId id = pool.allocate_unset();
  if (!id.exists()) return false;
  const std::uint32_t type_of_service = words.first >> 48 & 0xff;
  constexpr std::uint32_t kEct1 = 1;
  const std::uint32_t ecn = type_of_service & 0x03;
  // Written when it is complete, because the fields of a frame in memory are not combined.
  Frame frame{};
  frame.frame_bytes = static_cast<std::uint16_t>(bytes.size() + kFcsBytes);
  frame.payload_bytes = static_cast<std::uint16_t>(payload);
  frame.kind = kind;
  const std::uint32_t priority =
      kTagged ? load_8<kEthernetHeaderBytes>(bytes.first<kEthernet + kHeaders>()) >> 5u : type_of_service >> 5;
  frame.priority = static_cast<Priority>(priority);
  frame.set_ecn(ecn == kEct1 ? Ecn::capable : static_cast<Ecn>(ecn));
  frame.set_echoes_congestion((words.fifth & kBecn) != 0);
  frame.set_ends_message((kEndings >> opcode & 1u) != 0);
  frame.set_wants_ack((words.fifth & kAcknowledgeRequest) != 0);
  frame.protocol = static_cast<std::uint8_t>(shim.first >> 48);
  frame.source = HostId(words.source() - kFirstHost);
  frame.destination = HostId(words.destination() - kFirstHost);
  frame.queue_pair = QueuePairId(words.fifth >> 32 & 0x00ff'ffff);
  frame.sequence = sequence;
  frame.entropy = static_cast<std::uint16_t>(words.third >> 16);
  frame.tag = static_cast<std::uint16_t>(shim.first >> 16);
  frame.tag_value = shim.value;
  const FrameHeader header(frame);
  header.write_received(pool[id]);
  accept(id, header, kHasShim, kEthernet);
  return true;
}

/// What is behind the Ethernet header.
template <bool kTagged, class Accept>
WEIR_HOT_INLINE bool read(FramePool& pool, std::span<const std::byte> bytes, std::uint32_t hosts, Accept accept) {
  constexpr std::size_t kEthernet = kEthernetHeaderBytes + (kTagged ? kVlanTagBytes : 0);
  constexpr std::size_t kPadded = kMinimumEthernetBytes - kEthernetHeaderBytes;
  constexpr std::size_t kShortest = kHeaders + kIcrcBytes;
  const std::size_t behind_ethernet = bytes.size() - kEthernet;
  if (behind_ethernet < kShortest) return false;
  const Words words(bytes.subspan(kEthernet).template first<kHeaders>());
  const std::size_t rest = std::size_t{words.total()} - kShortest;
  if (words.difference() != 0 || words.second >> 56 < 2) return false;
  const bool is_within = words.source() - kFirstHost < hosts && words.destination() - kFirstHost < hosts;
  if (!is_within || !words.verifies() || rest > behind_ethernet - kShortest) return false;
  if (rest != behind_ethernet - kShortest && behind_ethernet > kPadded) return false;
  const bool has_shim = tells_of_shim(static_cast<std::uint8_t>(words.fourth >> 24));
  return has_shim ? read_transport<kTagged, true>(pool, bytes, words, rest, accept)
                  : read_transport<kTagged, false>(pool, bytes, words, rest, accept);
}

}  // namespace plain_rocev2

/// Reads a RoCEv2 data packet, ACK or NAK between hosts of the network, without IPv4 options and UDP checksum, whose
/// scheme's header (if it has one) has no extension and no flags. Calls accept(FrameId, FrameHeader, has_shim,
/// ip_at) with a new frame of the pool, which is that of decode() at a forwarder, and the place of the IPv4 header in
/// `bytes`, and returns true. No frame is made for any other packet, and none if a header is not as it should be or the
/// pool is empty: decode() says what such a packet is.
template <class Accept>
WEIR_HOT_INLINE bool read_plain_rocev2(FramePool& pool, std::span<const std::byte> bytes, std::size_t hosts,
                                       Accept accept) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint16_t>::max() - kFcsBytes;
  if (bytes.size() < kMinimumEthernetBytes || bytes.size() > kMost) return false;
  const auto ethernet = bytes.first<kEthernetHeaderBytes + kVlanTagBytes>();
  const std::uint32_t type = load_be16<12>(ethernet);
  const auto known = static_cast<std::uint32_t>(std::min<std::size_t>(hosts, kAddressableHosts));
  if (type == ether_type::kIpv4) [[likely]]
    return plain_rocev2::read<false>(pool, bytes, known, accept);
  constexpr std::uint32_t kReservedVlan = 0xfff;
  if (type != ether_type::kVlan || load_be16<16>(ethernet) != ether_type::kIpv4) return false;
  if ((load_be16<14>(ethernet) & kReservedVlan) == kReservedVlan) return false;
  return plain_rocev2::read<true>(pool, bytes, known, accept);
}

}  // namespace weir
