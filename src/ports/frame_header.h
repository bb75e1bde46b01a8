// SPDX-License-Identifier: Apache-2.0
// The part of a Frame that crosses a link, to find out later what a switch has changed.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "units/hot_path.h"
#include "wire/frame.h"

namespace weir {

/// A copy of the fields of a Frame from `frame_bytes` to `extension`, all that cross a link.
class FrameHeader {
 public:
  FrameHeader() {}  // NOLINT(modernize-use-equals-default): not zeroed, for it is always written first
  WEIR_HOT_INLINE FrameHeader(const FrameHeader& other) { *this = other; }
  // Word by word, because compilers copy an array of this length by a string instruction, which takes longer.
  WEIR_HOT_INLINE FrameHeader& operator=(const FrameHeader& other) {
    for_each_word([&](std::size_t i) __attribute__((always_inline)) { words_[i] = other.words_[i]; });
    return *this;
  }
  ~FrameHeader() = default;
  // Field by field: to copy a frame in larger pieces than it was just written in, a processor has to wait.
  WEIR_HOT_INLINE explicit FrameHeader(const Frame& frame) {
    static_assert(std::endian::native == std::endian::little);
    words_[0] = frame.frame_bytes | std::uint32_t{frame.payload_bytes} << 16;
    words_[1] = static_cast<std::uint32_t>(frame.kind) | std::uint32_t{frame.priority} << 8 |
                std::uint32_t{frame.flags} << 16 | std::uint32_t{frame.protocol} << 24;
    words_[2] = frame.source.value;
    words_[3] = frame.destination.value;
    words_[4] = frame.queue_pair.value;
    words_[5] = frame.sequence;
    words_[6] = frame.entropy | std::uint32_t{frame.tag} << 16;
    words_[7] = frame.tag_value;
    words_[8] = frame.extension.value;
  }
  /// A frame with these fields; the others are empty.
  [[nodiscard]] Frame frame() const {
    Frame out{};
    write_to(out);
    return out;
  }
  WEIR_HOT_INLINE void write_to(Frame& frame) const {
    std::byte* const first = reinterpret_cast<std::byte*>(&frame) + kAt;
    for_each_word([&](std::size_t i) __attribute__((always_inline)) {
      std::memcpy(first + i * sizeof(std::uint32_t), &words_[i], sizeof(std::uint32_t));
    });
  }
  /// Without branches, because nearly all pairs that are compared are equal.
  friend bool operator==(const FrameHeader& a, const FrameHeader& b) {
    return a.differs_from(reinterpret_cast<const std::byte*>(b.words_.data())) == 0;
  }
  /// Whether a frame has these fields.
  [[nodiscard]] bool is_of(const Frame& frame) const {
    return differs_from(reinterpret_cast<const std::byte*>(&frame) + kAt) == 0;
  }

 private:
  template <class Visit>
  WEIR_HOT_INLINE static void for_each_word(Visit visit) {
    [&]<std::size_t... kWord>(std::index_sequence<kWord...>) __attribute__((always_inline)) {
      (visit(kWord), ...);
    }
    (std::make_index_sequence<kWords>());
  }
  [[nodiscard]] std::uint64_t differs_from(const std::byte* other) const {
    std::array<std::uint64_t, kWords / 2> here;
    std::array<std::uint64_t, kWords / 2> there;
    std::uint32_t last;
    std::memcpy(here.data(), words_.data(), sizeof here);
    std::memcpy(there.data(), other, sizeof there);
    std::memcpy(&last, other + sizeof there, sizeof last);
    static_assert(kWords == 9);
    return (here[0] ^ there[0]) | (here[1] ^ there[1]) | (here[2] ^ there[2]) | (here[3] ^ there[3]) |
           (words_[8] ^ last);
  }
  static constexpr std::size_t kAt = offsetof(Frame, frame_bytes);
  static constexpr std::size_t kWords = 9;
  static_assert(kAt + kWords * sizeof(std::uint32_t) == offsetof(Frame, arrival));
  std::array<std::uint32_t, kWords> words_;
};

}  // namespace weir
