// SPDX-License-Identifier: Apache-2.0
// A mark on packets that a sender sends before the first feedback for their message, so that switches may treat them
// differently.
#pragma once

#include <cstdint>

#include "policy/header_fields.h"

namespace weir {

/// Two header bytes of data frames: 1 in frames of a message that leave before its sender has received feedback for it,
/// 0 in all others. Frames have no free flag for it; a scheme that reads it in a switch therefore lists it among its
/// fields (Scheme::fields). The network gives it one position, however many schemes list it. If at least one scheme
/// lists it, all NICs write it into the data frames of their connections; otherwise no NIC does. It crosses the wire
/// like any other field.
inline constexpr HeaderField kFirstRoundTrip = {.name = "first_round_trip",
                                                .bytes = 2,
                                                .kinds = FrameKinds(FrameKind::data),
                                                .reach = HeaderField::Reach::end_to_end};

/// The position of the mark, requested in attach().
class FirstRoundTrip {
 public:
  FirstRoundTrip() = default;
  explicit FirstRoundTrip(const HeaderLayout& layout) : field_(layout.place<std::uint16_t>(kFirstRoundTrip)) {}
  [[nodiscard]] bool marks(const Frame& frame) const {
    return frame.kind == FrameKind::data && field_.read(frame) != 0;
  }
  /// `frame` must be a data frame.
  void mark(Frame& frame, bool on) const { field_.write(frame, on ? 1 : 0); }

 private:
  InlineField<std::uint16_t> field_;
};

}  // namespace weir
