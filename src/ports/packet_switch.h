// SPDX-License-Identifier: Apache-2.0
// A Switch that receives and sends packets instead of frames.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "ports/decode.h"
#include "ports/modelled_wire.h"
#include "ports/neighbours.h"
#include "ports/packet.h"
#include "ports/packet_table.h"
#include "switch/switch.h"
#include "switch/transmit.h"
#include "units/hot_path.h"
#include "wire/envelope.h"

namespace weir {

/// Number of WireErrors.
inline constexpr std::size_t kWireErrors = static_cast<std::size_t>(WireError::not_representable) + 1;

/// What one port received and sent.
struct PortCounters {
  std::uint64_t received_frames = 0;  ///< all, with those refused
  std::uint64_t received_bytes = 0;   ///< of them, without FCS
  std::uint64_t received_pauses = 0;  ///< PFC frames
  std::uint64_t received_opaque = 0;
  std::array<std::uint64_t, kWireErrors> refused{};  ///< received and dropped, by reason
  /// Control frames received and dropped because this port does not accept them, by reason.
  std::array<std::uint64_t, kControlVerdicts> disobeyed{};
  std::uint64_t narrowed_pauses = 0;  ///< PFC frames from which priorities were removed that this port may not pause
  std::uint64_t sent_frames = 0;
  std::uint64_t sent_bytes = 0;    ///< without FCS
  std::uint64_t sent_pauses = 0;   ///< PFC frames
  std::uint64_t sent_rebuilt = 0;  ///< forwarded frames whose headers were written anew, or a scheme's header replaced
  /// Frames of schemes that were dropped because the neighbour does not speak them: control frames, trimmed data.
  std::uint64_t withheld = 0;
  /// Frames to send that were dropped: no packet was free, or they do not fit into one.
  std::array<std::uint64_t, kWireErrors> not_sent{};

  /// Frames received and dropped, for all reasons.
  [[nodiscard]] std::uint64_t refused_frames() const;
  [[nodiscard]] std::uint64_t frames_not_sent() const;
};

/// What is exchanged with the neighbour of one port, in addition to what the policies of the switch say
/// (Switch::judge). The default accepts all.
struct PortRules {
  /// By Frame::protocol: control frames to hosts that are forwarded.
  std::bitset<256> to_hosts = std::bitset<256>().set();
  /// Priorities for which its PFC frames are obeyed. Others are removed from a frame.
  std::bitset<kPriorities> pausable = std::bitset<kPriorities>().set();
  /// The neighbour knows the headers and control frames of schemes. If it does not, a scheme's header is removed from
  /// frames to it and refused in frames from it, control frames of schemes are neither sent to it nor accepted, and
  /// trimmed frames are dropped, because they would look complete. PFC is no matter of this.
  bool speaks_schemes = true;
};

/// How the packets of one port are addressed.
struct PortAddresses {
  MacAddress own;  ///< source of frames that are made here, and of IPv4 packets to `next_hop`
  /// Destination of all IPv4 packets that leave through this port; none: their addresses stay as they are.
  std::optional<MacAddress> next_hop;
};

/// Puts bytes and frames together around a Switch. A received packet becomes a frame (ports/decode.h), and the packet,
/// its time to live lowered, waits in a PacketTable. When the switch sends that frame, the packet is patched in place:
/// ECN, priority, addresses, a scheme's header. Its headers are written anew if the switch changed anything else; its
/// ICRC stays what its host wrote. Frames that the switch made are written into new packets.
class PacketSwitch {
 public:
  /// One element of `ports` for each port. All arguments but the last outlive it.
  PacketSwitch(Switch& node, FramePool& frames, PacketPool& packets, const Neighbours& neighbours,
               std::vector<PortAddresses> ports);

  void set_rules(PortId port, const PortRules& rules) { ports_[port.index()].rules = rules; }

  /// A port received these packets; takes them.
  void receive(Time now, PortId port, std::span<const Packet> packets);

