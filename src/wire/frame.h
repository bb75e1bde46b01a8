// SPDX-License-Identifier: Apache-2.0
// A frame as seen by the switch and the NIC: the parsed header, and the meta data of the node that holds it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "units/ids.h"
#include "units/time.h"

namespace weir {

/// The kind of a frame, by which nodes handle it.
enum class FrameKind : std::uint8_t {
  data,          ///< RoCEv2 payload
  ack,           ///< RoCEv2 acknowledge: `sequence` is the next packet expected
  nack,          ///< RoCEv2 negative acknowledge (PSN sequence error): `sequence` is the packet expected
  cnp,           ///< RoCEv2 congestion notification packet
  pfc,           ///< 802.1Qbb priority-based flow control; ends at the neighbour
  hop_control,   ///< a scheme's control frame to the neighbour, identified by `protocol`
  host_control,  ///< a scheme's control frame to a host, routed like data, identified by `protocol`
  marker,        ///< not a frame: an order marker in a queue (QueueContext::insert_marker)
  datagram,  ///< a frame handed in from outside, whose bytes the driver keeps: no sequence number, no acknowledgement
};

/// The ECN field of the IP header (RFC 3168).
enum class Ecn : std::uint8_t { not_capable = 0, capable = 2, congestion_experienced = 3 };

/// Identifies a separate block of header bytes; see FramePool.
using ExtensionId = Id<struct ExtensionTag, std::uint32_t>;

/// One cache line. The first 40 bytes represent what crosses a link; the last 24, the meta data, are zeroed when a node
/// receives the frame and never cross a link.
struct alignas(64) Frame {
  FrameId next;                 ///< the frame behind this one in its queue
  std::uint16_t frame_bytes;    ///< from destination address to FCS: counted by buffers
  std::uint16_t payload_bytes;  ///< data: bytes of the message it carries

  FrameKind kind;
  Priority priority;
  std::uint8_t flags;     ///< see the accessors
  std::uint8_t protocol;  ///< control frames: the scheme's protocol number (SchemeTraits::protocol)

  HostId source;
  HostId destination;
  QueuePairId queue_pair;   ///< the destination's queue pair (BTH DestQP)
  std::uint32_t sequence;   ///< packet sequence number; the wire carries the low 24 bits
  std::uint16_t entropy;    ///< UDP source port, by which ECMP distinguishes flows of one host pair
  std::uint16_t tag;        ///< header bytes of the one scheme that claims them (BFC's upstreamQ)
  std::uint32_t tag_value;  ///< further such bytes (remaining size, a hop's sequence number)
  ExtensionId extension;    ///< rare or long header bytes (INT, time stamps, credits), or none

  Time arrival;    ///< arrival time of the last bit; on a link: the future one
  PortId ingress;  ///< none for frames made in this node
  PortId egress;
  std::uint16_t charged_bytes;  ///< bytes charged to the buffer, even if INT lengthens the frame later
  Priority ingress_priority;
  std::uint64_t own;  ///< for the scheme that claims it; on a link for the driver

  [[nodiscard]] Ecn ecn() const { return static_cast<Ecn>(flags & kEcnMask); }
  void set_ecn(Ecn ecn) { flags = static_cast<std::uint8_t>((flags & ~kEcnMask) | static_cast<unsigned>(ecn)); }

  /// An acknowledgement of a frame that had encountered congestion (the public simulators' and DCTCP's echo). See also
  /// returned().
  [[nodiscard]] bool echoes_congestion() const { return (flags & kEcho) != 0; }
  void set_echoes_congestion(bool on) { set(kEcho, on); }
  /// The last packet of a message (BTH opcode SEND Last or Only).
  [[nodiscard]] bool ends_message() const { return (flags & kEndsMessage) != 0; }
  void set_ends_message(bool on) { set(kEndsMessage, on); }
  /// The sender requests an acknowledgement (BTH A bit).
  [[nodiscard]] bool wants_ack() const { return (flags & kWantsAck) != 0; }
  void set_wants_ack(bool on) { set(kWantsAck, on); }
  /// Bits were damaged on the link: the receiver's FCS check discards the frame.
  [[nodiscard]] bool corrupt() const { return (flags & kCorrupt) != 0; }
  void set_corrupt(bool on) { set(kCorrupt, on); }
  /// Sent before: counted separately; switches must not read it.
  [[nodiscard]] bool retransmitted() const { return (flags & kRetransmitted) != 0; }
  void set_retransmitted(bool on) { set(kRetransmitted, on); }
  /// A control frame of which its scheme sends more than links may carry: switches drop the excess on purpose, and each
  /// loss is a signal. For counters only; not on the wire of real links.
  [[nodiscard]] bool expendable() const { return is_control() && (flags & kExpendable) != 0; }
  void set_expendable() { flags |= kExpendable; }

  /// A data frame of which a switch has kept only the headers: it carries no payload.
  [[nodiscard]] bool trimmed() const { return (flags & kTrimmed) != 0; }
  void set_trimmed(bool on) { set(kTrimmed, on); }
  /// A trimmed frame that is returned to its sender, because a switch had no space for it: source and destination are
  /// exchanged, and everything else is as written by the sender (`queue_pair` is still that of the receiver).
  [[nodiscard]] bool returned() const { return (flags & kReturned) == kReturned; }
  void set_returned() { flags |= kReturned; }

  /// An acknowledgement, a notification or a scheme's control frame.
  [[nodiscard]] bool is_control() const { return kind != FrameKind::data && kind != FrameKind::datagram; }
  /// Consumed by the neighbour instead of being forwarded.
  [[nodiscard]] bool is_hop_control() const { return kind == FrameKind::pfc || kind == FrameKind::hop_control; }

  /// Clears the node's meta data; called when a node receives the frame.
  void clear_meta(Time now, PortId port) {
    arrival = now;
    ingress = port;
    egress = PortId::none();
    charged_bytes = 0;
    ingress_priority = priority;
    own = 0;
  }

 private:
  static constexpr std::uint8_t kEcnMask = 0x03;
  static constexpr std::uint8_t kEcho = 0x04;
  static constexpr std::uint8_t kEndsMessage = 0x08;
  static constexpr std::uint8_t kWantsAck = 0x10;
  static constexpr std::uint8_t kCorrupt = 0x20;
  static constexpr std::uint8_t kRetransmitted = 0x40;
  static constexpr std::uint8_t kExpendable = kRetransmitted;  // of control frames
  static constexpr std::uint8_t kTrimmed = 0x80;
  static constexpr std::uint8_t kReturned = kTrimmed | kEcho;
  void set(std::uint8_t bit, bool on) { flags = static_cast<std::uint8_t>((flags & ~bit) | (on ? bit : 0)); }
};
static_assert(sizeof(Frame) == 64);
static_assert(std::is_trivially_copyable_v<Frame>);

}  // namespace weir
