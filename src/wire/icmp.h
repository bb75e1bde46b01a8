// SPDX-License-Identifier: Apache-2.0
// The ICMP message that carries a scheme's control frame to a host.
#pragma once

#include <cstddef>
#include <span>

#include "wire/wire_error.h"

namespace weir {

inline constexpr std::size_t kIcmpHeaderBytes = 8;

/// Reads an ICMP message (RFC 792) of type 253, "for experiments" (RFC 4727), code 0, its last four header bytes zero,
/// and returns the bytes after the header. Checks the checksum.
[[nodiscard]] WireResult<std::span<const std::byte>> parse_icmp(std::span<const std::byte> message);

/// Writes the header of the message `message`, which already contains its content.
void emit_icmp(std::span<std::byte> message);

}  // namespace weir
