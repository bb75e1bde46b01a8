// SPDX-License-Identifier: Apache-2.0
// The message from a congestion point to a source, and the frame that carries it.
#pragma once

#include <cstdint>
#include <optional>

#include "schemes/rocc/fair_rate.h"
#include "units/bit_rate.h"
#include "wire/frame_pool.h"

namespace weir::rocc {

/// Frame::protocol of a CNP, which ICMP carries. Part of the wire format.
inline constexpr std::uint8_t kProtocol = 130;
/// Length of a CNP in frame bytes, the same in each form: that of an ICMP message with 40 bytes of the packet concerned
/// and all values of section 3.6.
inline constexpr std::uint16_t kFeedbackBytes = 128;

/// Where the rate is computed, and from which values.
enum class Form : std::uint8_t {
  rate,        ///< in the switch: the CNP carries the fair rate
  all_values,  ///< at the host, from all inputs of the algorithm
  registry     ///< at the host, from Q_cur, Q_old and F; the port's rate selects the other values in its registry
};

/// A CNP's content.
struct Feedback {
  Form form = Form::rate;
  std::uint32_t point = 0;  ///< the congestion point
  std::int64_t rate = 0;    ///< Form::rate: the fair rate in whole steps
  LoopState before;         ///< otherwise: F and Q_old before the update
  std::int64_t length = 0;  ///< and Q_cur, steps
  LoopSettings settings;    ///< Form::all_values: and the algorithm's
  BitRate port_rate;        ///< Form::registry: that of the port's link
  bool operator==(const Feedback&) const = default;
};

/// Writes the message into a frame of its own. False if the pool has no extension left.
[[nodiscard]] bool write(const Feedback& feedback, FramePool& pool, Frame& frame);
/// None if the frame is not valid.
[[nodiscard]] std::optional<Feedback> read(const FramePool& pool, const Frame& frame);

}  // namespace weir::rocc
