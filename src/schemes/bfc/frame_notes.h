// SPDX-License-Identifier: Apache-2.0
// BFC's notes on a frame while it is in a switch.
#pragma once

#include <cstdint>

namespace weir::bfc {

/// Stored in Frame::own; all zero for a frame that BFC does not manage.
struct FrameNotes {
  std::uint32_t entry = 0;  ///< of the flow table
  std::uint32_t epoch = 0;  ///< of the ingress link; 24 bits
  bool in_table = false;    ///< counted by the entry
  bool over = false;        ///< counted by the pause counter of its ingress and Frame::tag (the paper's counterIncr)

  [[nodiscard]] std::uint64_t packed() const {
    return entry | std::uint64_t{epoch} << 32 | std::uint64_t{in_table} << 56 | std::uint64_t{over} << 57;
  }
  static FrameNotes of(std::uint64_t own) {
    return {static_cast<std::uint32_t>(own), static_cast<std::uint32_t>(own >> 32) & 0xff'ffffu, (own >> 56 & 1u) != 0,
            (own >> 57 & 1u) != 0};
  }
};

}  // namespace weir::bfc
