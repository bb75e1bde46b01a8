// SPDX-License-Identifier: Apache-2.0
#include "wire/wire_error.h"

namespace weir {

std::string_view to_string(WireError error) {
  switch (error) {
    case WireError::truncated:
      return "the frame ends before its headers do";
    case WireError::runt:
      return "the frame is shorter than 64 bytes";
    case WireError::too_long:
      return "the frame is longer than 65535 bytes";
    case WireError::bad_fcs:
      return "the frame check sequence is wrong";
    case WireError::bad_length:
      return "the length fields disagree with each other or with the length of the frame";
    case WireError::bad_vlan_tag:
      return "the VLAN tag is reserved or out of place";
    case WireError::unknown_ether_type:
      return "the EtherType is not one that Weir handles";
    case WireError::bad_mac_control_address:
      return "a MAC control frame is not addressed to 01:80:C2:00:00:01";
    case WireError::plain_pause:
      return "802.3x PAUSE is refused: ports here pause by priority";
    case WireError::unknown_mac_control:
      return "the MAC control opcode is neither PAUSE nor PFC";
    case WireError::bad_ipv4_version:
      return "the IP version is not 4";
    case WireError::bad_ipv4_checksum:
      return "the IPv4 header checksum is wrong";
    case WireError::bad_ipv4_options:
      return "the IPv4 options are malformed";
    case WireError::fragmented:
      return "the IPv4 packet is a fragment";
    case WireError::expired:
      return "the IPv4 time to live is zero";
    case WireError::foreign_host:
      return "an IPv4 address names no host of this network";
    case WireError::unknown_protocol:
      return "the IPv4 protocol is not one that Weir handles";
    case WireError::bad_udp_checksum:
      return "the UDP checksum is wrong";
    case WireError::unknown_udp_port:
      return "the UDP destination port is not RoCEv2's 4791";
    case WireError::unknown_opcode:
      return "the BTH opcode is not one that Weir handles";
    case WireError::bad_transport_version:
      return "the BTH transport version is not 0";
    case WireError::refused_syndrome:
      return "the AETH syndrome is neither ACK nor NAK for a PSN sequence error";
    case WireError::bad_pad_count:
      return "the BTH pad count is wrong for the payload";
    case WireError::bad_congestion_notification:
      return "a congestion notification packet has its BECN bit clear";
    case WireError::bad_icrc:
      return "the invariant CRC is wrong";
    case WireError::bad_shim:
      return "the scheme's header is malformed";
    case WireError::bad_icmp:
      return "the ICMP message is not a scheme's control message";
    case WireError::bad_control_header:
      return "the control header is malformed";
    case WireError::bad_control_checksum:
      return "the control header's checksum is wrong";
    case WireError::pool_empty:
      return "the frame pool is empty";
    case WireError::buffer_too_small:
      return "the buffer is too small for the frame";
    case WireError::not_representable:
      return "the frame has a value that its wire format cannot carry";
  }
  return "an unknown error";
}

}  // namespace weir
