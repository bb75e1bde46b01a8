// SPDX-License-Identifier: Apache-2.0
#include "wire/pfc_frame.h"

#include "wire/byte_order.h"

namespace weir {
namespace {

constexpr std::uint16_t kPauseOpcode = 0x0001;
constexpr std::uint16_t kPfcOpcode = 0x0101;
constexpr std::size_t kOpcodeBytes = 2;

}  // namespace

WireResult<PfcQuanta> parse_mac_control(std::span<const std::byte> payload) {
  if (payload.size() < kOpcodeBytes) return WireError::truncated;
  const std::uint16_t opcode = load_be16<0>(payload.first<kOpcodeBytes>());
  if (opcode == kPauseOpcode) return WireError::plain_pause;
  if (opcode != kPfcOpcode) return WireError::unknown_mac_control;
  if (payload.size() < kPfcPayloadBytes) return WireError::truncated;
  PfcQuanta pfc;
  pfc.enabled = load_8<3>(payload.first<kPfcPayloadBytes>());
  std::span<const std::byte> times = payload.subspan(4);
  for (std::uint16_t& quanta : pfc.quanta) {
    quanta = load_be16<0>(times.first<2>());
    times = times.subspan(2);
  }
  return pfc;
}

void emit_pfc(const PfcQuanta& pfc, std::span<std::byte, kPfcPayloadBytes> out) {
  store_be16<0>(out, kPfcOpcode);
  store_be16<2>(out, pfc.enabled);
  std::span<std::byte> times = out.subspan<4>();
  for (const std::uint16_t quanta : pfc.quanta) {
    store_be16<0>(times.first<2>(), quanta);
    times = times.subspan(2);
  }
}

}  // namespace weir
