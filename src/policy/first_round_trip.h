// SPDX-License-Identifier: Apache-2.0
// The mark of packets that a sender sends before it has heard of its flow, as a switch may treat them apart.
#pragma once

#include <cstdint>

#include "policy/header_fields.h"

namespace weir {

/// Two header bytes of data frames, 1 in those of a message that leave before its sender has heard of it and 0 in
/// others. No flag of a frame is free for it, so who reads it in a switch lists it among its fields (Scheme::fields);
/// the network gives it one place, however many list it. Where somebody lists it, all NICs write it into the data of
/// their connections; elsewhere nobody does. It crosses the wire as any field does.
inline constexpr HeaderField kFirstRoundTrip = {.name = "first_round_trip",
                                                .bytes = 2,
                                                .kinds = FrameKinds(FrameKind::data),
                                                .reach = HeaderField::Reach::end_to_end};

/// Where the mark is, asked in attach().
class FirstRoundTrip {
 public:
  FirstRoundTrip() = default;
  explicit FirstRoundTrip(const HeaderLayout& layout) : field_(layout.place<std::uint16_t>(kFirstRoundTrip)) {}
  [[nodiscard]] bool marks(const Frame& frame) const {
    return frame.kind == FrameKind::data && field_.read(frame) != 0;
  }
  /// `frame` is a data frame.
  void mark(Frame& frame, bool on) const { field_.write(frame, on ? 1 : 0); }

 private:
  InlineField<std::uint16_t> field_;
};

}  // namespace weir
