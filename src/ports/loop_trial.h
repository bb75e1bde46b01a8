// SPDX-License-Identifier: Apache-2.0
// How late the loop of a switch may be, found out before it starts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "ports/packet.h"
#include "ports/packet_switch.h"
#include "units/ids.h"
#include "units/time.h"

namespace weir {

/// A port for a trial. What its device receives is dropped. Instead it receives given frames, in turn, in bursts as
/// long as its caller takes, while the pool has packets. What is sent to it is dropped, so that nobody else sees it.
class TrialPort final : public PacketPort {
 public:
  /// The device and the pool outlive it. Without frames it receives nothing.
  TrialPort(PacketPort& device, PacketPool& packets, std::vector<std::vector<std::byte>> frames)
      : device_(device), packets_(packets), frames_(std::move(frames)) {}

  std::size_t receive(std::span<Packet> out) override;
  std::size_t send(std::span<const Packet> packets) override;

 private:
  PacketPort& device_;
  PacketPool& packets_;
  std::vector<std::vector<std::byte>> frames_;
  std::size_t next_ = 0;
};

/// RoCEv2 packets without payload, the shortest that there are: to each of the hosts, at most 64, from the next one.
std::vector<std::vector<std::byte>> shortest_frames(std::size_t hosts, Priority priority);

/// Polls a switch for `length`, under the greatest load that its loop can have: each poll receives a full burst of
/// `frames` from each port, and sends them. Returns the longest time between two polls.
///
/// `node` is a switch like the one to run, without packets in it. `devices` has one element per port; what they receive
/// is dropped. `clock` never decreases.
Duration longest_gap(PacketSwitch& node, std::span<PacketPort* const> devices, PacketPool& packets,
                     const std::vector<std::vector<std::byte>>& frames, Duration length,
                     const std::function<Time()>& clock);

}  // namespace weir
