// SPDX-License-Identifier: Apache-2.0
// The wires: frames in flight on each direction of each link.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fabric/fabric.h"

namespace weir {

/// The simulation state of one direction of a link. Delivers after a constant delay and in order, so only its first
/// frame in flight needs an event. One cache line.
struct alignas(64) Channel {
  FrameId head;  ///< first in flight
  FrameId tail;  ///< last in flight, if there is a first
  Time free_at;  ///< the sender's wire is busy until then
  SerialisationTime serialisation;
  Duration delay;
  std::uint64_t digest = 0x9e3779b97f4a7c15u;
  std::uint32_t from_node = 0;
  std::uint32_t to_node = 0;
  std::uint32_t arrival_number = 0;  ///< among the arrivals of the receiving node
  PortId from_port;
  PortId to_port;
  bool up = true;
  bool waits = false;                              ///< for its wire: something may be sent at free_at
  std::uint8_t special = 0;                        ///< special handling of its frames; the bits below
  static constexpr std::uint8_t kCounted = 1;      ///< by kind, except data
  static constexpr std::uint8_t kDataCounted = 8;  ///< data
  static constexpr std::uint8_t kDamaging = 2;     ///< some may be damaged
  static constexpr std::uint8_t kTapped = 4;
};
static_assert(sizeof(Channel) == 64);

/// Stores the arrival time of the frame behind `in_flight` in `in_flight`, which is in the cache when the next arrival
/// is scheduled. Otherwise the next frame would have to be fetched from memory first, the most expensive access of a
/// hop.
inline void note_next_arrival(Frame& in_flight, Time arrival) {
  in_flight.own = static_cast<std::uint64_t>(arrival.picoseconds());
}
[[nodiscard]] inline Time next_arrival(const Frame& in_flight) {
  return Time::picoseconds(static_cast<std::int64_t>(in_flight.own));
}

/// Adds a delivered frame to a channel's digest: its arrival time and every header byte.
inline void add_to_digest(std::uint64_t& digest, const Frame& frame) {
  // The header: everything between `next` and the extension's number.
  static_assert(offsetof(Frame, frame_bytes) == 4 && offsetof(Frame, extension) == 36);
  const auto word = [&frame](std::size_t n) {
    std::uint64_t value = 0;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&frame) + offsetof(Frame, frame_bytes) + 8 * n, 8);
    return value;
  };
  const auto time = static_cast<std::uint64_t>(frame.arrival.picoseconds());
  std::uint64_t x = digest ^ time;
  x = (x ^ word(0)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ word(1) ^ std::rotl(word(2), 17)) * 0x94d049bb133111ebu;
  x ^= word(3);
  digest = (x ^ (x >> 29)) * 0xd6e8feb86659fd93u;
}

}  // namespace weir
