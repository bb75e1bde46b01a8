// SPDX-License-Identifier: Apache-2.0
// Memory for frames: a fixed array indexed by number, so that queues and links are lists of 32-bit indices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "units/hot_path.h"
#include "wire/frame.h"

namespace weir {

/// A pool of frames and of extension blocks. Its memory is reserved at construction and touched only when first used,
/// so a generous capacity costs only address space: 192 bytes per frame and 1,536 per long extension. Not thread-safe:
/// one pool per partition.
class FramePool {
 public:
  static constexpr std::size_t kShortExtension = 128;   ///< bytes: INT of eight hops, a time stamp, PFC quanta
  static constexpr std::size_t kLongExtension = 1'536;  ///< bytes: a frame full of credits

  /// At most `frames` frames exist at once, with as many short extensions, and `long_extensions` long ones. Throws
  /// std::bad_alloc if the address space is insufficient.
  FramePool(std::size_t frames, std::size_t long_extensions);
  explicit FramePool(std::size_t frames) : FramePool(frames, frames) {}
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  Frame& operator[](FrameId id) { return frames_[id.value]; }
  const Frame& operator[](FrameId id) const { return frames_[id.value]; }
  [[nodiscard]] FrameId id_of(const Frame& frame) const { return FrameId(static_cast<std::size_t>(&frame - frames_)); }

  /// A frame with every header byte zero and no extension, or none() if all are in use.
  FrameId allocate() {
    const FrameId id = allocate_unset();
    if (id.exists()) frames_[id.value] = Frame{};
    return id;
  }
  /// The same for a caller that writes all of the frame: its bytes may have any value.
  WEIR_HOT_INLINE FrameId allocate_unset() {
    FrameId id = free_;
    if (id.exists()) {
      free_ = frames_[id.value].next;
    } else if (touched_ < capacity_) {
      id = FrameId(touched_++);
    } else {
      ++refused_;
      return FrameId::none();
    }
    ++in_use_;
    return id;
  }

  /// Returns the frame and its extension to the pool.
  void release(FrameId id) {
    Frame& frame = frames_[id.value];
    if (frame.extension != plain_) release_aside(id);
    frame.next = free_;
    free_ = id;
    --in_use_;
  }

  /// The same for a frame that take_released() need not report, because nothing is kept for it any more.
  void release_unlisted(FrameId id) {
    Frame& frame = frames_[id.value];
    if (frame.extension.exists()) release_extension(frame);
    release_bare(id);
  }
  /// The same for a frame without an extension.
  void release_bare(FrameId id) {
    frames_[id.value].next = free_;
    free_ = id;
    --in_use_;
  }

  /// From now on take_released() reports every frame that is released: for a driver that keeps something per frame,
  /// such as its bytes. Other pools do not pay for it.
  void list_released();
  /// Calls take(id) for each frame released since the last call, in the order of release. A frame may have been
  /// allocated again since, and is reported twice if it was released twice.
  template <class Take>
  void take_released(Take take) {
    for (const FrameId id : released_) take(id);
    released_.clear();
  }

  /// Gives the frame an extension of `bytes` zero bytes (at most kLongExtension), unless it has one already. Empty if
  /// none is left.
  std::span<std::byte> extend(Frame& frame, std::size_t bytes);
  /// The frame's extension; empty if it has none. Its length is that of the block, not the length requested.
  [[nodiscard]] std::span<std::byte> extension(const Frame& frame) const;
  /// Moves the extension of `from` to `to` (an acknowledgement that echoes INT or a time stamp). `to` must have none.
  static void move_extension(Frame& from, Frame& to) {
    to.extension = from.extension;
    from.extension = ExtensionId::none();
  }
  /// Gives `to` a copy of the extension of `from`, if there is one.
  void copy_extension(const Frame& from, Frame& to);

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }
  /// Number of requests for a frame or an extension while all were in use: a frame was then not sent, or was sent
  /// incomplete.
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  /// The maximum number of frames in use at once, rounded up to those ever touched.
  [[nodiscard]] std::size_t touched() const { return touched_; }

 private:
  // One class of extension blocks; the free ones are chained through their first four bytes.
  struct Blocks {
    std::byte* memory = nullptr;
    std::size_t block_bytes = 0;
    std::size_t capacity = 0;
    std::uint32_t touched = 0;
    std::uint32_t free = ~std::uint32_t{0};
    std::uint32_t allocate();
    void release(std::uint32_t block);
    std::byte* at(std::uint32_t block) const { return memory + block * block_bytes; }
  };
  static constexpr std::uint32_t kLongBit = 0x8000'0000;
  void release_extension(Frame& frame);
  /// What a released frame needs besides: its extension is released, and the frame is listed.
  void release_aside(FrameId id);

  Frame* frames_ = nullptr;
  std::size_t capacity_;
  std::size_t touched_ = 0;
  std::size_t in_use_ = 0;
  std::uint64_t refused_ = 0;
  FrameId free_;
  /// The extension of a frame whose release needs nothing besides: none, or one that no frame has if all are listed.
  ExtensionId plain_;
  bool lists_released_ = false;
  std::vector<FrameId> released_;
  Blocks short_;
  Blocks long_;

  friend class FrameTable;
};

/// The frames of a pool, by number. Held by value where every frame passes, so that access to a frame does not read the
/// pool object.
class FrameTable {
 public:
  explicit FrameTable(FramePool& pool) : frames_(pool.frames_) {}
  Frame& operator[](FrameId id) const { return frames_[id.value]; }
  /// Prefetches a frame that will be accessed soon.
  WEIR_HOT_INLINE void prefetch(FrameId id) const { weir::prefetch(&frames_[id.value]); }

 private:
  Frame* frames_;
};

}  // namespace weir
