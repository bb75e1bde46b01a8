// SPDX-License-Identifier: Apache-2.0
// MAC control frames: the bytes after the EtherType 0x8808.
#pragma once

#include <cstddef>
#include <span>

#include "wire/pfc.h"
#include "wire/wire_error.h"

namespace weir {

/// Opcode, class-enable vector and eight times; padding fills the frame to 64 bytes.
inline constexpr std::size_t kPfcPayloadBytes = 20;

/// Reads a PFC frame's payload (IEEE 802.1Qbb; opcode 0x0101). PAUSE (opcode 0x0001, IEEE 802.3 annex 31B) is rejected
/// with its own error, WireError::plain_pause: it would stop all priorities of a port, which no queue here supports.
/// The high byte of the class-enable vector is reserved and ignored, as is the padding.
[[nodiscard]] WireResult<PfcQuanta> parse_mac_control(std::span<const std::byte> payload);

void emit_pfc(const PfcQuanta& pfc, std::span<std::byte, kPfcPayloadBytes> out);

}  // namespace weir
