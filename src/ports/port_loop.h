// SPDX-License-Identifier: Apache-2.0
// Polls a switch between real ports whose links it models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ports/modelled_wire.h"
#include "ports/packet.h"
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

/// What a loop itself observed.
struct LoopCounters {
  static constexpr Duration kGap = Duration::picoseconds(100'000'000);

  std::uint64_t polls = 0;
  std::uint64_t gaps = 0;  ///< polls that came more than kGap after the one before: preemption
  Duration longest_gap;
  std::uint64_t device_full = 0;  ///< polls in which a device took fewer packets than were due; they are retried
  Time last_poll;

  void note_poll(Time now);
};

/// Drives a PacketSwitch. The frames of each port leave at the rate of its modelled link (ports/modelled_wire.h).
///
/// The loop reads no clock: poll() is told the time.
class PortLoop {
 public:
  static constexpr std::size_t kBurst = 32;  ///< packets received in one call of a device

  /// One element of `ports` for each port of the switch. `wire_overhead`: bytes per frame on the wire beside the frame.
  /// The switch, the pool and the devices outlive it.
  PortLoop(PacketSwitch& node, PacketPool& packets, const std::vector<LoopPort>& ports, std::uint32_t wire_overhead);

  /// Receives a burst from each port, runs timers, and sends. `now` never decreases.
  void poll(Time now);
  /// Packets on the modelled wires.
  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] const LoopCounters& counters() const { return counters_; }

 private:
  void receive(Time now, std::size_t port);

  PacketSwitch& node_;
  std::vector<PacketPort*> devices_;
  std::vector<std::unique_ptr<ModelledWire>> wires_;
  // Port that is polled first; each in turn, so that none always wins the last bytes of a buffer.
  std::size_t first_ = 0;
  LoopCounters counters_;
};

}  // namespace weir
