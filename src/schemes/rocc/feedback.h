// SPDX-License-Identifier: Apache-2.0
// What a congestion point tells a source, and the frame that carries it.
#pragma once

#include <cstdint>
#include <optional>

#include "schemes/rocc/fair_rate.h"
#include "units/bit_rate.h"
#include "wire/frame_pool.h"

namespace weir::rocc {

/// Frame::protocol of a CNP; ICMP carries it. Part of the wire format.
inline constexpr std::uint8_t kProtocol = 130;
/// Length of a CNP in frame bytes, the same in each form: what an ICMP message with 40 bytes of the packet it is about
/// needs with all values of section 3.6.
inline constexpr std::uint16_t kFeedbackBytes = 128;

/// Where the rate is computed, and from what.
enum class Form : std::uint8_t {
  rate,        ///< in the switch: the CNP carries the fair rate
  all_values,  ///< at the host, from all values that the algorithm takes
  registry     ///< at the host, from Q_cur, Q_old and F; the port's rate says which values of its registry go with them
};

/// A CNP's content.
struct Feedback {
  Form form = Form::rate;
  std::uint32_t point = 0;  ///< the congestion point
  std::int64_t rate = 0;    ///< Form::rate: the fair rate in whole steps
  LoopState before;         ///< otherwise: F and Q_old before the update
  std::int64_t length = 0;  ///< and Q_cur, steps
  LoopSettings settings;    ///< Form::all_values: and the algorithm's
  BitRate port_rate;        ///< Form::registry: of the link behind the port
  bool operator==(const Feedback&) const = default;
};

/// Writes it into a frame of its own. False when the pool has no extension left.
[[nodiscard]] bool write(const Feedback& feedback, FramePool& pool, Frame& frame);
/// None when the frame makes no sense.
[[nodiscard]] std::optional<Feedback> read(const FramePool& pool, const Frame& frame);

}  // namespace weir::rocc