  /// The wire of a port is free: the packet to put on it, if one may be sent now. The caller owns it.
  std::optional<ModelledWire::Sent> transmit(Time now, PortId port) {
    ModelledWire::Sent out;
    out.frame_bytes = transmit(now, port, out.packet);
    return out.frame_bytes == 0 ? std::nullopt : std::optional(out);
  }
  /// The same; returns the bytes of the frame (ModelledWire::Sent::frame_bytes), or zero if no packet may be sent now.
  WEIR_HOT_INLINE std::uint16_t transmit(Time now, PortId port, Packet& out);

  [[nodiscard]] const PortCounters& counters(PortId port) const { return ports_[port.index()].counters; }
  [[nodiscard]] const PacketTable& table() const { return table_; }
  /// Gives back the packets of frames that the switch dropped. receive() and transmit() do so too.
  void give_back() { table_.give_back_released(); }
  [[nodiscard]] Switch& node() { return node_; }

 private:
  struct Port {
    PortRules rules = {};
    PortAddresses addresses = {};
    PortCounters counters = {};
  };
  /// Receives at most kBurst packets; returns their bytes.
  std::uint64_t receive_burst(Time now, PortId port, std::span<const Packet> packets);
  void refuse(PortCounters& counters, const Packet& packet, WireError why);
  FrameId admit_other(PortId port, const Packet& packet);
  /// Also removes what the port may not pause from a PFC frame.
  ControlVerdict judge(PortId port, Frame& frame);
  std::uint16_t transmit_with_shim(PortId port, FrameId id, Packet& out);
  std::uint16_t transmit_other(PortId port, FrameId id, Packet& out);
  WireResult<Packet> encode_made(PortId port, const Frame& frame);
  WireResult<Packet> encode_changed(PortId port, FrameId id);
  /// Gives the packet the scheme's header of the frame.
  WireResult<Packet> reshim(const Frame& frame, Packet packet, std::size_t extension_bytes);
  WireResult<Packet> rebuild(PortId port, const Frame& frame, const Packet& packet);
  WireResult<Packet> write(const Frame& frame, const Envelope& envelope, std::span<const std::byte> payload);
  void patch(PortId port, const Frame& frame, const Frame& received, std::span<std::byte> bytes);
  void address(PortId port, std::span<std::byte> bytes);

  static constexpr std::size_t kBurst = 32;  // frames that the switch takes together

  Switch& node_;
  FramePool& frames_;
  PacketPool& packets_;
  const Neighbours& neighbours_;
  std::vector<Port> ports_;
  PacketTable table_;
  FramePool scratch_{1};
};

inline std::uint16_t PacketSwitch::transmit(Time now, PortId port, Packet& out) {
  while (true) {
    const FrameId id = node_.transmit_inline(now, port);
    if (!id.exists()) {
      table_.give_back_released();
      return 0;
    }
    Port& at = ports_[port.index()];
    const Frame& frame = frames_[id];
    const PacketBody& body = table_.body(id);
    std::uint16_t frame_bytes = frame.frame_bytes;
    const bool may_stay = body.packet.exists() && at.rules.speaks_schemes && !frame.extension.exists();
    if (may_stay && body.received.is_of(frame)) [[likely]] {
      table_.take_first(id, out);
      if (at.addresses.next_hop) address(port, out.span());
      frames_.release_bare(id);
    } else {
      const bool has_plain_shim = may_stay && body.form == PacketForm::plain &&
                                  (frame.protocol != 0 || frame.tag != 0 || frame.tag_value != 0) &&
                                  body.received.is_of_but_for_scheme(frame);
      frame_bytes = has_plain_shim ? transmit_with_shim(port, id, out) : transmit_other(port, id, out);
      if (frame_bytes == 0) continue;
      frames_.release_unlisted(id);  // the table has no packet of it any more
    }
    ++at.counters.sent_frames;
    at.counters.sent_bytes += out.length;
    return frame_bytes;
  }
}

}  // namespace weir
