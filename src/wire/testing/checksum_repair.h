// SPDX-License-Identifier: Apache-2.0
// Makes bytes what a sender would have sent: checksums are corrected, and fields that receivers ignore are set to zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "wire/byte_order.h"
#include "wire/crc32.h"
#include "wire/ethernet.h"
#include "wire/internet_checksum.h"
#include "wire/ipv4_udp.h"
#include "wire/rocev2.h"

namespace weir::testing {

/// Processes the headers as far as the bytes allow. Uses the formats' offsets and nothing of parse(), so that the two
/// can be compared.
class Repair {
 public:
  enum class Zero : std::uint8_t { nothing, what_receivers_ignore };

  Repair(std::vector<std::byte>& bytes, Fcs fcs, Zero zero)
      : bytes_(bytes), zero_(zero == Zero::what_receivers_ignore) {
    const std::size_t fcs_bytes = fcs == Fcs::present ? kFcsBytes : 0;
    if (bytes_.size() < kMinimumEthernetBytes + fcs_bytes) return;
    if (fcs == Fcs::present) bytes_.resize(bytes_.size() - kFcsBytes);
    repair_payload();
    if (fcs == Fcs::present) {
      const std::uint32_t crc = frame_check_sequence(bytes_);
      bytes_.resize(bytes_.size() + kFcsBytes);
      store_crc(std::span(bytes_).last<kFcsBytes>(), crc);
    }
  }

 private:
  static std::uint32_t number(std::span<const std::byte> at) { return load_be16<0>(at.first<2>()); }
  static void put(std::span<std::byte> at, std::uint32_t value) { store_be16<0>(at.first<2>(), value); }
  static std::uint32_t octet(std::span<const std::byte> bytes, std::size_t at) {
    return std::to_integer<std::uint32_t>(bytes[at]);
  }

  void repair_payload() {
    std::size_t header = kEthernetHeaderBytes;
    std::uint32_t type = number(std::span(bytes_).subspan(12));
    if (type == ether_type::kVlan) {
      header += kVlanTagBytes;
      type = number(std::span(bytes_).subspan(16));
    }
    const std::span<std::byte> payload = std::span(bytes_).subspan(header);
    std::size_t used = payload.size();
    if (type == ether_type::kMacControl) {
      used = 20;
      if (zero_) payload[2] = std::byte{0};
    } else if (type == ether_type::kExperimental) {
      used = repair_control(payload, 32);
    } else if (type == ether_type::kIpv4) {
      used = repair_ipv4(payload);
    }
    if (!zero_) return;
    std::fill(payload.begin() + static_cast<std::ptrdiff_t>(used), payload.end(), std::byte{0});
    if (header + used < bytes_.size()) bytes_.resize(std::max(header + used, kMinimumEthernetBytes));
  }

  // Each returns the number of bytes in use; all of them if the lengths are inconsistent.
  std::size_t repair_control(std::span<std::byte> bytes, std::size_t header) {
    if (bytes.size() < header) return bytes.size();
    const std::size_t length = header + (number(bytes.subspan(4)) & 0x3fffu);
    if (length > bytes.size()) return bytes.size();
    const std::uint16_t sum = checksum_without(bytes.first(length), 6);
    put(bytes.subspan(6), sum == 0 ? 0xffffu : sum);
    return length;
  }

  static std::uint16_t checksum_without(std::span<std::byte> bytes, std::size_t field) {
    put(bytes.subspan(field), 0);
    InternetChecksum sum;
    sum.update(bytes);
    return sum.value();
  }

  std::size_t repair_ipv4(std::span<std::byte> bytes) {
    const std::size_t header = std::size_t{4} * (octet(bytes, 0) & 0x0fu);
    const std::size_t length = number(bytes.subspan(2));
    if (header < kIpv4HeaderBytes || header > length || length > bytes.size()) return bytes.size();
    const std::span<std::byte> content = bytes.subspan(header, length - header);
    const std::uint32_t protocol = octet(bytes, 9);
    put(bytes.subspan(10), checksum_without(bytes.first(header), 10));
    if (protocol == ip_protocol::kUdp) repair_udp(bytes.first(length), content);
    if (protocol == ip_protocol::kExperimental) repair_control(content, 24);
    if (protocol == ip_protocol::kIcmp && content.size() >= 8) {
      repair_control(content.subspan(8), 24);
      put(content.subspan(2), checksum_without(content, 2));
    }
    return length;
  }

  void repair_udp(std::span<std::byte> packet, std::span<std::byte> datagram) const {
    if (datagram.size() < kUdpHeaderBytes + kBthBytes + kIcrcBytes) return;
    const bool has_checksum = number(datagram.subspan(6)) != 0;
    repair_transport(packet, datagram.subspan(kUdpHeaderBytes));
    if (!has_checksum) return;
    InternetChecksum sum;
    put(datagram.subspan(6), 0);
    sum.update(packet.subspan(12, 8));
    sum.update(std::uint16_t{ip_protocol::kUdp});
    sum.update(static_cast<std::uint16_t>(datagram.size()));
    sum.update(datagram);
    put(datagram.subspan(6), sum.value() == 0 ? 0xffffu : sum.value());
  }

  void repair_transport(std::span<std::byte> packet, std::span<std::byte> transport) const {
    const std::uint32_t opcode = octet(transport, 0);
    std::size_t shim = 0;
    if (opcode >= 0xc0) {
      if (transport.size() < kBthBytes + 12 + kIcrcBytes) return;
      shim = 12 + (number(transport.subspan(kBthBytes + 2)) & 0x3fffu);
    }
    if (kBthBytes + shim + kIcrcBytes > transport.size()) return;
    if (zero_) {
      transport[4] &= std::byte{0xc0};
      transport[8] &= std::byte{0x80};
      const std::span<std::byte> content =
          transport.subspan(kBthBytes + shim, transport.size() - kBthBytes - shim - kIcrcBytes);
      const std::size_t pad = octet(transport, 1) >> 4 & 0x03u;
      const bool is_cnp = opcode == 0x81 || opcode == 0xe1;
      const std::size_t ignored = is_cnp ? content.size() : std::min(pad, content.size());
      std::fill_n(content.rbegin(), ignored, std::byte{0});
    }
    store_crc(packet.last<kIcrcBytes>(), invariant_crc(packet.first(packet.size() - kIcrcBytes), shim));
  }

  std::vector<std::byte>& bytes_;
  bool zero_;
};

}  // namespace weir::testing
