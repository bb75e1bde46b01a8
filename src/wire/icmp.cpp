// SPDX-License-Identifier: Apache-2.0
#include "wire/icmp.h"

#include <cstdint>

#include "wire/byte_order.h"
#include "wire/internet_checksum.h"

namespace weir {
namespace {

constexpr std::uint8_t kExperimentalType = 253;

}  // namespace

WireResult<std::span<const std::byte>> parse_icmp(std::span<const std::byte> message) {
  if (message.size() < kIcmpHeaderBytes) return WireError::truncated;
  const auto header = message.first<kIcmpHeaderBytes>();
  if (load_8<0>(header) != kExperimentalType || load_8<1>(header) != 0 || load_be32<4>(header) != 0) {
    return WireError::bad_icmp;
  }
  InternetChecksum sum;
  sum.update(message);
  if (!sum.verifies()) return WireError::bad_icmp;
  return message.subspan(kIcmpHeaderBytes);
}

void emit_icmp(std::span<std::byte> message) {
  const auto header = message.first<kIcmpHeaderBytes>();
  store_8<0>(header, kExperimentalType);
  store_8<1>(header, 0);
  store_be16<2>(header, 0);
  store_be32<4>(header, 0);
  InternetChecksum sum;
  sum.update(message);
  store_be16<2>(header, sum.value());
}

}  // namespace weir
