// SPDX-License-Identifier: Apache-2.0
// Polls a switch between real ports whose links it models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ports/packet_switch.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// One port of the loop: the device behind it, and the link that it stands for.
struct LoopPort {
  PacketPort* device = nullptr;
  BitRate rate;
  Duration delay;  ///< added to every frame sent, after its last bit
};

/// What the loop itself observed.
struct LoopCounters {
  std::uint64_t polls = 0;
  std::uint64_t gaps = 0;  ///< polls that came more than PortLoop::kGap after the one before: preemption
  Duration longest_gap;
  std::uint64_t device_full = 0;  ///< polls in which a device took fewer packets than were due; they are retried
};

/// Drives a PacketSwitch. A frame that the switch sends occupies the modelled wire of its port for its length at the
/// link's rate, and is handed to the device when its last bit would arrive at the other end. The switch is asked for
/// the next frame when the wire is free, and for kAhead frames more, because a loop cannot look exactly then. While the
/// switch has frames, the wire has no gaps, however late the loop comes, up to kCatchUp.
///
/// The loop reads no clock: poll() is told the time.
class PortLoop {
 public:
  static constexpr std::size_t kBurst = 32;  ///< packets received or sent in one call of a device
  static constexpr std::size_t kAhead = 1;   ///< frames beyond the one on the wire, which can no longer be paused
  static constexpr Duration kGap = Duration::picoseconds(100'000'000);
  static constexpr Duration kCatchUp = Duration::picoseconds(100'000'000'000);

  /// One element of `ports` for each port of the switch. `wire_overhead`: bytes per frame on the wire beside the frame.
  PortLoop(PacketSwitch& node, PacketPool& packets, const std::vector<LoopPort>& ports, std::uint32_t wire_overhead);
  /// Gives back the packets on the modelled wires.
  ~PortLoop();
  PortLoop(const PortLoop&) = delete;
  PortLoop& operator=(const PortLoop&) = delete;

  /// Receives a burst from each port, runs timers, and sends. `now` never decreases.
  void poll(Time now);
  /// Packets on the modelled wires.
  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] const LoopCounters& counters() const { return counters_; }

 private:
  struct InFlight {
    Packet packet;
    Time begin;  // of the first bit
    Time due;    // the last bit arrives
  };
  /// The packets that one port has sent and its device has not taken yet: a ring in the order of sending.
  struct Wire {
    PacketPort* device = nullptr;
    SerialisationTime serialisation;
    Duration delay;
    Time free_at;
    bool backlogged = false;  // the switch had more when the wire was last filled
    std::vector<InFlight> ring;
    std::size_t head = 0;
    std::size_t size = 0;
    [[nodiscard]] InFlight& at(std::size_t i) { return ring[(head + i) % ring.size()]; }
  };

  void note_poll(Time now);
  void receive(Time now, std::size_t port);
  void fill(Time now, std::size_t port);
  void send_due(Time now, Wire& wire);

  PacketSwitch& node_;
  PacketPool& packets_;
  std::vector<Wire> wires_;
  std::uint32_t overhead_;
  std::size_t first_ =
      0;  // port that is polled first; each in turn, so that none always wins the last bytes of a buffer
  Time last_poll_;
  LoopCounters counters_;
};

}  // namespace weir
