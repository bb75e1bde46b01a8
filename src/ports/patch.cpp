// SPDX-License-Identifier: Apache-2.0
#include "ports/patch.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

#include "wire/byte_order.h"
#include "wire/ethernet.h"
#include "wire/extension_field.h"
#include "wire/ipv4_udp.h"
#include "wire/rocev2.h"
#include "wire/scheme_shim.h"

namespace weir {
namespace {

constexpr std::size_t kTypeAt = 12;
constexpr std::size_t kChecksumAt = 10;    // in the IPv4 header
constexpr std::size_t kUdpChecksumAt = 6;  // in the UDP header

std::uint16_t word(std::span<const std::byte> bytes, std::size_t at) {
  return load_be16<0>(bytes.subspan(at).first<2>());
}

void set_word(std::span<std::byte> bytes, std::size_t at, std::uint32_t value) {
  store_be16<0>(bytes.subspan(at).first<2>(), value);
}

bool is_tagged(std::span<const std::byte> frame) {
  return word(frame, kTypeAt) == ether_type::kVlan;
}

std::size_t header_length(std::span<const std::byte> frame) {
  return kEthernetHeaderBytes + (is_tagged(frame) ? kVlanTagBytes : 0);
}

/// A checksum after a 16-bit word that it covers has changed (RFC 1624, equation 3).
std::uint16_t adapted(std::uint16_t checksum, std::uint16_t before, std::uint16_t after) {
  std::uint32_t sum =
      static_cast<std::uint16_t>(~checksum) + std::uint32_t{static_cast<std::uint16_t>(~before)} + after;
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

/// Changes a word of the IPv4 header, at an even place, and its checksum.
void change_header(std::span<std::byte> header, std::size_t at, std::uint16_t value) {
  const std::uint16_t before = word(header, at);
  if (before == value) return;
  set_word(header, kChecksumAt, adapted(word(header, kChecksumAt), before, value));
  set_word(header, at, value);
}

std::span<std::byte> ipv4_of(std::span<std::byte> frame) {
  return frame.subspan(header_length(frame));
}

std::size_t internet_header_bytes(std::span<const std::byte> packet) {
  return std::size_t{4} * (std::to_integer<std::size_t>(packet[0]) & 0x0fu);
}

/// Adapts the checksum of a UDP datagram, if it has one, after a word that it covers has changed.
void adapt_udp(std::span<std::byte> udp, std::uint16_t before, std::uint16_t after) {
  const std::uint16_t sum = word(udp, kUdpChecksumAt);
  if (sum == 0) return;
  const std::uint16_t changed = adapted(sum, before, after);
  set_word(udp, kUdpChecksumAt, changed == 0 ? 0xffffu : changed);
}

/// The length of the scheme's header after this BTH; zero: there is none.
std::size_t shim_bytes_after(std::span<const std::byte> bth) {
  if (!tells_of_shim(std::to_integer<std::uint8_t>(bth[0]))) return 0;
  constexpr std::size_t kExtensionAt = kBthBytes + 2;
  const std::optional<ExtensionField> extension = ExtensionField::decode(word(bth, kExtensionAt));
  return kShimBytes + (extension ? extension->bytes : 0);
}

void store(std::span<std::byte> out, const MacAddress& mac) {
  std::transform(mac.octets.begin(), mac.octets.end(), out.begin(),
                 [](std::uint8_t octet) { return std::byte{octet}; });
}

}  // namespace

bool is_ipv4(std::span<const std::byte> frame) {
  const std::size_t length = header_length(frame);
  return word(frame, length - 2) == ether_type::kIpv4 && frame.size() >= length + kIpv4HeaderBytes;
}

void lower_time_to_live(std::span<std::byte> frame) {
  if (!is_ipv4(frame)) return;
  lower_time_to_live_of(ipv4_of(frame).first<kIpv4HeaderBytes>());
}

void mark_congestion(std::span<std::byte> frame) {
  if (!is_ipv4(frame)) return;
  const std::span<std::byte> header = ipv4_of(frame);
  change_header(header, 0, static_cast<std::uint16_t>(word(header, 0) | 0x03u));
}

void set_priority(std::span<std::byte> frame, Priority priority) {
  if (is_tagged(frame)) {
    constexpr std::size_t kAt = kTypeAt + 2;
    set_word(frame, kAt, (word(frame, kAt) & 0x1fffu) | static_cast<std::uint32_t>(priority) << 13);
  } else if (is_ipv4(frame)) {
    const std::span<std::byte> header = ipv4_of(frame);
    change_header(header, 0,
                  static_cast<std::uint16_t>((word(header, 0) & 0xff1fu) | static_cast<unsigned>(priority) << 5));
  }
}

void set_destination(std::span<std::byte> frame, const MacAddress& mac) {
  store(frame.first<6>(), mac);
}

void set_source(std::span<std::byte> frame, const MacAddress& mac) {
  store(frame.subspan<6, 6>(), mac);
}

bool replace_shim(Packet& packet, std::span<const std::byte> header) {
  const std::size_t ip_at = header_length(packet.span());
  const std::size_t total = word(packet.span(), ip_at + 2);
  const std::size_t udp_at = ip_at + internet_header_bytes(packet.span().subspan(ip_at));
  const std::size_t bth_at = udp_at + kUdpHeaderBytes;
  const std::size_t here = bth_at + kBthBytes;
  const std::size_t before = shim_bytes_after(packet.span().subspan(bth_at));
  const std::size_t new_total = total - before + header.size();
  const std::size_t length = std::max(ip_at + new_total, kMinimumEthernetBytes);
  if (length > packet.capacity || new_total > std::numeric_limits<std::uint16_t>::max()) return false;

  const std::span<std::byte> bytes(packet.bytes, std::max<std::size_t>(packet.length, length));
  const std::span<std::byte> udp = bytes.subspan(udp_at);
  const bool has_sum = word(udp, kUdpChecksumAt) != 0;
  if (has_sum) {
    for (std::size_t at = 0; at < before; at += 2) adapt_udp(udp, word(bytes, here + at), 0);
    for (std::size_t at = 0; at < header.size(); at += 2) adapt_udp(udp, 0, word(header, at));
  }
  const std::span<std::byte> rest = bytes.subspan(here + before, ip_at + total - here - before);
  if (header.size() > before) {
    std::copy_backward(rest.begin(), rest.end(), rest.end() + static_cast<std::ptrdiff_t>(header.size() - before));
  } else {
    std::copy(rest.begin(), rest.end(), rest.begin() - static_cast<std::ptrdiff_t>(before - header.size()));
  }
  std::copy(header.begin(), header.end(), bytes.begin() + static_cast<std::ptrdiff_t>(here));

  const std::uint16_t first = word(bytes, bth_at);
  bytes[bth_at] = std::byte{opcode_telling(std::to_integer<std::uint8_t>(bytes[bth_at]), !header.empty())};
  adapt_udp(udp, first, word(bytes, bth_at));
  constexpr std::size_t kUdpLengthAt = 4;
  const std::uint16_t udp_length = word(udp, kUdpLengthAt);
  set_word(udp, kUdpLengthAt, static_cast<std::uint32_t>(udp_length - before + header.size()));
  // Once in the header, and once in the pseudo-header.
  for (int i = 0; has_sum && i < 2; ++i) adapt_udp(udp, udp_length, word(udp, kUdpLengthAt));
  change_header(bytes.subspan(ip_at), 2, static_cast<std::uint16_t>(new_total));

  const std::size_t end = ip_at + new_total;
  if (end < length)
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.begin() + static_cast<std::ptrdiff_t>(length),
              std::byte{0});
  packet.length = static_cast<std::uint32_t>(length);
  return true;
}

bool replace_plain_shim(Packet& packet, bool has_shim, const PlainShim& shim) {
  constexpr std::size_t kHeaders = kIpv4HeaderBytes + kUdpHeaderBytes + kBthBytes;
  constexpr std::size_t kTotalAt = 2;
  constexpr std::size_t kUdpLengthAt = kIpv4HeaderBytes + 4;
  constexpr std::size_t kOpcodeAt = kIpv4HeaderBytes + kUdpHeaderBytes;
  static_assert(kEthernetHeaderBytes + kHeaders + kShimBytes >= kMinimumEthernetBytes);  // no padding
  const std::size_t ip_at = header_length(packet.span());
  const auto ip = std::span<std::byte>(packet.bytes + ip_at, kHeaders).first<kHeaders>();
  std::byte* const here = ip.data() + kHeaders;
  if (!has_shim) {
    const std::uint32_t total = load_be16<kTotalAt>(std::span<const std::byte, kHeaders>(ip));
    const auto new_total = static_cast<std::uint32_t>(total + kShimBytes);  // fits: plain packets are not that long
    if (ip_at + new_total > packet.capacity) return false;
    std::memmove(here + kShimBytes, here, total - kHeaders);
    ip[kOpcodeAt] |= std::byte{kReliableConnectionWithShim};
    store_be16<kUdpLengthAt>(ip, new_total - static_cast<std::uint32_t>(kIpv4HeaderBytes));
    store_be16<kTotalAt>(ip, new_total);
    adapt_checksum(ip.first<kIpv4HeaderBytes>(), kShimBytes);
    packet.length = static_cast<std::uint32_t>(ip_at + new_total);
  }
  constexpr std::uint32_t kVersionOne = 0x0100'0000;
  const std::span<std::byte, kShimBytes> header(here, kShimBytes);
  store_be32<0>(header, kVersionOne | std::uint32_t{shim.protocol} << 16);
  store_be32<4>(header, std::uint32_t{shim.tag} << 16);
  store_be32<8>(header, shim.tag_value);
  return true;
}

void copy_icrc(std::span<const std::byte> from, std::span<std::byte> to) {
  const std::span<const std::byte> source = from.subspan(header_length(from));
  const std::span<std::byte> target = ipv4_of(to);
  const std::span<const std::byte> there = source.first(word(source, 2)).last<kIcrcBytes>();
  const std::span<std::byte> here = target.first(word(target, 2)).last<kIcrcBytes>();
  const std::span<std::byte> udp = target.subspan(internet_header_bytes(target));
  for (std::size_t at = 0; at < kIcrcBytes; at += 2) {
    const std::uint16_t value = word(there, at);
    adapt_udp(udp, word(here, at), value);
    set_word(here, at, value);
  }
}

}  // namespace weir
