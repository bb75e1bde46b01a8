// SPDX-License-Identifier: Apache-2.0
// The state of a switch's queues, ports and buffer. Changed by the switch; read by policies.
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

/// Owner of a gate: one bit per flow control, in stacking order.
using GateOwner = std::uint8_t;
inline constexpr int kGateOwners = 8;

/// How frames leave a queue.
enum class Service : std::uint8_t {
  scheduled,  ///< by the port's scheduler, onto the wire
  at_rate,    ///< by the stage's timer, at the port's rate, into the queue that on_leave returns
  released,   ///< when the flow control calls release(), into the queue that on_leave returns
};

/// How the queues of one level of a port share the bandwidth that higher levels leave.
enum class Discipline : std::uint8_t {
  /// By bytes, with each queue's quantum given by its weight (Shreedhar and Varghese 1995). A queue that becomes active
  /// is placed behind the others with a full quantum. A queue that is alone is not charged: its share is counted from
  /// the time another one becomes active.
  deficit_round_robin,
  round_robin,  ///< by frames
  rank,         ///< the queue whose head frame has the lowest FlowControl::rank
  /// By frames, as many in a row per queue as its weight; otherwise as deficit_round_robin.
  weighted_round_robin,
};

/// The strict levels of a port's scheduler: two per level that a priority may have (0 is served first); the second is
/// for the queues behind all others of that level (QueueSpec::behind).
inline constexpr int kLevels = 2 * kPriorities;

/// A queue: a list of frames, gates, and its position in the scheduler. One cache line.
struct alignas(64) QueueState {
  FrameId head;
  FrameId tail;               ///< valid if there is a head
  std::uint32_t frames = 0;   ///< without order markers
  std::uint32_t markers = 0;  ///< order markers
  std::int64_t bytes = 0;     ///< charged bytes
  std::uint64_t rank = 0;     ///< of the head frame (Discipline::rank)
  std::int64_t deficit = 0;   ///< bytes that it may still send in this round
  QueueId next_active;        ///< ring of active queues of its level or stage
  QueueId previous_active;
  std::uint32_t quantum = 0;  ///< bytes per round
  PortId port;                ///< none: switch scope
  Priority priority = 0;
  std::uint8_t stage = 0;  ///< 0: scheduled; n: n stages precede the scheduler
  Service service = Service::scheduled;
  std::uint8_t closed_by = 0;  ///< one bit per GateOwner
  std::uint8_t level = 0;      ///< of its port's scheduler, below kLevels
  bool blocked = false;        ///< in no ring: a gate is closed, its service is `released`, or it lacks tokens
  bool active = false;         ///< non-empty and not blocked, and therefore in the ring
  bool ideal = false;          ///< a data queue that no hardware has: not counted against a port's queues
  bool shaped = false;         ///< it has its own rate (QueueSpec::rate)
  bool lacks_tokens = false;   ///< for its head frame

  [[nodiscard]] bool empty() const { return !head.exists(); }
};
static_assert(sizeof(QueueState) == 64);

/// The hop-by-hop protocols in which a node takes part. The other end of a link knows them from configuration, as DCBX
/// (IEEE 802.1Qaz) would report them: they do not change while the network runs.
struct HopProtocols {
  bool pfc = false;               ///< IEEE 802.1Qbb
  std::bitset<256> numbers = {};  ///< of control frames (Frame::protocol)

  /// All protocols.
  static HopProtocols all() { return {true, std::bitset<256>().set()}; }
  static HopProtocols none() { return {false, {}}; }
  [[nodiscard]] bool has(std::uint8_t protocol) const { return numbers[protocol]; }
  bool operator==(const HopProtocols&) const = default;
};

/// A number that a node announces with a scheme's protocol, as DCBX does with PFC's (the number of priorities it can
/// pause). Its meaning is defined by the scheme (Scheme::announces).
struct Announcement {
  std::uint8_t protocol = 0;
  std::uint32_t value = 0;
};

/// The other end of a port's link.
struct Peer {
  NodeId node;
  PortId port;
  HostId host;         ///< none: the peer is a switch
  SwitchId neighbour;  ///< none: the peer is a host
  /// The protocols that it sends and obeys. A switch sends it no pauses of other protocols, and reads no header bytes
  /// of other protocols in its frames.
  HopProtocols protocols = HopProtocols::all();
  std::vector<Announcement> announced{};
  bool above = false;   ///< it is of a higher tier than this node
  bool beside = false;  ///< it is of the same tier
  [[nodiscard]] bool is_host() const { return host.exists(); }
  /// The number that it announces with this protocol; zero: nothing.
  [[nodiscard]] std::uint32_t announces(std::uint8_t protocol) const {
    for (const Announcement& announcement : announced) {
      if (announcement.protocol == protocol) return announcement.value;
    }
    return 0;
  }
};

