// SPDX-License-Identifier: Apache-2.0
// The interface of a switch for the policies that run on it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "policy/header_fields.h"
#include "policy/path_view.h"
#include "policy/switch_state.h"
#include "units/random.h"
#include "wire/frame_pool.h"
#include "wire/framing.h"

namespace weir {

class SwitchPolicy;

/// A queue that a classifier requests in attach().
struct QueueSpec {
  PortId port{};          ///< none: a queue of the whole switch (a VOQ); its service is `released`
  Priority priority = 0;  ///< its pauses close the queue; decides the level, unless that is given
  std::uint8_t stage = 0;
  Service service = Service::scheduled;
  std::uint32_t weight = 1;  ///< share in deficit round robin: frames of maximum size per round; above zero
  bool ideal = false;
  /// Strict level among those of priorities (SwitchContext::level), 0 (first) to 7; none: that of its priority.
  std::optional<std::uint8_t> level{};
  /// Serve it only if no other queue of its level can send.
  bool behind = false;
  /// Maximum rate, in bits per second on the wire, enforced by a token bucket of `burst` bytes; zero: limited by the
  /// scheduler only. The bucket counts a frame's bytes in the queue and Framing::wire_overhead. The head frame may
  /// leave when the bucket holds as many, or is full; until then the queue is not active. Only for a scheduled queue.
  BitRate rate{};
  std::int64_t burst = 0;   ///< bytes on the wire, 1 to 1,000,000
  bool starts_full = true;  ///< the bucket initially holds `burst` bytes; otherwise none
};

/// The switch as policies see it. Reading is inline; actions go through the switch core. References stay valid for the
/// lifetime of the switch, unless an ideal scheme requests queues. Not thread-safe: calls to one switch are serialised.
/// Every SwitchContext is a QueueContext, to which only the policy that classifies frames has access.
class SwitchContext {
 public:
  SwitchContext(const SwitchContext&) = delete;
  SwitchContext& operator=(const SwitchContext&) = delete;

