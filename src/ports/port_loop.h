// SPDX-License-Identifier: Apache-2.0
// Polls a switch between real ports whose links it models.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
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

/// The state of a port's link, and what its failures cost.
struct LinkState {
  bool up = true;
  std::uint64_t failures = 0;
  std::uint64_t lost_sent = 0;      ///< packets on the modelled wire when the link failed or was restored
  std::uint64_t lost_received = 0;  ///< packets that the device delivered while the link was down
};

/// Asks devices for their links at fixed intervals, because an answer may take a system call.
class LinkClock {
 public:
  static constexpr Duration kInterval = Duration::picoseconds(10'000'000'000);

  bool is_due(Time now) {
    if (now < next_) return false;
    next_ = now + kInterval;
    return true;
  }

 private:
  Time next_;
};

/// Drives a PacketSwitch. The frames of each port leave at the rate of its modelled link (ports/modelled_wire.h).
///
/// A port whose device reports its link as down does what it does in the simulator: it drops its queues, forgets the
/// pauses of its neighbour, and is not used until the link is up again (Switch::link).
///
/// The loop reads no clock: poll() is told the time.
class PortLoop {
 public:
  static constexpr std::size_t kBurst = 32;  ///< packets received in one call of a device

  /// One element of `ports` for each port of the switch. `wire_overhead`: bytes per frame on the wire beside the frame.
  /// `links_changed` is called after links have failed or were restored. The switch, the pool and the devices outlive
  /// it.
  PortLoop(PacketSwitch& node, PacketPool& packets, const std::vector<LoopPort>& ports, std::uint32_t wire_overhead,
           std::function<void()> links_changed = {});

  /// Receives a burst from each port, runs timers, and sends. `now` never decreases.
  void poll(Time now);
  /// Packets on the modelled wires.
  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] const LoopCounters& counters() const { return counters_; }
  [[nodiscard]] const LinkState& link(std::size_t port) const { return links_[port]; }

 private:
  void check_links(Time now);
  void receive(Time now, std::size_t port);

  PacketSwitch& node_;
  PacketPool& packets_;
  std::vector<PacketPort*> devices_;
  std::vector<std::unique_ptr<ModelledWire>> wires_;
  std::vector<LinkState> links_;
  LinkClock link_clock_;
  std::function<void()> links_changed_;
  // Port that is polled first; each in turn, so that none always wins the last bytes of a buffer.
  std::size_t first_ = 0;
  std::array<Packet, kBurst> burst_;
  LoopCounters counters_;
};

}  // namespace weir
