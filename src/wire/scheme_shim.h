// SPDX-License-Identifier: Apache-2.0
// Weir's own header for a scheme's header bytes on RoCEv2 frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "wire/extension_field.h"
#include "wire/wire_error.h"

namespace weir {

/// The part of Frame::protocol, tag, tag_value and extension that a data, acknowledge or congestion notification frame
/// carries. It follows the BTH directly, so that a switch finds it at a fixed position; the BTH's opcode indicates its
/// presence (Bth::has_shim) and the ICRC does not cover it (invariant_crc). Twelve bytes followed by the extension:
///
///     0       1          2                 4     6       7          8           12
///     version protocol   ExtensionField    tag   flags   reserved   tag_value   extension ...
///
/// Version 1. Flags: 1 if the frame was trimmed; the others and the reserved byte are zero.
struct SchemeShim {
  std::uint8_t protocol = 0;
  std::uint16_t tag = 0;
  std::uint32_t tag_value = 0;
  ExtensionField extension;
  bool trimmed = false;  ///< Frame::trimmed
  bool operator==(const SchemeShim&) const = default;
};

inline constexpr std::size_t kShimBytes = 12;  ///< without the extension

struct ParsedShim {
  SchemeShim shim;
  std::span<const std::byte> extension;  ///< shim.extension.bytes of the bytes parsed
};

/// Reads a shim from the start of `bytes`; more may follow.
[[nodiscard]] WireResult<ParsedShim> parse_shim(std::span<const std::byte> bytes);

/// Writes kShimBytes + shim.extension.bytes bytes to the start of `out`, which must hold them; `block` is the
/// extension.
void emit_shim(const SchemeShim& shim, std::span<const std::byte> block, std::span<std::byte> out);

}  // namespace weir