  // ---- reading ----
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] SwitchId id() const { return id_; }
  /// Hosts of the network, numbered 0..hosts()-1: the size of tables indexed by destination.
  [[nodiscard]] std::size_t hosts() const { return hosts_; }
  [[nodiscard]] std::size_t ports() const { return ports_.size(); }
  [[nodiscard]] const PortState& port(PortId port) const { return ports_[port.index()]; }
  [[nodiscard]] std::size_t queues() const { return queues_.size(); }
  [[nodiscard]] const QueueState& queue(QueueId queue) const { return queues_[queue.index()]; }
  [[nodiscard]] const BufferState& buffer() const { return buffer_; }
  [[nodiscard]] const PoolState& pool_of(Priority priority) const {
    return buffer_.pools[buffer_.pool_of_priority[priority]];
  }
  [[nodiscard]] const IngressState& ingress(PortId port, Priority priority) const {
    return ingress_[port.index() * kPriorities + priority];
  }
  /// The queue for frames of this priority at this port if no flow control classifies them.
  [[nodiscard]] QueueId default_queue(PortId port, Priority priority) const {
    return QueueId(port.index() * kPriorities + priority);
  }
  /// Charged bytes at `port` of this priority, in all queues that end there.
  [[nodiscard]] std::int64_t egress_bytes(PortId port, Priority priority) const {
    return egress_[port.index() * kPriorities + priority].bytes;
  }
  /// Whether no flow control blocks this priority at this port. (A queue may have its own gates.)
  [[nodiscard]] bool priority_gate_open(PortId port, Priority priority) const {
    return egress_[port.index() * kPriorities + priority].closed_by == 0;
  }
  /// The frame at the head of a queue, or nullptr.
  [[nodiscard]] const Frame* peek(QueueId queue) const {
    const QueueState& state = queues_[queue.index()];
    return state.head.exists() ? &frames_[state.head] : nullptr;
  }
  [[nodiscard]] FramePool& frames() const { return frames_; }
  /// The configured strict level of a priority's queues, 0 (first) to 7.
  [[nodiscard]] std::uint8_t level(Priority priority) const { return level_of_priority_[priority]; }
  /// In a network of tiers: 1 for a switch with attached hosts, and one more per tier above; 0: no tier.
  [[nodiscard]] int tier() const { return tier_; }
  /// Positions of schemes' header fields in frames; to be requested in attach(). The same at every node of a network.
  [[nodiscard]] const HeaderLayout& headers() const { return *headers_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  /// The maximum frame size in bytes.
  [[nodiscard]] std::int64_t maximum_frame() const { return maximum_frame_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] const PathView* paths() const { return paths_; }
  /// Whether SwitchPolicy::statistics() will be read. A statistic that would cost something per frame is kept only
  /// then, and is zero otherwise; it may not change what is sent. Known in attach().
  [[nodiscard]] bool keeps_statistics() const { return keeps_statistics_; }
  /// Whether the network has chosen the turn from `ingress` to `egress` to break a cycle of ports waiting for each
  /// other: frames on it must not cause backpressure. It chooses turns at switches with a scheme that requests them
  /// (ExemptTurns::cycle_breaking).
  [[nodiscard]] bool breaks_cycle(PortId ingress, PortId egress) const {
    return !breaks_cycle_.empty() && breaks_cycle_[ingress.index() * ports_.size() + egress.index()];
  }
  /// Round trip to the neighbour: propagation both ways, and the serialisation of one frame of maximum size at each
  /// end.
  [[nodiscard]] Duration hop_round_trip(PortId port) const {
    const PortState& state = ports_[port.index()];
    return 2 * state.delay + 2 * time_to_send(Bytes(maximum_frame_ + framing_.wire_overhead), state.rate);
  }
  /// The length in bytes that a congestion point should signal for a frame in this queue: the queue's length, unless
  /// the flow control isolates the frame elsewhere (FlowControl::signalled_length).
  [[nodiscard]] std::int64_t signalled_length(QueueId queue, const Frame& frame) const {
    return isolates_ ? isolated_length(queue, frame) : queues_[queue.index()].bytes;
  }
  /// The same for a congestion point that writes the length into the frame, as telemetry (FlowControl::carried_length).
  [[nodiscard]] std::int64_t carried_length(QueueId queue, const Frame& frame) const {
    return isolates_ ? isolated_carried_length(queue, frame) : queues_[queue.index()].bytes;
  }
  /// The shared bytes at which this ingress must pause, and at or below which it may resume (BufferPolicy).
  [[nodiscard]] virtual std::int64_t xoff(PortId ingress, Priority priority) const = 0;
  [[nodiscard]] virtual std::int64_t xon(PortId ingress, Priority priority) const = 0;

  // ---- requests, in attach() only ----
  virtual TimerId new_timer(SwitchPolicy& policy) = 0;
  /// A switch with more than kGateOwners owners is rejected when it is assembled.
  virtual GateOwner new_gate_owner() = 0;

  // ---- actions ----
  /// Sends a control frame to the neighbour of `port`, ahead of every queue there. Takes the frame.
  virtual void send(PortId port, FrameId frame) = 0;
  /// Sends a frame to frame.destination by the normal routes and queues. It is charged to no ingress: it uses the
  /// control reserve of its egress port or, if that is full, the service pool, if the buffer policy admits it.
  /// Otherwise it is dropped and counted. Takes the frame.
  virtual void send_to_host(FrameId frame) = 0;
  /// Opens or closes a queue on behalf of `owner`. A queue sends only if all owners have opened it.
  virtual void set_gate(QueueId queue, GateOwner owner, bool open) = 0;
  /// Closes a queue until `until`; a later call replaces the time. Only one owner per queue may use this.
  virtual void close_gate_until(QueueId queue, GateOwner owner, Time until) = 0;
  /// The same for all queues of a priority at a port.
  virtual void set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) = 0;
  virtual void close_priority_gate_until(PortId port, Priority priority, GateOwner owner, Time until) = 0;
  virtual void arm(TimerId timer, Time deadline) = 0;
  virtual void cancel(TimerId timer) = 0;
  /// Requests one call of on_more at this instant, after the current hook has returned. At that call, frames sent so
  /// far are in their queues (or dropped, as any frame may be), and no port has taken a frame since.
  virtual void more(SwitchPolicy& policy) = 0;
  /// Reports that a pause or resume of this priority was sent to the neighbour of `ingress`: for the buffer policy, for
  /// counters, for measurement.
  virtual void note_pause(PortId ingress, Priority priority, bool paused) = 0;
  /// The same for a flow control that pauses by its own IDs (a queue, a destination, a root).
  virtual void note_hop_pause(PortId ingress, std::uint64_t name, bool paused) = 0;
  /// Reports that the congestion root `name`, a port of this switch, is given up: the port belongs to the tree of the
  /// root `successor` from now on. Both are IDs of note_hop_pause(). For measurement.
  virtual void note_merge(std::uint64_t name, std::uint64_t successor) = 0;
  /// Reports that BufferPolicy::linear_xoff returns another value for this ingress from now on. Whether linear_xoff
  /// returns a value must never change: it returns none for all ingresses at all times, or for none of them.
  virtual void note_threshold(PortId ingress) = 0;

