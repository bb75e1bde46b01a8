// SPDX-License-Identifier: Apache-2.0
// What a frame carries across a link that no node of Weir decides on.
#pragma once

#include <cstdint>

#include "wire/address.h"
#include "wire/frame.h"
#include "wire/ipv4_udp.h"
#include "wire/rocev2.h"

namespace weir {

/// The header fields that a Frame has no place for. parse() fills one beside the Frame, and emit() takes one, so that a
/// node which forwards a frame sends on what it was sent. Fields of headers that a frame does not have are not looked
/// at.
struct Envelope {
  MacAddress destination_mac;
  MacAddress source_mac;
  /// The frame has an 802.1Q tag. Without one its priority is that of its DSCP's upper three bits (the class selector,
  /// RFC 2474), and zero if it is no IPv4 packet.
  bool tagged = true;
  bool drop_eligible = false;  ///< DEI
  std::uint16_t vlan = 0;      ///< 0..4094

  std::uint8_t dscp = 0;  ///< 6 bits; of an untagged frame the upper three give way to its priority
  /// Ecn::capable is sent as ECT(1) in place of ECT(0). A Frame does not tell them apart, for RFC 3168 gives them one
  /// meaning.
  bool ect1 = false;
  std::uint16_t identification = 0;  ///< zero will do where nothing is fragmented (RFC 6864)
  bool dont_fragment = true;
  std::uint8_t time_to_live = 64;  ///< above zero
  Ipv4Options options;
  bool udp_checksum = false;

  bool starts_message = false;  ///< SEND First or Only; a Frame says only where a message ends
  bool solicited_event = false;
  bool migration_request = false;
  bool fecn = false;
  std::uint16_t partition_key = 0xffff;
  std::uint8_t credit_count = Aeth::kNoCredits;  ///< of an ACK, 5 bits
  std::uint32_t message_sequence_number = 0;     ///< of ACK and NAK, 24 bits

  bool has_shim = false;  ///< a SchemeShim is sent even if it says nothing
  /// No fewer bytes of the extension are sent, zero though they be (a scheme whose header has a fixed length); rounded
  /// up to a multiple of four.
  std::uint16_t extension_bytes = 0;

  bool operator==(const Envelope&) const = default;
};

/// The envelope of a frame that was made here: addresses of its source and destination; frames to the neighbour go to
/// the nearest bridge's group address from no named station. Its DSCP is its priority's class selector.
[[nodiscard]] Envelope default_envelope(const Frame& frame);

}  // namespace weir
