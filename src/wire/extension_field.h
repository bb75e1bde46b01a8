// SPDX-License-Identifier: Apache-2.0
// How a frame's extension block crosses a link: as many bytes as say something, behind a 16-bit field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "wire/frame_pool.h"

namespace weir {

/// The field: bit 15 says that the frame has an extension, bit 14 that its block is a long one
/// (FramePool::kLongExtension), bits 0 to 13 how many of the block's first bytes follow, a multiple of four. The bytes
/// that do not follow are zero, as they are in a block that FramePool hands out.
struct ExtensionField {
  bool present = false;
  bool is_long = false;
  std::uint16_t bytes = 0;
  bool operator==(const ExtensionField&) const = default;

  [[nodiscard]] std::uint16_t encode() const;
  /// None when the field contradicts itself: bytes without a block, more than it holds, or no multiple of four.
  [[nodiscard]] static std::optional<ExtensionField> decode(std::uint16_t field);
};

/// The field for a frame whose extension is `block` (empty: it has none): up to the last byte that is not zero, and no
/// fewer than `minimum` bytes where the block has them.
[[nodiscard]] ExtensionField describe_extension(std::span<const std::byte> block, std::size_t minimum);

/// Gives `frame`, which has no extension, what `field` describes, with `content` at its start. False when the pool has
/// no block left.
[[nodiscard]] bool restore_extension(FramePool& pool, Frame& frame, const ExtensionField& field,
                                     std::span<const std::byte> content);

}  // namespace weir