 protected:
  /// Only QueueContext can construct one, so every SwitchContext is a QueueContext.
  class Key {
    friend class QueueContext;
    Key() = default;
  };
  SwitchContext(Key, FramePool& frames) : frames_(frames) {}
  ~SwitchContext() = default;
  /// signalled_length() if `isolates_` indicates that it may differ from the queue's length.
  [[nodiscard]] virtual std::int64_t isolated_length(QueueId queue, const Frame& frame) const = 0;
  /// carried_length(), likewise.
  [[nodiscard]] virtual std::int64_t isolated_carried_length(QueueId queue, const Frame& frame) const = 0;

  Time now_;
  SwitchId id_;
  int tier_ = 0;
  std::array<std::uint8_t, kPriorities> level_of_priority_{7, 6, 5, 4, 3, 2, 1, 0};
  std::size_t hosts_ = 0;
  FramePool& frames_;
  const HeaderLayout* headers_ = &kNoHeaders;
  Framing framing_ = Framing::rocev2();
  std::int64_t maximum_frame_ = 0;
  const PathView* paths_ = nullptr;
  bool isolates_ = false;
  bool keeps_statistics_ = false;
  RandomStream random_;
  BufferState buffer_;
  std::vector<PortState> ports_;
  std::vector<QueueState> queues_;     // the first ports * kPriorities are the default queues
  std::vector<IngressState> ingress_;  // ports * kPriorities
  std::vector<EgressState> egress_;    // ports * kPriorities
  std::vector<bool> breaks_cycle_;     // ingress * ports + egress; empty: none
};

/// Actions that only the policy that classifies frames into queues may use (Classifier). The switch calls that policy
/// for the next queue of a frame, and at order markers.
class QueueContext : public SwitchContext {
 public:
  // ---- requests, in attach() only ----
  /// An ideal scheme may also request queues later, in classify(): this invalidates references to queues.
  virtual QueueId new_queue(const QueueSpec& spec) = 0;
  /// Sets how a priority's level at every port shares its service, and the level behind it. The last call takes effect.
  virtual void set_discipline(Priority priority, Discipline discipline) = 0;

  // ---- actions ----
  /// Binds an empty queue of the whole switch (QueueSpec::port none()) to a port, with a priority and all other
  /// settings of a QueueSpec except a rate: from now on it is a queue of that port. Its gates do not change. If no
  /// queue of that stage was requested in attach(), the stage is made now, which allocates.
  virtual void bind(QueueId queue, const QueueSpec& spec) = 0;
  /// Makes such a queue, which must be empty, a queue of the whole switch again, with service `released`. All its gates
  /// open.
  virtual void unbind(QueueId queue) = 0;
  /// Moves the head frame of a queue with Service::released to the queue that on_leave returns. False if the queue is
  /// empty or closed.
  virtual bool release(QueueId queue) = 0;
  /// Appends an order marker to a queue: on_marker is called with the token when it reaches the head, immediately if
  /// the queue is empty. Needs a frame of the pool; false if there is none.
  virtual bool insert_marker(QueueId queue, std::uint32_t token) = 0;

 protected:
  explicit QueueContext(FramePool& frames) : SwitchContext(Key(), frames) {}
  ~QueueContext() = default;
};

}  // namespace weir
