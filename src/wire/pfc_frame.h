// SPDX-License-Identifier: Apache-2.0
// MAC control frames: what follows the EtherType 0x8808.
#pragma once

#include <cstddef>
#include <span>

#include "wire/pfc.h"
#include "wire/wire_error.h"

namespace weir {

/// Opcode, class-enable vector and eight times; padding fills the frame to 64 bytes.
inline constexpr std::size_t kPfcPayloadBytes = 20;

/// Reads a PFC frame's payload (IEEE 802.1Qbb; opcode 0x0101). PAUSE (opcode 0x0001, IEEE 802.3 annex 31B) is told
/// apart, as WireError::plain_pause, and refused: it would stop every priority of a port, which no queue here expects.
/// The high byte of the class-enable vector is reserved and ignored, as is the padding.
[[nodiscard]] WireResult<PfcQuanta> parse_mac_control(std::span<const std::byte> payload);

void emit_pfc(const PfcQuanta& pfc, std::span<std::byte, kPfcPayloadBytes> out);

}  // namespace weir
