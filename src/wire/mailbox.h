// SPDX-License-Identifier: Apache-2.0
// Frames in transfer from one partition of a network to another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "wire/frame_pool.h"

namespace weir {

/// A queue of copies of frames, with one producer and one consumer, possibly in two threads. A frame is copied with its
/// extension, because pools are not shared. Nothing is allocated after construction; memory of extensions is touched
/// when first used.
class Mailbox {
 public:
  /// Capacity of `frames` frames, rounded up to a power of two.
  explicit Mailbox(std::size_t frames);

  /// A waiting frame, as its consumer sees it.
  struct Letter {
    Frame frame;                ///< as it was put, except Frame::extension, which is invalid here
    std::uint32_t channel = 0;  ///< its channel
    std::uint32_t extension_bytes = 0;
  };

  // ---- the producer ----
  /// Copies a frame of the producer's pool, which stays in that pool. False, without any effect, if the mailbox is
  /// full.
  [[nodiscard]] bool put(const FramePool& frames, const Frame& frame, std::uint32_t channel);

  // ---- the consumer ----
  /// The number of letters; more may arrive concurrently.
  [[nodiscard]] std::size_t size() const {
    return tail_.load(std::memory_order_acquire) - head_.load(std::memory_order_relaxed);
  }
  /// The letter at `place`, which is below size(); 0 is the oldest.
  [[nodiscard]] const Letter& letter(std::size_t place) const { return letters_[slot(place)]; }
  /// Makes that letter's frame in the consumer's pool; none() if the pool has no frame left. Its extension is missing
  /// if the pool has none left.
  [[nodiscard]] FrameId make(FramePool& frames, std::size_t place) const;
  /// Removes this number of the oldest letters.
  void pop(std::size_t letters) { head_.fetch_add(letters, std::memory_order_release); }

 private:
  [[nodiscard]] std::size_t slot(std::size_t place) const {
    return (head_.load(std::memory_order_relaxed) + place) & mask_;
  }
  [[nodiscard]] std::byte* extension_at(std::size_t slot) const {
    return extensions_.get() + slot * FramePool::kLongExtension;
  }

  std::size_t mask_;
  std::unique_ptr<Letter[]> letters_;
  std::unique_ptr<std::byte[]> extensions_;
  alignas(64) std::atomic<std::size_t> head_{0};  // written by the consumer
  alignas(64) std::atomic<std::size_t> tail_{0};  // written by the producer
};

}  // namespace weir
