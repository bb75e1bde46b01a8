// SPDX-License-Identifier: Apache-2.0
// Bytes of packets that Weir does not model, for tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "wire/address.h"
#include "wire/byte_order.h"
#include "wire/ethernet.h"
#include "wire/internet_checksum.h"

namespace weir::testing {

using Bytes = std::vector<std::byte>;

struct Ipv4Fields {
  std::uint8_t protocol = 6;
  std::uint8_t type_of_service = 0;
  std::uint8_t time_to_live = 64;
  std::uint32_t source = 0x0a000001;
  std::uint32_t destination = 0x0a000002;
  std::pair<std::uint16_t, std::uint16_t> ports;  ///< the first four bytes of the payload
  std::size_t payload = 4;                        ///< bytes
  std::uint16_t fragment = 0;                     ///< flags and offset
};

inline void put16(Bytes& bytes, std::size_t at, std::uint32_t value) {
  store_be16<0>(std::span(bytes).subspan(at).first<2>(), value);
}

inline void put_mac(Bytes& bytes, std::size_t at, const MacAddress& mac) {
  for (std::size_t i = 0; i < mac.octets.size(); ++i) bytes[at + i] = std::byte{mac.octets[i]};
}

/// An untagged Ethernet frame, not padded, with an IPv4 packet between two hosts' MAC addresses.
inline Bytes ipv4_packet(const Ipv4Fields& fields) {
  Bytes bytes(14 + 20 + fields.payload);
  put_mac(bytes, 0, MacAddress{{0x02, 0, 0, 0, 0, 0x22}});
  put_mac(bytes, 6, MacAddress{{0x02, 0, 0, 0, 0, 0x11}});
  put16(bytes, 12, ether_type::kIpv4);
  put16(bytes, 14, 0x4500u | fields.type_of_service);
  put16(bytes, 16, static_cast<std::uint32_t>(20 + fields.payload));
  put16(bytes, 20, fields.fragment);
  put16(bytes, 22, static_cast<std::uint32_t>(fields.time_to_live) << 8 | fields.protocol);
  put16(bytes, 26, fields.source >> 16);
  put16(bytes, 28, fields.source & 0xffff);
  put16(bytes, 30, fields.destination >> 16);
  put16(bytes, 32, fields.destination & 0xffff);
  InternetChecksum sum;
  sum.update(std::span<const std::byte>(bytes).subspan(14, 20));
  put16(bytes, 24, sum.value());
  if (fields.payload >= 4) {
    put16(bytes, 34, fields.ports.first);
    put16(bytes, 36, fields.ports.second);
  }
  for (std::size_t i = 4; i < fields.payload; ++i) bytes[34 + i] = static_cast<std::byte>(i);
  return bytes;
}

/// The same frame with an 802.1Q tag.
inline Bytes with_tag(Bytes bytes, std::uint32_t priority) {
  const std::array<std::byte, 4> tag = {std::byte{0x81}, std::byte{0}, static_cast<std::byte>(priority << 5),
                                        std::byte{0}};
  bytes.insert(bytes.begin() + 12, tag.begin(), tag.end());
  return bytes;
}

/// The 42 bytes with which a host asks for the MAC address of another.
inline Bytes arp_request(HostId from, HostId to) {
  Bytes bytes(42);
  std::fill_n(bytes.begin(), 6, std::byte{0xff});
  put_mac(bytes, 6, mac_address_of(from));
  put16(bytes, 12, 0x0806);
  put16(bytes, 14, 1);
  put16(bytes, 16, ether_type::kIpv4);
  put16(bytes, 18, 0x0604);
  put16(bytes, 20, 1);
  put_mac(bytes, 22, mac_address_of(from));
  put16(bytes, 28, ipv4_address_of(from).value >> 16);
  put16(bytes, 30, ipv4_address_of(from).value & 0xffff);
  put16(bytes, 38, ipv4_address_of(to).value >> 16);
  put16(bytes, 40, ipv4_address_of(to).value & 0xffff);
  return bytes;
}

/// Whether the checksum of the frame's IPv4 header is right.
inline bool header_verifies(std::span<const std::byte> frame) {
  const bool tagged = load_be16<0>(frame.subspan(12).first<2>()) == ether_type::kVlan;
  InternetChecksum sum;
  sum.update(frame.subspan(tagged ? 18 : 14, 20));
  return sum.verifies();
}

}  // namespace weir::testing
