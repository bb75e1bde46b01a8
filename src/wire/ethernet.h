// SPDX-License-Identifier: Apache-2.0
// Ethernet II frames, with or without an 802.1Q tag and a frame check sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "units/ids.h"
#include "wire/address.h"
#include "wire/wire_error.h"

namespace weir {

/// Whether bytes end with the frame check sequence; most NICs strip it from received frames and add it to frames they
/// send.
enum class Fcs : std::uint8_t { absent, present };

namespace ether_type {
inline constexpr std::uint16_t kIpv4 = 0x0800;
inline constexpr std::uint16_t kVlan = 0x8100;          ///< an 802.1Q tag follows
inline constexpr std::uint16_t kMacControl = 0x8808;    ///< IEEE 802.3 annex 31A
inline constexpr std::uint16_t kExperimental = 0x88b5;  ///< "local experimental EtherType 1" (IEEE 802, clause 9.2.3)
}  // namespace ether_type

/// An 802.1Q tag.
struct VlanTag {
  Priority priority = 0;       ///< the priority code point, 0..7
  bool drop_eligible = false;  ///< DEI
  std::uint16_t vlan = 0;      ///< 0..4094; zero: the tag carries a priority and names no VLAN
  bool operator==(const VlanTag&) const = default;
};

struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  std::optional<VlanTag> tag;
  std::uint16_t ether_type = 0;
  bool operator==(const EthernetHeader&) const = default;
};

inline constexpr std::size_t kEthernetHeaderBytes = 14;
inline constexpr std::size_t kVlanTagBytes = 4;
inline constexpr std::size_t kFcsBytes = 4;
/// Shorter frames are padded to this length, without the FCS.
inline constexpr std::size_t kMinimumEthernetBytes = 60;

[[nodiscard]] constexpr std::size_t header_bytes(const EthernetHeader& header) {
  return kEthernetHeaderBytes + (header.tag ? kVlanTagBytes : 0);
}

struct EthernetFrame {
  EthernetHeader header;
  std::span<const std::byte> payload;  ///< of the bytes parsed: everything up to the FCS, including padding
};

/// Reads a frame starting at its destination address. Checks length, FCS (if present) and VLAN identifier, but not the
/// EtherType. A second tag is treated like any other EtherType.
[[nodiscard]] WireResult<EthernetFrame> parse_ethernet(std::span<const std::byte> bytes, Fcs fcs);

/// Writes header_bytes(header) bytes to the start of `out`, which must hold them.
void emit_ethernet(const EthernetHeader& header, std::span<std::byte> out);

/// The frame check sequence of a frame's other bytes (IEEE 802.3 clause 3.2.9), sent lowest byte first.
[[nodiscard]] std::uint32_t frame_check_sequence(std::span<const std::byte> bytes);

}  // namespace weir
