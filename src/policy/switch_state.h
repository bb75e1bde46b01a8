// SPDX-License-Identifier: Apache-2.0
// What a switch keeps of its queues, ports and buffer. The switch changes it; policies read it.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "units/bit_rate.h"
#include "units/bytes.h"
#include "units/ids.h"
#include "units/time.h"
#include "wire/frame.h"

namespace weir {

/// Who may close a gate: one bit a flow control, in the order they are stacked.
using GateOwner = std::uint8_t;
inline constexpr int kGateOwners = 8;

/// How frames get out of a queue.
enum class Service : std::uint8_t {
  scheduled,  ///< by the port's scheduler, onto the wire
  at_rate,    ///< by the stage's clock, at the port's rate, into the queue that on_leave names
  released,   ///< when the flow control says release(), into the queue that on_leave names
};

/// How the queues of one level of a port share what the levels above leave.
enum class Discipline : std::uint8_t {
  /// By bytes, each queue's quantum its weight (Shreedhar and Varghese 1995). A queue that becomes active goes behind
  /// the others with a whole quantum. One that is alone is not charged: its share is counted from when another comes.
  deficit_round_robin,
  round_robin,  ///< by frames
  rank,         ///< the queue whose head frame has the lowest FlowControl::rank
  /// By frames, each queue as many in a row as its weight says; otherwise as deficit_round_robin.
  weighted_round_robin,
};

/// The strict levels of a port's scheduler: two for each level that a priority may have (0 goes first), the second for
/// the queues that go behind all others of it (QueueSpec::behind).
inline constexpr int kLevels = 2 * kPriorities;

/// A queue: a list of frames, gates, and its place in the scheduler. One cache line.
struct alignas(64) QueueState {
  FrameId head;
  FrameId tail;              ///< when there is a head
  std::uint32_t frames = 0;  ///< order marks not counted
  std::uint32_t marks = 0;   ///< order marks among them
  std::int64_t bytes = 0;    ///< charged bytes
  std::uint64_t rank = 0;    ///< of the head frame (Discipline::rank)
  std::int64_t deficit = 0;  ///< bytes it may still send this round
  QueueId next_active;       ///< ring of active queues of its level or stage
  QueueId previous_active;
  std::uint32_t quantum = 0;  ///< bytes a round
  PortId port;                ///< none: switch scope
  Priority priority = 0;
  std::uint8_t stage = 0;  ///< 0: scheduled; n: n stages before it
  Service service = Service::scheduled;
  std::uint8_t closed_by = 0;  ///< one bit a GateOwner
  std::uint8_t level = 0;      ///< of its port's scheduler, below kLevels
  bool barred = false;  ///< from any ring: a gate before it is closed, its service is `released`, or it lacks tokens
  bool active = false;  ///< non-empty and not barred, and so in the ring
  bool ideal = false;   ///< a data queue no hardware has: not counted against a port's queues
  bool shaped = false;  ///< it has a rate of its own (QueueSpec::rate)
  bool lacks_tokens = false;  ///< for its head frame

  [[nodiscard]] bool empty() const { return !head.exists(); }
};
static_assert(sizeof(QueueState) == 64);

/// The flow controls between neighbours that a node takes part in. The other end of a link knows them from
/// configuration, as DCBX (IEEE 802.1Qaz) tells them: they do not change while the network runs.
struct HopProtocols {
  bool pfc = false;               ///< IEEE 802.1Qbb
  std::bitset<256> numbers = {};  ///< of control frames (Frame::protocol)

  /// Every one there can be.
  static HopProtocols all() { return {true, std::bitset<256>().set()}; }
  static HopProtocols none() { return {false, {}}; }
  [[nodiscard]] bool has(std::uint8_t protocol) const { return numbers[protocol]; }
  bool operator==(const HopProtocols&) const = default;
};

/// A number that a node announces with a protocol of its own, as DCBX does with PFC's (how many priorities it can
/// pause). Its meaning is the scheme's (Scheme::announces).
struct Announcement {
  std::uint8_t protocol = 0;
  std::uint32_t value = 0;
};

/// What is on the other end of a port's link.
struct Peer {
  NodeId node;
  PortId port;
  HostId host;         ///< none: the peer is a switch
  SwitchId neighbour;  ///< none: the peer is a host
  /// What it says and heeds. A switch pauses nobody by a protocol that is not among them, and takes no header bytes of
  /// such a protocol from it.
  HopProtocols protocols = HopProtocols::all();
  std::vector<Announcement> announced{};
  bool above = false;  ///< it is of a higher tier than the node at this end
  [[nodiscard]] bool is_host() const { return host.exists(); }
  /// What it announces with this protocol; zero: nothing.
  [[nodiscard]] std::uint32_t announces(std::uint8_t protocol) const {
    for (const Announcement& announcement : announced) {
      if (announcement.protocol == protocol) return announcement.value;
    }
    return 0;
  }
};

/// Whether frames that come from the one and leave to the other turn from a link downwards to one upwards. No way in a
/// network of tiers needs that but a detour (up*/down* routing forbids it), and what waits there can come to wait for
/// itself.
inline bool is_down_up_turn(const Peer& from, const Peer& to) {
  return from.above && to.above;
}

/// A port as configured, and its counters. Bytes are frame bytes. What the way of every frame touches comes first.
struct alignas(64) PortState {
  bool up = true;
  bool kicked = false;              ///< the driver will be told that it may transmit here
  std::uint16_t ready_levels = 0;   ///< bit n: level n has an active queue
  std::uint32_t active_queues = 0;  ///< scheduled queues that are non-empty and open
  FrameId control_head;             ///< control frames, ahead of all queues, never gated
  FrameId control_tail;
  std::int64_t queued_bytes = 0;      ///< in all queues of the port, every stage
  Time wire_free_at = Time::never();  ///< as the driver says (Switch::occupy)
  std::uint64_t frames_received = 0;
  std::uint64_t frames_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t bytes_sent = 0;
  std::array<QueueId, kLevels> levels;  ///< of a level's active queues, which are a ring, the one whose turn it is
  BitRate rate;
  Duration delay;  ///< of the link, one way
  SerialisationTime serialisation;
  Peer peer;
  std::uint64_t drops = 0;
  std::int64_t uncharged_bytes = 0;  ///< of frames with no Frame::ingress, what their reserve holds (control_reserve)

