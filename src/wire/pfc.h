// SPDX-License-Identifier: Apache-2.0
// Priority-based flow control frames (IEEE 802.1Qbb) in a Frame: the paused priorities, and the durations.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "units/bit_rate.h"
#include "units/ids.h"
#include "units/time.h"
#include "wire/frame.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir {

/// The content of one PFC frame. Bit p of `enabled` set: priority p shall pause for quanta[p] times 512 bit times from
/// the frame's receipt, in place of any present pause; zero quanta resume it. Bit clear: the frame does not affect
/// priority p, and quanta[p] is meaningless, though it crosses the wire (IEEE 802.1Qbb, clause 36.1.3.3).
struct PfcQuanta {
  std::uint8_t enabled = 0;
  std::array<std::uint16_t, kPriorities> quanta{};

  /// Adds a pause of `priority` (0..7) for `pause_quanta`; zero resumes it.
  constexpr void set(Priority priority, std::uint16_t pause_quanta) {
    enabled = static_cast<std::uint8_t>(enabled | (1u << priority));
    quanta[priority] = pause_quanta;
  }
  /// Whether the frame affects `priority` (0..7).
  [[nodiscard]] constexpr bool names(Priority priority) const { return ((enabled >> priority) & 1u) != 0; }

  bool operator==(const PfcQuanta&) const = default;
};

/// The longest pause that one frame can request.
inline constexpr std::uint16_t kMaximumPauseQuanta = 0xffff;

/// Duration of `quanta` on a link of `rate` (above zero): 512 bit times each, rounded up to a picosecond.
constexpr Duration pause_of(std::uint16_t quanta, BitRate rate) {
  constexpr std::int64_t kQuantumBytes = 512 / 8;
  return time_to_send(Bytes(quanta * kQuantumBytes), rate);
}

/// Writes `pfc` to a frame of kind pfc: the class-enable vector to `tag`, the quanta to its extension, which is added
/// if it has none. False if no extension is left; the frame is then unchanged.
[[nodiscard]] inline bool write_pfc(FramePool& pool, Frame& frame, const PfcQuanta& pfc) {
  const std::span<std::byte> block = pool.extend(frame, sizeof pfc.quanta);
  if (block.empty()) return false;
  frame.tag = pfc.enabled;
  std::memcpy(block.data(), pfc.quanta.data(), sizeof pfc.quanta);
  return true;
}

/// A PFC frame of `framing.pfc` bytes with content `pfc`, without source and destination host; none() if the pool is
/// empty.
[[nodiscard]] inline FrameId make_pfc(FramePool& pool, const PfcQuanta& pfc, const Framing& framing) {
  const FrameId id = pool.allocate();
  if (!id.exists()) return id;
  Frame& frame = pool[id];
  frame.kind = FrameKind::pfc;
  frame.frame_bytes = framing.pfc;
  if (!write_pfc(pool, frame, pfc)) {
    pool.release(id);
    return FrameId::none();
  }
  return id;
}

/// The content of a frame of kind pfc. A frame without an extension affects no priority.
[[nodiscard]] inline PfcQuanta read_pfc(const FramePool& pool, const Frame& frame) {
  PfcQuanta pfc;
  const std::span<const std::byte> block = pool.extension(frame);
  if (block.size() < sizeof pfc.quanta) return pfc;
  pfc.enabled = static_cast<std::uint8_t>(frame.tag);
  std::memcpy(pfc.quanta.data(), block.data(), sizeof pfc.quanta);
  return pfc;
}

}  // namespace weir
