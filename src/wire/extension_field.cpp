// SPDX-License-Identifier: Apache-2.0
#include "wire/extension_field.h"

#include <algorithm>

namespace weir {
namespace {

constexpr std::uint32_t kPresent = 0x8000;
constexpr std::uint32_t kLong = 0x4000;
constexpr std::uint32_t kBytesMask = 0x3fff;
constexpr std::size_t kWord = 4;

std::size_t block_bytes(bool is_long) {
  return is_long ? FramePool::kLongExtension : FramePool::kShortExtension;
}

std::size_t in_whole_words(std::size_t bytes) {
  return (bytes + kWord - 1) / kWord * kWord;
}

}  // namespace

std::uint16_t ExtensionField::encode() const {
  return static_cast<std::uint16_t>((present ? kPresent : 0u) | (is_long ? kLong : 0u) | bytes);
}

std::optional<ExtensionField> ExtensionField::decode(std::uint16_t field) {
  const ExtensionField decoded{(field & kPresent) != 0, (field & kLong) != 0,
                               static_cast<std::uint16_t>(field & kBytesMask)};
  if (!decoded.present && (decoded.is_long || decoded.bytes != 0)) return std::nullopt;
  if (decoded.bytes > block_bytes(decoded.is_long) || decoded.bytes % kWord != 0) return std::nullopt;
  return decoded;
}

ExtensionField describe_extension(std::span<const std::byte> block, std::size_t minimum) {
  if (block.empty()) return {};
  std::size_t bytes = block.size();
  while (bytes > 0 && block[bytes - 1] == std::byte{0}) --bytes;
  bytes = std::min(in_whole_words(std::max(bytes, minimum)), block.size());
  return {true, block.size() > FramePool::kShortExtension, static_cast<std::uint16_t>(bytes)};
}

bool restore_extension(FramePool& pool, Frame& frame, const ExtensionField& field, std::span<const std::byte> content) {
  if (!field.present) return true;
  const std::span<std::byte> block = pool.extend(frame, block_bytes(field.is_long));
  if (block.empty()) return false;
  std::copy(content.begin(), content.end(), block.begin());
  return true;
}

}  // namespace weir
