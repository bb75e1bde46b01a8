// SPDX-License-Identifier: Apache-2.0
// The headers of RoCEv2 (InfiniBand specification volume 1, chapter 9; annex A17): base transport header, acknowledge
// extended transport header, invariant CRC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/wire_error.h"

namespace weir {

/// The UDP destination port of RoCEv2.
inline constexpr std::uint16_t kRoceUdpPort = 4791;
inline constexpr std::size_t kBthBytes = 12;
inline constexpr std::size_t kAethBytes = 4;
inline constexpr std::size_t kCnpReservedBytes = 16;
inline constexpr std::size_t kIcrcBytes = 4;

/// The opcodes for which a Frame has a kind: of the reliable connection those of SEND and its acknowledgements, and the
/// congestion notification packet (annex A17).
enum class BthOpcode : std::uint8_t {
  send_first = 0x00,
  send_middle = 0x01,
  send_last = 0x02,
  send_only = 0x04,
  acknowledge = 0x11,
  cnp = 0x81,
};

/// The base transport header. Its reserved bits are sent as zero and ignored.
struct Bth {
  BthOpcode opcode = BthOpcode::send_only;
  /// A scheme's header follows (SchemeShim). The specification reserves opcodes 0xc0 to 0xff for manufacturers, so no
  /// other RoCEv2 node mistakes such a frame for a known one: in a reliable-connection opcode the transport bits 000
  /// are replaced by 110 (SEND Only becomes 0xc4), in the CNP's 100 by 111 (0xe1).
  bool has_shim = false;
  bool solicited_event = false;
  bool migration_request = false;
  std::uint8_t pad_count = 0;  ///< 0..3 bytes between payload and ICRC
  std::uint16_t partition_key = 0xffff;
  bool fecn = false;                         ///< encountered congestion: forward explicit congestion notification
  bool becn = false;                         ///< the opposite direction encountered congestion
  std::uint32_t destination_queue_pair = 0;  ///< 24 bits
  bool acknowledge_request = false;          ///< the A bit
  std::uint32_t sequence = 0;                ///< PSN, 24 bits
  bool operator==(const Bth&) const = default;
};

[[nodiscard]] WireResult<Bth> parse_bth(std::span<const std::byte, kBthBytes> bytes);
void emit_bth(const Bth& bth, std::span<std::byte, kBthBytes> out);

/// The transport bits of a reliable connection's opcode when a scheme's header follows; otherwise they are zero.
inline constexpr std::uint8_t kReliableConnectionWithShim = 0xc0;
/// Whether an opcode says that a scheme's header follows (Bth::has_shim).
constexpr bool tells_of_shim(std::uint8_t opcode) {
  return opcode >= kReliableConnectionWithShim;
}
/// An opcode of the reliable connection or of the CNP, with or without a header, as it is with (`shim`) or without one.
[[nodiscard]] std::uint8_t opcode_telling(std::uint8_t opcode, bool shim);

/// The acknowledge extended transport header. Of the syndromes (specification volume 1, chapter 9) ACK and NAK "PSN
/// sequence error" are accepted; receiver not ready and the fatal NAKs are rejected.
struct Aeth {
  bool negative = false;
  std::uint8_t credit_count = kNoCredits;     ///< 5 bits: encoded end-to-end credits of an ACK; zero for a NAK
  std::uint32_t message_sequence_number = 0;  ///< MSN, 24 bits
  bool operator==(const Aeth&) const = default;

  /// The credit field is not used.
  static constexpr std::uint8_t kNoCredits = 0x1f;
};

[[nodiscard]] WireResult<Aeth> parse_aeth(std::span<const std::byte, kAethBytes> bytes);
void emit_aeth(const Aeth& aeth, std::span<std::byte, kAethBytes> out);

/// The invariant CRC of an IPv4 packet from its first header byte to the byte before the ICRC; sent lowest byte first.
/// It is CRC-32 over eight bytes of ones (for the local route header of InfiniBand) and the packet, in which every bit
/// that may change along the path counts as one: type of service, time to live, header checksum, UDP checksum, and the
/// BTH byte of FECN and BECN (annex A17).
///
/// A scheme's header may be read, rewritten, added and removed by any node between the hosts. The ICRC of a packet with
/// `shim_bytes` of it after the BTH is therefore that of the packet without it: opcode, IPv4 total length and UDP
/// length count as they were before. Only the FCS protects the scheme's header, as with the ECN field.
///
/// `packet` must hold an IPv4 header of the length it states, a UDP header, a BTH, and `shim_bytes` more.
[[nodiscard]] std::uint32_t invariant_crc(std::span<const std::byte> packet, std::size_t shim_bytes);

}  // namespace weir
