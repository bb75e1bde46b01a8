// SPDX-License-Identifier: Apache-2.0
#include "wire/frame_pool.h"

#include <sys/mman.h>

#include <cassert>
#include <cstring>
#include <new>

namespace weir {
namespace {

void* reserve(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Frames are accessed in time order, which is random in memory: large pages avoid page table walks. Systems without
  // large pages use small ones.
  madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

}  // namespace

FramePool::FramePool(std::size_t frames, std::size_t long_extensions) : capacity_(frames) {
  frames_ = static_cast<Frame*>(reserve(frames * sizeof(Frame)));
  short_ = {.memory = static_cast<std::byte*>(reserve(frames * kShortExtension)),
            .block_bytes = kShortExtension,
            .capacity = frames};
  long_ = {.memory = static_cast<std::byte*>(reserve(long_extensions * kLongExtension)),
           .block_bytes = kLongExtension,
           .capacity = long_extensions};
}

FramePool::~FramePool() {
  munmap(frames_, capacity_ * sizeof(Frame));
  munmap(short_.memory, capacity_ * kShortExtension);
  munmap(long_.memory, long_.capacity * kLongExtension);
}

std::uint32_t FramePool::Blocks::allocate() {
  if (free != ~std::uint32_t{0}) {
    const std::uint32_t block = free;
    std::memcpy(&free, at(block), sizeof free);
    return block;
  }
  return touched < capacity ? touched++ : ~std::uint32_t{0};
}

void FramePool::Blocks::release(std::uint32_t block) {
  std::memcpy(at(block), &free, sizeof free);
  free = block;
}

std::span<std::byte> FramePool::extend(Frame& frame, std::size_t bytes) {
  if (frame.extension.exists()) return extension(frame);
  assert(bytes <= kLongExtension);
  const bool is_long = bytes > kShortExtension;
  Blocks& blocks = is_long ? long_ : short_;
  const std::uint32_t block = blocks.allocate();
  if (block == ~std::uint32_t{0}) {
    ++refused_;
    return {};
  }
  std::memset(blocks.at(block), 0, blocks.block_bytes);
  frame.extension = ExtensionId(is_long ? block | kLongBit : block);
  return {blocks.at(block), blocks.block_bytes};
}

std::span<std::byte> FramePool::extension(const Frame& frame) const {
  if (!frame.extension.exists()) return {};
  const Blocks& blocks = (frame.extension.value & kLongBit) != 0 ? long_ : short_;
  return {blocks.at(frame.extension.value & ~kLongBit), blocks.block_bytes};
}

void FramePool::copy_extension(const Frame& from, Frame& to) {
  const std::span<const std::byte> source = extension(from);
  if (source.empty()) return;
  const std::span<std::byte> target = extend(to, source.size());
  if (!target.empty()) std::memcpy(target.data(), source.data(), source.size());
}

void FramePool::list_released() {
  constexpr std::size_t kExtensionOfNoFrame = 0x7fff'ffff;  // no class has that many blocks
  plain_ = ExtensionId(kExtensionOfNoFrame);
  lists_released_ = true;
  released_.reserve(capacity_);
}

void FramePool::release_extension(Frame& frame) {
  Blocks& blocks = (frame.extension.value & kLongBit) != 0 ? long_ : short_;
  blocks.release(frame.extension.value & ~kLongBit);
  frame.extension = ExtensionId::none();
}

void FramePool::release_aside(FrameId id) {
  Frame& frame = frames_[id.value];
  if (frame.extension.exists()) release_extension(frame);
  if (lists_released_) released_.push_back(id);
}

}  // namespace weir
