// SPDX-License-Identifier: Apache-2.0
// The addresses of hosts on real links, and the mapping from addresses to hosts.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "units/ids.h"

namespace weir {

/// An IEEE 802 address, in wire order.
struct MacAddress {
  std::array<std::uint8_t, 6> octets{};
  auto operator<=>(const MacAddress&) const = default;
};

/// An IPv4 address as a number: 10.0.0.1 is 0x0a000001.
struct Ipv4Address {
  std::uint32_t value = 0;
  auto operator<=>(const Ipv4Address&) const = default;
};

/// Destination of MAC control frames (IEEE 802.3 annex 31B, IEEE 802.1Qbb); bridges do not forward it.
inline constexpr MacAddress kMacControlAddress{{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01}};
/// The nearest bridge's group address (IEEE 802.1Q table 8-1), the destination of a scheme's frames to the neighbour;
/// no bridge forwards it.
inline constexpr MacAddress kNearestBridgeAddress{{0x01, 0x80, 0xc2, 0x00, 0x00, 0x0e}};
/// Source of a frame that no host sends, until a port replaces it by its own address: locally administered, and no
/// host's.
inline constexpr MacAddress kUnnamedMacAddress{{0x02, 0x00, 0x00, 0x00, 0x00, 0x00}};
/// Source of an IPv4 packet that no host sends: the dummy address for nodes without one (RFC 7600, section 4.5).
inline constexpr Ipv4Address kUnnamedIpv4Address{0xc0000008};

/// Hosts 0 to kAddressableHosts - 1 have an address.
inline constexpr std::uint32_t kAddressableHosts = std::uint32_t{1} << 24;

/// Host n has the address 10.0.0.0 + n: its 24 bits are the last three octets. Host below kAddressableHosts.
constexpr Ipv4Address ipv4_address_of(HostId host) {
  return {0x0a00'0000 | host.value};
}

/// The host with an address in 10.0.0.0/8; none for any other address.
constexpr std::optional<HostId> host_of(Ipv4Address address) {
  if (address.value >> 24 != 10) return std::nullopt;
  return HostId(address.value & (kAddressableHosts - 1));
}

/// A locally administered unicast address whose last four octets are the host's IPv4 address: 02:00:0a:x:y:z. Host
/// below kAddressableHosts.
constexpr MacAddress mac_address_of(HostId host) {
  return {{0x02, 0x00, 0x0a, static_cast<std::uint8_t>(host.value >> 16), static_cast<std::uint8_t>(host.value >> 8),
           static_cast<std::uint8_t>(host.value)}};
}

/// The host with such an address; none for any other address.
constexpr std::optional<HostId> host_of(const MacAddress& address) {
  const auto& octets = address.octets;
  if (octets[0] != 0x02 || octets[1] != 0x00 || octets[2] != 0x0a) return std::nullopt;
  return HostId(std::size_t{octets[3]} << 16 | std::size_t{octets[4]} << 8 | octets[5]);
}

}  // namespace weir