  /// Whether transmit() would give a frame once the wire is free.
  [[nodiscard]] bool has_ready() const { return ready_levels != 0 || control_head.exists(); }
};

/// What the buffer counts for one ingress port and priority.
struct alignas(64) IngressState {
  std::int64_t used = 0;      ///< bytes held, all parts together
  std::int64_t shared = 0;    ///< of them in the service pool
  std::int64_t headroom = 0;  ///< of them in headroom
  std::int64_t reserve_size = 0;
  std::int64_t headroom_size = 0;
  double xoff_share = 0;       ///< a linear xoff (BufferPolicy::linear_xoff): this share of the free pool,
  std::int64_t xoff_base = 0;  ///< and so many bytes
  bool paused = false;         ///< the neighbour has been told to pause (note_pause)
};
static_assert(sizeof(IngressState) == 64);

/// A threshold that rises with what is free in the service pool: `base` bytes and `share` of the free ones.
struct LinearThreshold {
  std::int64_t base = 0;
  double share = 0;
};

/// Whether a lossless ingress must pause its neighbour: it uses headroom, or its shared bytes have come to `xoff`. One
/// within its reserve need not, however little is free.
inline bool is_crowded(const IngressState& ingress, std::int64_t xoff) {
  return ingress.headroom > 0 || (ingress.shared > 0 && ingress.shared >= xoff);
}

/// One priority at one egress port, over all its queues.
struct EgressState {
  std::int64_t bytes = 0;      ///< charged bytes
  std::int32_t pooled = 0;     ///< of frames with no Frame::ingress, what the service pool holds
  std::uint8_t closed_by = 0;  ///< one bit a GateOwner: its scheduled queues send nothing
};
static_assert(sizeof(EgressState) == 16);

/// A service pool: the shared part of the buffer for the priorities that map to it.
struct PoolState {
  std::int64_t size = 0;
  std::int64_t used = 0;  ///< by frames that came in: what thresholds look at
  std::int64_t made = 0;  ///< by frames that the switch made, which are no ingress's; they take room beside `used`

  [[nodiscard]] bool has_room(std::int64_t bytes) const { return used + made + bytes <= size; }
};

/// The shared memory of a switch.
struct BufferState {
  std::int64_t size = 0;
  std::int64_t used = 0;     ///< reserve, shared and headroom together, and PoolState::made
  std::int64_t maximum = 0;  ///< the most that was ever used
  /// Memory beside `size`, for each egress port, for control frames that the buffer has no room for and for those that
  /// the switch makes: they are taken in as long as PortState::uncharged_bytes stays within it.
  std::int64_t control_reserve = 0;
  std::array<PoolState, kPriorities> pools;
  std::array<std::uint8_t, kPriorities> pool_of_priority{};
  std::array<bool, kPriorities> lossless{};
};

/// Why a frame was dropped. A control frame that was dropped for want of buffer found no room in its reserve either.
/// Those that the switch made itself are dropped for the same reasons.
enum class DropReason : std::uint8_t {
  no_route,          ///< no next hop towards the destination
  buffer_full,       ///< a lossless frame found no room in headroom, or a lossy one none in the pool
  egress_threshold,  ///< a lossy frame found its queue above the threshold
  policy,            ///< the buffer policy refused it, or the flow control that classifies
  corrupt,           ///< damaged on the link
  link_down,         ///< queued for, or on, a link that failed
  no_frame,          ///< the frame pool was exhausted
  watchdog,          ///< the pause watchdog drops what waits behind a gate that was closed for too long
};
inline constexpr int kDropReasons = 8;

}  // namespace weir
