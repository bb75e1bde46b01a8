// SPDX-License-Identifier: Apache-2.0
// Polls a NIC between its fabric and its host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "ports/packet_nic.h"
#include "ports/port_loop.h"
#include "units/bit_rate.h"
#include "units/time.h"

namespace weir {

/// The devices of a NIC, and the link to its switch.
struct NicPorts {
  PacketPort* fabric = nullptr;
  PacketPort* host = nullptr;  ///< none: the NIC has no host, and sends only messages of its own
  BitRate rate;
  Duration delay;  ///< added to every frame sent to the fabric, after its last bit
};

/// Drives a PacketNic. Frames to the fabric leave at the rate of the modelled link (ports/modelled_wire.h); packets for
/// the host are delivered as fast as its device takes them. If it takes none while kHostQueue packets wait, further
/// ones are dropped and counted. While the device towards the fabric reports its link as down, the NIC sends nothing,
/// and what arrives is dropped (Nic::link).
///
/// The loop reads no clock: poll() is told the time.
class NicLoop {
 public:
  static constexpr std::size_t kBurst = 32;         ///< packets received in one call of a device
  static constexpr std::size_t kHostQueue = 1'024;  ///< packets

  /// `wire_overhead`: bytes per frame on the wire beside the frame. `settle` is called when the NIC has completions, to
  /// handle and clear them.
  NicLoop(PacketNic& node, PacketPool& packets, const NicPorts& ports, std::uint32_t wire_overhead,
          std::function<void(Nic&)> settle = {});
  /// Gives back the packets that it holds.
  ~NicLoop();
  NicLoop(const NicLoop&) = delete;
  NicLoop& operator=(const NicLoop&) = delete;

  /// Receives a burst from each side, runs timers, and sends. `now` never decreases.
  void poll(Time now);
  /// Packets on the modelled wire, and those that wait for the host's device.
  [[nodiscard]] std::size_t in_flight() const { return wire_.in_flight() + (for_host_.size() - first_for_host_); }
  /// `gaps` and `longest_gap` are those of this loop; `device_full` counts both devices.
  [[nodiscard]] const LoopCounters& counters() const { return counters_; }
  [[nodiscard]] const LinkState& link() const { return link_; }

 private:
  void check_link(Time now);
  void receive_from_fabric(Time now);
  void deliver();

  PacketNic& node_;
  PacketPool& packets_;
  PacketPort* fabric_;
  PacketPort* host_;
  ModelledWire wire_;
  LinkState link_;
  LinkClock link_clock_;
  std::function<void(Nic&)> settle_;
  std::vector<Packet> for_host_;  // those from first_for_host_ on wait
  std::size_t first_for_host_ = 0;
  LoopCounters counters_;
};

}  // namespace weir
