// SPDX-License-Identifier: Apache-2.0
#include "wire/rocev2.h"

#include <algorithm>
#include <array>

#include "wire/byte_order.h"
#include "wire/crc32.h"
#include "wire/ipv4_udp.h"
#include "wire/sequence.h"

namespace weir {
namespace {

constexpr std::uint32_t kTransportMask = 0xe0;
constexpr std::uint32_t kReliableConnection = 0x00;
constexpr std::uint32_t kCnpTransport = 0x80;
constexpr std::uint32_t kCnpTransportWithShim = 0xe0;

std::uint32_t with_shim(std::uint32_t opcode) {
  const bool is_cnp = (opcode & kTransportMask) == kCnpTransport;
  return (opcode & ~kTransportMask) | (is_cnp ? kCnpTransportWithShim : std::uint32_t{kReliableConnectionWithShim});
}

bool has_shim(std::uint32_t opcode) {
  return tells_of_shim(static_cast<std::uint8_t>(opcode));
}

std::uint32_t without_shim(std::uint32_t opcode) {
  const bool is_cnp = (opcode & kTransportMask) == kCnpTransportWithShim;
  return (opcode & ~kTransportMask) | (is_cnp ? kCnpTransport : kReliableConnection);
}

bool known(std::uint32_t opcode) {
  switch (static_cast<BthOpcode>(opcode)) {
    case BthOpcode::send_first:
    case BthOpcode::send_middle:
    case BthOpcode::send_last:
    case BthOpcode::send_only:
    case BthOpcode::acknowledge:
    case BthOpcode::cnp:
      return true;
  }
  return false;
}

constexpr std::uint32_t kSolicitedEvent = 0x80;
constexpr std::uint32_t kMigrationRequest = 0x40;
constexpr std::uint32_t kTransportVersionMask = 0x0f;
constexpr std::uint32_t kFecn = 0x80;
constexpr std::uint32_t kBecn = 0x40;
constexpr std::uint32_t kAcknowledgeRequest = 0x80;

constexpr std::uint32_t kAckSyndrome = 0x00;            // the low five bits are credits
constexpr std::uint32_t kSequenceErrorSyndrome = 0x60;  // NAK, code 0
constexpr std::uint32_t kSyndromeKindMask = 0xe0;
constexpr std::uint32_t kCreditMask = 0x1f;

}  // namespace

WireResult<Bth> parse_bth(std::span<const std::byte, kBthBytes> bytes) {
  Bth bth;
  std::uint32_t opcode = load_8<0>(bytes);
  if (has_shim(opcode)) {
    bth.has_shim = true;
    opcode = without_shim(opcode);
  }
  if (!known(opcode)) return WireError::unknown_opcode;
  const std::uint32_t flags = load_8<1>(bytes);
  if ((flags & kTransportVersionMask) != 0) return WireError::bad_transport_version;
  bth.opcode = static_cast<BthOpcode>(opcode);
  bth.solicited_event = (flags & kSolicitedEvent) != 0;
  bth.migration_request = (flags & kMigrationRequest) != 0;
  bth.pad_count = static_cast<std::uint8_t>(flags >> 4 & 0x03u);
  bth.partition_key = load_be16<2>(bytes);
  bth.fecn = (load_8<4>(bytes) & kFecn) != 0;
  bth.becn = (load_8<4>(bytes) & kBecn) != 0;
  bth.destination_queue_pair = load_be24<5>(bytes);
  bth.acknowledge_request = (load_8<8>(bytes) & kAcknowledgeRequest) != 0;
  bth.sequence = load_be24<9>(bytes);
  return bth;
}

void emit_bth(const Bth& bth, std::span<std::byte, kBthBytes> out) {
  const auto opcode = static_cast<std::uint32_t>(bth.opcode);
  store_8<0>(out, bth.has_shim ? with_shim(opcode) : opcode);
  store_8<1>(out, (bth.solicited_event ? kSolicitedEvent : 0) | (bth.migration_request ? kMigrationRequest : 0) |
                      (bth.pad_count & 0x03u) << 4);
  store_be16<2>(out, bth.partition_key);
  store_8<4>(out, (bth.fecn ? kFecn : 0) | (bth.becn ? kBecn : 0));
  store_be24<5>(out, bth.destination_queue_pair);
  store_8<8>(out, bth.acknowledge_request ? kAcknowledgeRequest : 0);
  store_be24<9>(out, bth.sequence & kSequenceMask);
}

std::uint8_t opcode_telling(std::uint8_t opcode, bool shim) {
  const std::uint32_t plain = has_shim(opcode) ? without_shim(opcode) : opcode;
  return static_cast<std::uint8_t>(shim ? with_shim(plain) : plain);
}

WireResult<Aeth> parse_aeth(std::span<const std::byte, kAethBytes> bytes) {
  const std::uint32_t syndrome = load_8<0>(bytes);
  Aeth aeth;
  aeth.message_sequence_number = load_be24<1>(bytes);
  if ((syndrome & kSyndromeKindMask) == kAckSyndrome) {
    aeth.credit_count = static_cast<std::uint8_t>(syndrome & kCreditMask);
  } else if (syndrome == kSequenceErrorSyndrome) {
    aeth.negative = true;
    aeth.credit_count = 0;
  } else {
    return WireError::refused_syndrome;
  }
  return aeth;
}

void emit_aeth(const Aeth& aeth, std::span<std::byte, kAethBytes> out) {
  store_8<0>(out, aeth.negative ? kSequenceErrorSyndrome : kAckSyndrome | (aeth.credit_count & kCreditMask));
  store_be24<1>(out, aeth.message_sequence_number);
}

std::uint32_t invariant_crc(std::span<const std::byte> packet, std::size_t shim_bytes) {
  constexpr std::size_t kLocalRouteHeaderBytes = 8;
  constexpr auto kOnes = std::byte{0xff};
  std::array<std::byte, kLocalRouteHeaderBytes + kMaximumIpv4HeaderBytes + kUdpHeaderBytes + kBthBytes> masked;
  const std::size_t ipv4_bytes = std::size_t{4} * (std::to_integer<std::size_t>(packet[0]) & 0x0fu);
  const std::size_t header_length = ipv4_bytes + kUdpHeaderBytes + kBthBytes;
  std::fill_n(masked.begin(), kLocalRouteHeaderBytes, kOnes);
  std::copy_n(packet.begin(), header_length, masked.begin() + kLocalRouteHeaderBytes);

  const std::span<std::byte> headers = std::span(masked).subspan(kLocalRouteHeaderBytes, header_length);
  const auto ipv4 = headers.first<kIpv4HeaderBytes>();
  const auto udp = headers.subspan(ipv4_bytes).first<kUdpHeaderBytes>();
  const auto bth = headers.last<kBthBytes>();
  store_8<1>(ipv4, 0xff);
  store_8<8>(ipv4, 0xff);
  store_be16<10>(ipv4, 0xffff);
  store_be16<6>(udp, 0xffff);
  store_8<4>(bth, 0xff);
  if (shim_bytes != 0) {
    const auto removed = static_cast<std::uint32_t>(shim_bytes);
    store_be16<2>(ipv4, load_be16<2>(std::span<const std::byte, kIpv4HeaderBytes>(ipv4)) - removed);
    store_be16<4>(udp, load_be16<4>(std::span<const std::byte, kUdpHeaderBytes>(udp)) - removed);
    store_8<0>(bth, without_shim(load_8<0>(std::span<const std::byte, kBthBytes>(bth))));
  }
  Crc32 crc;
  crc.update(std::span<const std::byte>(masked).first(kLocalRouteHeaderBytes + header_length));
  crc.update(packet.subspan(header_length + shim_bytes));
  return crc.value();
}

}  // namespace weir
