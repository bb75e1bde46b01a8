// SPDX-License-Identifier: Apache-2.0
// The part of a Frame that crosses a link, to find out later what a switch has changed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "units/hot_path.h"
#include "wire/frame.h"

namespace weir {

/// A copy of the fields of a Frame from `frame_bytes` to `extension`, all that cross a link: five numbers, each of
/// which contains the fields in the order of their places, the first in the lowest bits. Packed, so that it fits beside
/// a Packet into a cache line.
class [[gnu::packed]] FrameHeader {
 public:
  FrameHeader() {}  // NOLINT(modernize-use-equals-default): not zeroed, for it is always written first
  // Number by number, because compilers copy an object of this length by a string instruction, which takes longer.
  WEIR_HOT_INLINE FrameHeader(const FrameHeader& other) { *this = other; }
  WEIR_HOT_INLINE FrameHeader& operator=(const FrameHeader& other) {
    lengths_ = other.lengths_;
    kind_and_source_ = other.kind_and_source_;
    destination_ = other.destination_;
    sequence_and_tag_ = other.sequence_and_tag_;
    value_ = other.value_;
    return *this;
  }
  ~FrameHeader() = default;
  // Field by field: to copy a frame in larger pieces than it was just written in, a processor has to wait.
  WEIR_HOT_INLINE explicit FrameHeader(const Frame& frame)
      : lengths_(frame.frame_bytes | std::uint32_t{frame.payload_bytes} << 16),
        kind_and_source_(static_cast<std::uint64_t>(frame.kind) | std::uint64_t{frame.priority} << 8 |
                         std::uint64_t{frame.flags} << 16 | std::uint64_t{frame.protocol} << 24 |
                         std::uint64_t{frame.source.value} << 32),
        destination_(frame.destination.value | std::uint64_t{frame.queue_pair.value} << 32),
        sequence_and_tag_(frame.sequence | std::uint64_t{frame.entropy} << 32 | std::uint64_t{frame.tag} << 48),
        value_(frame.tag_value | std::uint64_t{frame.extension.value} << 32) {
    static_assert(std::endian::native == std::endian::little);
  }
  /// A frame with these fields; the others are empty.
  [[nodiscard]] Frame frame() const {
    Frame out{};
    write_to(out);
    return out;
  }
  WEIR_HOT_INLINE void write_to(Frame& frame) const {
    std::byte* const first = reinterpret_cast<std::byte*>(&frame) + kAt;
    std::memcpy(first, this, sizeof lengths_);
    store(first + 4, kind_and_source_);
    store(first + 12, destination_);
    store(first + 20, sequence_and_tag_);
    store(first + 28, value_);
  }
  /// The same for a frame that a node receives next, and whose bytes may have any value: it is in no queue. Its meta
  /// data are set by the node (Frame::clear_meta).
  WEIR_HOT_INLINE void write_received(Frame& frame) const {
    frame.next = FrameId::none();
    write_to(frame);
  }
  friend bool operator==(const FrameHeader& a, const FrameHeader& b) {
    return a.difference(reinterpret_cast<const std::byte*>(&b), kAll, kAll, kAll) == 0;
  }
  /// Whether a frame has these fields.
  [[nodiscard]] WEIR_HOT_INLINE bool is_of(const Frame& frame) const {
    return difference(reinterpret_cast<const std::byte*>(&frame) + kAt, kAll, kAll, kAll) == 0;
  }
  /// Whether a frame has these fields, apart from `protocol`, `tag` and `tag_value`.
  [[nodiscard]] WEIR_HOT_INLINE bool is_of_but_for_scheme(const Frame& frame) const {
    constexpr std::uint64_t kProtocol = std::uint64_t{0xff} << 24;
    constexpr std::uint64_t kTag = std::uint64_t{0xffff} << 48;
    constexpr std::uint64_t kTagValue = 0xffff'ffff;
    return difference(reinterpret_cast<const std::byte*>(&frame) + kAt, ~kProtocol, ~kTag, ~kTagValue) == 0;
  }

 private:
  static constexpr std::size_t kAt = offsetof(Frame, frame_bytes);
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};

  WEIR_HOT_INLINE static void store(std::byte* where, std::uint64_t number) {
    std::memcpy(where, &number, sizeof number);
  }
  template <class Number>
  WEIR_HOT_INLINE static Number load(const std::byte* where) {
    Number number;
    std::memcpy(&number, where, sizeof number);
    return number;
  }
  // Zero if there is none in these bits. Without branches, because nearly all pairs that are compared are equal.
  [[nodiscard]] WEIR_HOT_INLINE std::uint64_t difference(const std::byte* other, std::uint64_t of_kind,
                                                         std::uint64_t of_tag, std::uint64_t of_value) const {
    return (lengths_ ^ load<std::uint32_t>(other)) | (destination_ ^ load<std::uint64_t>(other + 12)) |
           ((kind_and_source_ ^ load<std::uint64_t>(other + 4)) & of_kind) |
           ((sequence_and_tag_ ^ load<std::uint64_t>(other + 20)) & of_tag) |
           ((value_ ^ load<std::uint64_t>(other + 28)) & of_value);
  }

  std::uint32_t lengths_;
  std::uint64_t kind_and_source_;
  std::uint64_t destination_;
  std::uint64_t sequence_and_tag_;
  std::uint64_t value_;
};
static_assert(sizeof(FrameHeader) == offsetof(Frame, arrival) - offsetof(Frame, frame_bytes));

}  // namespace weir
