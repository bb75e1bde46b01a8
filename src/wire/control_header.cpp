// SPDX-License-Identifier: Apache-2.0
#include "wire/control_header.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/internet_checksum.h"

namespace weir {
namespace {

constexpr std::uint8_t kControlVersion = 1;
constexpr std::uint32_t kEchoesCongestion = 0x01;
constexpr std::uint32_t kEndsMessage = 0x02;
constexpr std::uint32_t kWantsAck = 0x04;
constexpr std::uint32_t kKnownFlags = kEchoesCongestion | kEndsMessage | kWantsAck;
constexpr std::size_t kCommonBytes = control_header_bytes(ControlReach::host);
constexpr std::size_t kHostsBytes = control_header_bytes(ControlReach::neighbour) - kCommonBytes;

}  // namespace

WireResult<ParsedControl> parse_control(std::span<const std::byte> bytes, ControlReach reach) {
  const std::size_t header_length = control_header_bytes(reach);
  if (bytes.size() < header_length) return WireError::truncated;
  const auto common = bytes.first<kCommonBytes>();
  const std::uint32_t flags = load_8<2>(common);
  if (load_8<0>(common) != kControlVersion || (flags & ~kKnownFlags) != 0 || load_8<3>(common) != 0) {
    return WireError::bad_control_header;
  }
  const std::optional<ExtensionField> extension = ExtensionField::decode(load_be16<4>(common));
  if (!extension) return WireError::bad_control_header;
  const std::span<const std::byte> rest = bytes.subspan(header_length);
  if (rest.size() < extension->bytes) return WireError::truncated;
  InternetChecksum sum;
  sum.update(bytes.first(header_length + extension->bytes));
  if (load_be16<6>(common) == 0 || !sum.verifies()) return WireError::bad_control_checksum;

  ControlHeader header;
  header.protocol = load_8<1>(common);
  header.echoes_congestion = (flags & kEchoesCongestion) != 0;
  header.ends_message = (flags & kEndsMessage) != 0;
  header.wants_ack = (flags & kWantsAck) != 0;
  header.extension = *extension;
  header.tag = load_be16<8>(common);
  header.entropy = load_be16<10>(common);
  header.tag_value = load_be32<12>(common);
  header.sequence = load_be32<16>(common);
  header.queue_pair = QueuePairId(load_be32<20>(common));
  if (reach == ControlReach::neighbour) {
    const auto hosts = bytes.subspan<kCommonBytes, kHostsBytes>();
    header.source = HostId(load_be32<0>(hosts));
    header.destination = HostId(load_be32<4>(hosts));
  }
  return ParsedControl{header, rest.first(extension->bytes), rest.size() - extension->bytes};
}

void emit_control(const ControlHeader& header, ControlReach reach, std::span<const std::byte> block,
                  std::span<std::byte> out) {
  const auto common = out.first<kCommonBytes>();
  store_8<0>(common, kControlVersion);
  store_8<1>(common, header.protocol);
  store_8<2>(common, (header.echoes_congestion ? kEchoesCongestion : 0) | (header.ends_message ? kEndsMessage : 0) |
                         (header.wants_ack ? kWantsAck : 0));
  store_8<3>(common, 0);
  store_be16<4>(common, header.extension.encode());
  store_be16<6>(common, 0);
  store_be16<8>(common, header.tag);
  store_be16<10>(common, header.entropy);
  store_be32<12>(common, header.tag_value);
  store_be32<16>(common, header.sequence);
  store_be32<20>(common, header.queue_pair.value);
  if (reach == ControlReach::neighbour) {
    const auto hosts = out.subspan<kCommonBytes, kHostsBytes>();
    store_be32<0>(hosts, header.source.value);
    store_be32<4>(hosts, header.destination.value);
  }
  const std::size_t header_length = control_header_bytes(reach);
  std::copy_n(block.begin(), header.extension.bytes, out.begin() + static_cast<std::ptrdiff_t>(header_length));
  InternetChecksum sum;
  sum.update(out.first(header_length + header.extension.bytes));
  const std::uint16_t checksum = sum.value();
  store_be16<6>(common, checksum == 0 ? 0xffffu : checksum);
}

}  // namespace weir