/// Whether frames from one neighbour to the other turn from a downward to an upward link. In a network of tiers only
/// detours need that (up*/down* routing forbids it), and frames that wait there can come to wait for themselves.
inline bool is_down_up_turn(const Peer& from, const Peer& to) {
  return from.above && to.above;
}

/// A port's configuration and counters. Bytes are frame bytes. What every frame touches comes first.
struct alignas(64) PortState {
  bool up = true;
  bool reported_ready = false;      ///< will be reported to the driver as ready to transmit
  std::uint16_t ready_levels = 0;   ///< bit n: level n has an active queue
  std::uint32_t active_queues = 0;  ///< scheduled queues that are non-empty and open
  FrameId control_head;             ///< control frames, ahead of all queues, never blocked by gates
  FrameId control_tail;
  std::int64_t queued_bytes = 0;      ///< in all queues of the port, every stage
  Time wire_free_at = Time::never();  ///< set by the driver (Switch::occupy)
  std::uint64_t frames_received = 0;
  std::uint64_t frames_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t bytes_sent = 0;
  std::array<QueueId, kLevels> levels;  ///< per level: the ring of its active queues, by the queue to be served next
  BitRate rate;
  Duration delay;  ///< of the link, one way
  SerialisationTime serialisation;
  Peer peer;
  std::uint64_t drops = 0;
  std::int64_t uncharged_bytes = 0;  ///< of frames with no Frame::ingress, the bytes in their reserve (control_reserve)

  /// Whether transmit() would return a frame once the wire is free.
  [[nodiscard]] bool has_ready() const { return ready_levels != 0 || control_head.exists(); }
};

/// The buffer's counts for one ingress port and priority.
struct alignas(64) IngressState {
  std::int64_t used = 0;      ///< bytes held, all parts together
  std::int64_t shared = 0;    ///< of these, in the service pool
  std::int64_t headroom = 0;  ///< of these, in headroom
  std::int64_t reserve_size = 0;
  std::int64_t headroom_size = 0;
  double xoff_share = 0;       ///< a linear xoff (BufferPolicy::linear_xoff): this share of the free pool,
  std::int64_t xoff_base = 0;  ///< and this number of bytes
  bool paused = false;         ///< the neighbour has been paused (note_pause)
};
static_assert(sizeof(IngressState) == 64);

/// A threshold that increases with the free part of the service pool: `base` bytes plus `share` of the free bytes.
struct LinearThreshold {
  std::int64_t base = 0;
  double share = 0;
};

/// Whether a lossless ingress must pause its neighbour: it uses headroom, or its shared bytes have reached `xoff`. An
/// ingress within its reserve need not, however little is free.
inline bool is_crowded(const IngressState& ingress, std::int64_t xoff) {
  return ingress.headroom > 0 || (ingress.shared > 0 && ingress.shared >= xoff);
}

/// One priority at one egress port, over all its queues.
struct EgressState {
  std::int64_t bytes = 0;      ///< charged bytes
  std::int32_t pooled = 0;     ///< of frames with no Frame::ingress, those in the service pool
  std::uint8_t closed_by = 0;  ///< one bit per GateOwner: its scheduled queues send nothing
};
static_assert(sizeof(EgressState) == 16);

/// A service pool: the shared part of the buffer for the priorities that map to it.
struct PoolState {
  std::int64_t size = 0;
  std::int64_t used = 0;  ///< by arriving frames: the input of thresholds
  std::int64_t made = 0;  ///< by frames that the switch made, which have no ingress; in addition to `used`

  [[nodiscard]] bool has_room(std::int64_t bytes) const { return used + made + bytes <= size; }
};

/// The shared memory of a switch.
struct BufferState {
  std::int64_t size = 0;
  std::int64_t used = 0;     ///< reserve, shared and headroom together, and PoolState::made
  std::int64_t maximum = 0;  ///< the maximum of `used`
  /// Memory per egress port, in addition to `size`, for control frames that the buffer refuses and for those that the
  /// switch makes: they are accepted as long as PortState::uncharged_bytes does not exceed it.
  std::int64_t control_reserve = 0;
  std::array<PoolState, kPriorities> pools;
  std::array<std::uint8_t, kPriorities> pool_of_priority{};
  std::array<bool, kPriorities> lossless{};
};

/// Why a frame was dropped. For control frames, lack of buffer means that the reserve was full as well. Control frames
/// made by the switch itself are dropped for the same reasons.
enum class DropReason : std::uint8_t {
  no_route,          ///< no next hop towards the destination
  buffer_full,       ///< no headroom left for a lossless frame, or no space in the pool for a lossy one
  egress_threshold,  ///< the queue of a lossy frame was above the threshold
  policy,            ///< refused by the buffer policy, or by the flow control that classifies
  corrupt,           ///< damaged on the link
  link_down,         ///< queued for, or on, a link that failed
  no_frame,          ///< the frame pool was exhausted
  watchdog,          ///< the pause watchdog drops what waits behind a gate that was closed for too long
};
inline constexpr int kDropReasons = 8;

}  // namespace weir
