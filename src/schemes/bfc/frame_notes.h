// SPDX-License-Identifier: Apache-2.0
// BFC's notes on a frame while it is in a switch.
#pragma once

#include <cstdint>

namespace weir::bfc {

/// Stored in Frame::own; all zero for a frame that BFC does not manage. It is one word: GCC 12 would write separate
/// members to memory and read them back as a word, for which the processor waits.
class FrameNotes {
 public:
  FrameNotes() = default;
  explicit FrameNotes(std::uint64_t own) : bits_(own) {}
  [[nodiscard]] std::uint64_t packed() const { return bits_; }

  /// The place of the flow in the table.
  [[nodiscard]] std::uint32_t entry() const { return static_cast<std::uint32_t>(bits_); }
  void set_entry(std::uint32_t entry) { bits_ = (bits_ & ~kEntry) | entry; }
  /// Counted by the entry.
  [[nodiscard]] bool in_table() const { return (bits_ & kInTable) != 0; }
  void set_in_table(bool in_table) { bits_ = (bits_ & ~kInTable) | (in_table ? kInTable : 0); }
  /// Counted by the pause counter of its ingress and Frame::tag (the paper's counterIncr).
  [[nodiscard]] bool over() const { return (bits_ & kOver) != 0; }
  /// Of the ingress link, when the frame was counted as over; 24 bits.
  [[nodiscard]] std::uint32_t epoch() const { return static_cast<std::uint32_t>(bits_ >> kEpochAt) & 0xff'ffffu; }
  void set_over(std::uint32_t epoch) { bits_ |= kOver | std::uint64_t{epoch} << kEpochAt; }

 private:
  static constexpr unsigned kEpochAt = 32;
  static constexpr std::uint64_t kEntry = 0xffff'ffff;
  static constexpr std::uint64_t kInTable = std::uint64_t{1} << 56;
  static constexpr std::uint64_t kOver = std::uint64_t{1} << 57;
  std::uint64_t bits_ = 0;
};

}  // namespace weir::bfc
