// SPDX-License-Identifier: Apache-2.0
// Encoding of a frame's extension block on a link: a 16-bit field, followed by the used bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/frame_pool.h"

namespace weir {

/// The field: bit 15 is set if the frame has an extension, bit 14 if its block is a long one
/// (FramePool::kLongExtension), bits 0 to 13 give how many of the block's first bytes follow, a multiple of four. The
/// bytes that do not follow are zero, as they are in a block that FramePool allocates.
struct ExtensionField {
  bool present = false;
  bool is_long = false;
  std::uint16_t bytes = 0;
  bool operator==(const ExtensionField&) const = default;

  [[nodiscard]] std::uint16_t encode() const;
  /// None if the field is inconsistent: bytes without a block, more than it holds, or not a multiple of four.
  [[nodiscard]] static std::optional<ExtensionField> decode(std::uint16_t field);
};

/// The field for a frame whose extension is `block` (empty: it has none): up to the last non-zero byte, and at least
/// `minimum` bytes if the block has them.
[[nodiscard]] ExtensionField describe_extension(std::span<const std::byte> block, std::size_t minimum);

/// Gives `frame`, which has no extension, the extension described by `field`, with `content` at its start. False if the
/// pool has no block left.
[[nodiscard]] bool restore_extension(FramePool& pool, Frame& frame, const ExtensionField& field,
                                     std::span<const std::byte> content);

}  // namespace weir
