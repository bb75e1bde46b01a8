// SPDX-License-Identifier: Apache-2.0
#include "wire/mailbox.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weir {

Mailbox::Mailbox(std::size_t frames)
    : mask_(std::bit_ceil(std::max<std::size_t>(frames, 1)) - 1),
      letters_(std::make_unique<Letter[]>(mask_ + 1)),
      extensions_(std::make_unique_for_overwrite<std::byte[]>((mask_ + 1) * FramePool::kLongExtension)) {}

bool Mailbox::put(const FramePool& frames, const Frame& frame, std::uint32_t channel) {
  const std::size_t tail = tail_.load(std::memory_order_relaxed);
  if (tail - head_.load(std::memory_order_acquire) > mask_) return false;
  Letter& letter = letters_[tail & mask_];
  letter.frame = frame;
  letter.channel = channel;
  const std::span<const std::byte> extension = frames.extension(frame);
  letter.extension_bytes = static_cast<std::uint32_t>(extension.size());
  if (!extension.empty()) std::memcpy(extension_at(tail & mask_), extension.data(), extension.size());
  tail_.store(tail + 1, std::memory_order_release);
  return true;
}

FrameId Mailbox::make(FramePool& frames, std::size_t place) const {
  const FrameId id = frames.allocate();
  if (!id.exists()) return id;
  const std::size_t at = slot(place);
  const Letter& letter = letters_[at];
  Frame& frame = frames[id];
  frame = letter.frame;
  frame.next = FrameId::none();
  frame.extension = ExtensionId::none();
  if (letter.extension_bytes > 0) {
    const std::span<std::byte> extension = frames.extend(frame, letter.extension_bytes);
    if (!extension.empty()) std::memcpy(extension.data(), extension_at(at), letter.extension_bytes);
  }
  return id;
}

}  // namespace weir
