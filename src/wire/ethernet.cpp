// SPDX-License-Identifier: Apache-2.0
#include "wire/ethernet.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/crc32.h"

namespace weir {
namespace {

constexpr std::uint16_t kReservedVlan = 0xfff;

MacAddress load_address(std::span<const std::byte, 6> bytes) {
  MacAddress address;
  std::transform(bytes.begin(), bytes.end(), address.octets.begin(),
                 [](std::byte byte) { return std::to_integer<std::uint8_t>(byte); });
  return address;
}

void store_address(std::span<std::byte, 6> out, const MacAddress& address) {
  std::transform(address.octets.begin(), address.octets.end(), out.begin(),
                 [](std::uint8_t octet) { return std::byte{octet}; });
}

}  // namespace

WireResult<EthernetFrame> parse_ethernet(std::span<const std::byte> bytes, Fcs fcs) {
  const std::size_t fcs_bytes = fcs == Fcs::present ? kFcsBytes : 0;
  if (bytes.size() < kMinimumEthernetBytes + fcs_bytes) return WireError::runt;
  const std::span<const std::byte> covered = bytes.first(bytes.size() - fcs_bytes);
  if (fcs == Fcs::present && load_crc(bytes.last<kFcsBytes>()) != frame_check_sequence(covered)) {
    return WireError::bad_fcs;
  }
  EthernetFrame frame;
  const auto addresses = covered.first<kEthernetHeaderBytes>();
  frame.header.destination = load_address(addresses.first<6>());
  frame.header.source = load_address(addresses.subspan<6, 6>());
  frame.header.ether_type = load_be16<12>(addresses);
  frame.payload = covered.subspan(kEthernetHeaderBytes);
  if (frame.header.ether_type == ether_type::kVlan) {
    const auto rest = frame.payload.first<kVlanTagBytes>();
    const std::uint16_t control = load_be16<0>(rest);
    const auto vlan = static_cast<std::uint16_t>(control & 0xfff);
    if (vlan == kReservedVlan) return WireError::bad_vlan_tag;
    frame.header.tag = VlanTag{static_cast<Priority>(control >> 13), (control & 0x1000) != 0, vlan};
    frame.header.ether_type = load_be16<2>(rest);
    frame.payload = frame.payload.subspan(kVlanTagBytes);
  }
  return frame;
}

void emit_ethernet(const EthernetHeader& header, std::span<std::byte> out) {
  store_address(out.first<6>(), header.destination);
  store_address(out.subspan<6, 6>(), header.source);
  std::span<std::byte> rest = out.subspan(12);
  if (header.tag) {
    const auto tag = rest.first<kVlanTagBytes>();
    const VlanTag& value = *header.tag;
    store_be16<0>(tag, ether_type::kVlan);
    store_be16<2>(tag, static_cast<std::uint32_t>(value.priority) << 13 | (value.drop_eligible ? 0x1000u : 0u) |
                           (value.vlan & 0xfffu));
    rest = rest.subspan(kVlanTagBytes);
  }
  store_be16<0>(rest.first<2>(), header.ether_type);
}

std::uint32_t frame_check_sequence(std::span<const std::byte> bytes) {
  Crc32 crc;
  crc.update(bytes);
  return crc.value();
}

}  // namespace weir
