// SPDX-License-Identifier: Apache-2.0
// Header fields that cross a link with a frame but that no node of Weir uses.
#pragma once

#include <cstdint>

#include "wire/address.h"
#include "wire/frame.h"
#include "wire/ipv4_udp.h"
#include "wire/rocev2.h"

namespace weir {

/// The header fields that are not in a Frame. parse() returns one with the Frame, and emit() takes one, so that a node
/// forwards these fields unchanged. Fields of headers that a frame does not have are ignored.
struct Envelope {
  MacAddress destination_mac;
  MacAddress source_mac;
  /// The frame has an 802.1Q tag. Without one its priority is given by its DSCP's upper three bits (the class selector,
  /// RFC 2474), and is zero if it is not an IPv4 packet.
  bool tagged = true;
  bool drop_eligible = false;  ///< DEI
  std::uint16_t vlan = 0;      ///< 0..4094

  std::uint8_t dscp = 0;  ///< 6 bits; for an untagged frame its priority replaces the upper three
  /// Ecn::capable is sent as ECT(1) in place of ECT(0). A Frame does not distinguish them, because RFC 3168 gives them
  /// the same meaning.
  bool ect1 = false;
  std::uint16_t identification = 0;  ///< zero is sufficient without fragmentation (RFC 6864)
  bool dont_fragment = true;
  std::uint8_t time_to_live = 64;  ///< above zero
  Ipv4Options options;
  bool udp_checksum = false;

  bool starts_message = false;  ///< SEND First or Only; a Frame only has the end of a message
  bool solicited_event = false;
  bool migration_request = false;
  bool fecn = false;
  std::uint16_t partition_key = 0xffff;
  std::uint8_t credit_count = Aeth::kNoCredits;  ///< of an ACK, 5 bits
  std::uint32_t message_sequence_number = 0;     ///< of ACK and NAK, 24 bits

  bool has_shim = false;  ///< a SchemeShim is sent even if it is empty
  /// Minimum number of extension bytes sent, even if they are zero (for a scheme whose header has a fixed length);
  /// rounded up to a multiple of four.
  std::uint16_t extension_bytes = 0;

  bool operator==(const Envelope&) const = default;
};

/// The envelope of a frame that was made in this node: addresses of its source and destination; frames to the neighbour
/// go to the nearest bridge's group address, with an unnamed source. Its DSCP is its priority's class selector.
[[nodiscard]] Envelope default_envelope(const Frame& frame);

}  // namespace weir
