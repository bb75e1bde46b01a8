// SPDX-License-Identifier: Apache-2.0
// The errors of decoding bytes and of encoding frames.
#pragma once

#include <cassert>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace weir {

/// The first error found. Bytes from a wire are never trusted: each of these is a normal result.
enum class WireError : std::uint8_t {
  truncated,                ///< ends before its headers do
  runt,                     ///< shorter than the minimum Ethernet frame (64 bytes with FCS)
  too_long,                 ///< longer than Frame::frame_bytes can represent
  bad_fcs,                  ///< damaged on the link
  bad_length,               ///< a length field disagrees with another or with the available bytes
  bad_vlan_tag,             ///< VLAN identifier 0xfff, which IEEE 802.1Q reserves, or a tag on a MAC control frame
  unknown_ether_type,       ///< neither IPv4, MAC control nor a control frame of a scheme
  bad_mac_control_address,  ///< MAC control to an address other than 01:80:C2:00:00:01
  plain_pause,              ///< IEEE 802.3x PAUSE: known, but rejected; a lossless port pauses by priority
  unknown_mac_control,      ///< a MAC control opcode other than PAUSE and PFC
  bad_ipv4_version,
  bad_ipv4_checksum,
  bad_ipv4_options,
  fragmented,        ///< an IPv4 fragment, or the reserved flag bit
  expired,           ///< an IPv4 time to live of zero
  foreign_host,      ///< an address that is not of a host of the network
  unknown_protocol,  ///< an IPv4 protocol other than UDP, ICMP and 253
  bad_udp_checksum,
  unknown_udp_port,       ///< a destination port other than 4791
  unknown_opcode,         ///< a BTH opcode for which Frame has no kind
  bad_transport_version,  ///< a BTH transport version other than zero
  refused_syndrome,  ///< an AETH syndrome other than ACK and NAK "PSN sequence error" (receiver not ready is rejected)
  bad_pad_count,     ///< BTH PadCnt on a frame without payload, or larger than the payload
  bad_congestion_notification,  ///< a CNP whose BECN bit is clear
  bad_icrc,                     ///< damaged between the hosts
  bad_shim,                     ///< a scheme's header of another version, or an inconsistent one
  bad_icmp,                     ///< an ICMP type other than 253, a code other than zero, or a wrong checksum
  bad_control_header,           ///< a control frame's header of another version, or an inconsistent one
  bad_control_checksum,
  pool_empty,         ///< no frame or extension is left for it
  buffer_too_small,   ///< the output buffer is too small for the bytes
  not_representable,  ///< a value for which the format has no bits, or a kind that never crosses a link
};

/// One English clause, without a full stop.
[[nodiscard]] std::string_view to_string(WireError error);

/// A `Value`, or the WireError because of which there is none.
template <class Value>
class [[nodiscard]] WireResult {
 public:
  WireResult(Value value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  WireResult(WireError error) : state_(std::in_place_index<1>, error) {}         // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  /// The value; only if ok().
  const Value& operator*() const { return *operator->(); }
  const Value* operator->() const {
    assert(ok());
    return std::get_if<0>(&state_);
  }
  /// The error; only if not ok().
  [[nodiscard]] WireError error() const {
    assert(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<Value, WireError> state_;
};

}  // namespace weir
