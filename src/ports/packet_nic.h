// SPDX-License-Identifier: Apache-2.0
// A Nic between a host that sends packets and a fabric of packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "host/nic.h"
#include "ports/decode.h"
#include "ports/flow_slots.h"
#include "ports/modelled_wire.h"
#include "ports/neighbours.h"
#include "ports/packet.h"
#include "ports/packet_switch.h"
#include "ports/packet_table.h"

namespace weir {

/// What passed between a host and its NIC.
struct HostCounters {
  std::uint64_t received_frames = 0;  ///< from the host, with those refused
  std::uint64_t received_bytes = 0;   ///< of them, without FCS
  std::array<std::uint64_t, kWireErrors> refused{};
  std::uint64_t refused_modelled = 0;  ///< of protocols of the fabric: PFC, RoCEv2, control frames of schemes
  std::uint64_t queue_full = 0;        ///< refused by the queue of their flow
  std::uint64_t flows_closed = 0;      ///< to make room for others
  std::uint64_t delivered_frames = 0;  ///< to the host
  std::uint64_t delivered_bytes = 0;   ///< without FCS
  std::uint64_t not_delivered = 0;     ///< the host's device was full for too long

  [[nodiscard]] std::uint64_t refused_frames() const;
};

/// How packets of the host are queued.
struct ForeignTraffic {
  bool has_host = false;               ///< otherwise packets for it are refused
  std::int64_t queue_bytes = 100'000;  ///< of the queue of each flow, in frame bytes
  std::size_t flows = 1'024;           ///< at a time, in each direction
};

/// Puts bytes and frames together around a Nic.
///
/// *Packets of the host* go through datagram queue pairs, one per flow (ports/datagram_flow.h), which are opened by the
/// first packet. They wait there as the flow controls and the rate of the congestion control require, and leave as
/// they came. Protocols of the fabric are refused from the host. Packets that arrive for the host pass the notification
/// point of the congestion control and are delivered as they came.
///
/// *Messages of the NIC itself* are RoCEv2 packets, whose bytes are written and checked here.
class PacketNic {
 public:
  /// All arguments but the last two outlive it. `own`: MAC address of the fabric's port. Opens two queue pairs of each
  /// kind that are never used, because InfiniBand reserves the numbers 0 and 1; it must therefore be constructed before
  /// other queue pairs are opened.
  PacketNic(Nic& nic, FramePool& frames, PacketPool& packets, const Neighbours& neighbours, const MacAddress& own,
            const ForeignTraffic& foreign);

  /// Each takes the packets.
  void receive_from_fabric(Time now, std::span<const Packet> packets);
  void receive_from_host(Time now, std::span<const Packet> packets);

  /// The wire to the fabric is free: the packet to put on it, if one may be sent now. The caller owns it.
  std::optional<ModelledWire::Sent> transmit(Time now);
  /// The next packet for the host, if there is one. The caller owns it.
  std::optional<Packet> take_for_host();
  /// Counts a packet that the host's device did not take, and gives it back.
  void drop_for_host(const Packet& packet);
  /// Gives back the packets of frames that the NIC dropped. The other calls do so too.
  void give_back() { table_.give_back_released(); }

  [[nodiscard]] Nic& nic() { return nic_; }
  [[nodiscard]] const PortCounters& fabric_counters() const { return fabric_; }
  [[nodiscard]] const HostCounters& host_counters() const { return of_host_; }
  [[nodiscard]] const PacketTable& table() const { return table_; }
  /// Open flows of packets from the host, and to it.
  [[nodiscard]] std::size_t flows_out() const { return sending_.size(); }
  [[nodiscard]] std::size_t flows_in() const { return receiving_.size(); }

 private:
  void refuse(PortCounters& counters, const Packet& packet, WireError why);
  /// Sets what a frame lacks on the wire; the reason why the NIC must not have it, if there is one.
  std::optional<WireError> complete(Time now, Frame& frame);
  std::optional<WireError> complete_datagram(Time now, Frame& frame);
  QueuePairId sender_of(Time now, const Frame& frame);
  QueuePairId receiver_of(Time now, const Frame& frame);
  WireResult<Packet> encode(FrameId id);

  Nic& nic_;
  FramePool& frames_;
  PacketPool& packets_;
  const Neighbours& neighbours_;
  MacAddress own_;
  HostId host_;
  ForeignTraffic foreign_;
  FlowSlots sending_;
  FlowSlots receiving_;
  PortCounters fabric_;
  HostCounters of_host_;
  PacketTable table_;
};

}  // namespace weir
