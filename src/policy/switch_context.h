// SPDX-License-Identifier: Apache-2.0
// What a policy sees of the switch it runs on, and what it may do.
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

/// A queue that a classifier asks for in attach().
struct QueueSpec {
  PortId port{};          ///< none: a queue of the whole switch (a VOQ); its service is `released`
  Priority priority = 0;  ///< whose pauses close it; decides its level, unless that is named
  std::uint8_t stage = 0;
  Service service = Service::scheduled;
  std::uint32_t weight = 1;  ///< its share in deficit round robin: largest frames a turn; above zero
  bool ideal = false;
  /// Its strict level among those of priorities (SwitchContext::level), 0 (first) to 7; none: that of its priority.
  std::optional<std::uint8_t> level{};
  /// It goes behind all other queues of its level: when none of them can send.
  bool behind = false;
  /// What it may send at most, in bits a second on the wire, by a token bucket of `burst` bytes; zero: as the scheduler
  /// lets it. The bucket counts a frame's bytes in the queue and Framing::wire_overhead. The head frame may go when the
  /// bucket holds as much, or is full; until then the queue is not active. Only of a scheduled queue.
  BitRate rate{};
  std::int64_t burst = 0;   ///< bytes on the wire, 1 to 1,000,000
  bool starts_full = true;  ///< the bucket holds `burst` bytes at first; otherwise none
};

/// The switch as policies see it. Reading is inline; actions go through the switch core. References stay valid for
/// the life of the switch, unless an ideal scheme asks for queues. Nothing here is thread-safe: calls to one switch are
/// serialised. Every SwitchContext is a QueueContext, which only the policy that classifies frames is given.
class SwitchContext {
 public:
  SwitchContext(const SwitchContext&) = delete;
  SwitchContext& operator=(const SwitchContext&) = delete;

  // ---- reading ----
  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] SwitchId id() const { return id_; }
  /// Hosts of the network, numbered 0..hosts()-1: what tables by destination are sized from.
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
  /// The queue that frames of this priority take at this port when no flow control classifies them.
  [[nodiscard]] QueueId default_queue(PortId port, Priority priority) const {
    return QueueId(port.index() * kPriorities + priority);
  }
  /// Charged bytes at `port` of this priority, in all queues that end there.
  [[nodiscard]] std::int64_t egress_bytes(PortId port, Priority priority) const {
    return egress_[port.index() * kPriorities + priority].bytes;
  }
  /// Whether no flow control holds this priority at this port. (A queue may have gates of its own.)
  [[nodiscard]] bool priority_gate_open(PortId port, Priority priority) const {
    return egress_[port.index() * kPriorities + priority].closed_by == 0;
  }
  /// The frame at the head of a queue, or nullptr.
  [[nodiscard]] const Frame* peek(QueueId queue) const {
    const QueueState& state = queues_[queue.index()];
    return state.head.exists() ? &frames_[state.head] : nullptr;
  }
  [[nodiscard]] FramePool& frames() const { return frames_; }
  /// The strict level of a priority's queues, 0 (first) to 7: as configured.
  [[nodiscard]] std::uint8_t level(Priority priority) const { return level_of_priority_[priority]; }
  /// In a network of tiers: 1 for a switch that hosts are plugged into, and one more for each tier above; 0: it has
  /// none.
  [[nodiscard]] int tier() const { return tier_; }
  /// Where schemes' header fields stand in frames; to be asked in attach(). The same at every node of a network.
  [[nodiscard]] const HeaderLayout& headers() const { return *headers_; }
  [[nodiscard]] const Framing& framing() const { return framing_; }
  /// The largest frame in bytes.
  [[nodiscard]] std::int64_t maximum_frame() const { return maximum_frame_; }
  [[nodiscard]] RandomStream& random() { return random_; }
  [[nodiscard]] const PathView* paths() const { return paths_; }
  /// Whether somebody will ask for SwitchPolicy::statistics(). What would cost something for each frame is kept only
  /// then, and is zero otherwise; it may change nothing that is sent. Known in attach().
  [[nodiscard]] bool keeps_statistics() const { return keeps_statistics_; }
  /// Whether the network has chosen the turn from `ingress` to `egress` to break a cycle of ports that wait for each
  /// other: frames on it are to hold nobody back. It chooses turns at switches of which a scheme asks for that
  /// (ExemptTurns::cycle_breaking).
  [[nodiscard]] bool breaks_cycle(PortId ingress, PortId egress) const {
    return !breaks_cycle_.empty() && breaks_cycle_[ingress.index() * ports_.size() + egress.index()];
  }
  /// There and back to the neighbour: propagation both ways, and one largest frame serialised at each end.
  [[nodiscard]] Duration hop_round_trip(PortId port) const {
    const PortState& state = ports_[port.index()];
    return 2 * state.delay + 2 * time_to_send(Bytes(maximum_frame_ + framing_.wire_overhead), state.rate);
  }
  /// The length in bytes a congestion point should signal for a frame in this queue: the queue's, unless the flow
  /// control isolates the frame elsewhere (FlowControl::signalled_length).
  [[nodiscard]] std::int64_t signalled_length(QueueId queue, const Frame& frame) const {
    return isolates_ ? isolated_length(queue, frame) : queues_[queue.index()].bytes;
  }
  /// The shared bytes at which this ingress must pause, and at or below which it may resume (BufferPolicy).
  [[nodiscard]] virtual std::int64_t xoff(PortId ingress, Priority priority) const = 0;
  [[nodiscard]] virtual std::int64_t xon(PortId ingress, Priority priority) const = 0;

  // ---- asking, in attach() only ----
  virtual TimerId new_timer(SwitchPolicy& policy) = 0;
  /// A switch with more than kGateOwners owners is refused when it is assembled.
  virtual GateOwner new_gate_owner() = 0;

  // ---- acting ----
  /// Sends a control frame to the neighbour of `port`, ahead of every queue there. Takes the frame.
  virtual void send(PortId port, FrameId frame) = 0;
  /// Sends a frame to frame.destination by the ordinary routes and queues. It has no ingress to be charged to: the
  /// reserve for control frames of its egress port holds it, and when that is full the service pool, if the buffer
  /// policy admits it. It is dropped, and counted, when neither takes it. Takes the frame.
  virtual void send_to_host(FrameId frame) = 0;
  /// Opens or closes a queue on behalf of `owner`. A closed queue sends nothing; every owner must have it open.
  virtual void set_gate(QueueId queue, GateOwner owner, bool open) = 0;
  /// Closes a queue until `until`; a later call replaces the instant. One owner a queue may use this.
  virtual void close_gate_until(QueueId queue, GateOwner owner, Time until) = 0;
  /// The same for all queues of a priority at a port.
  virtual void set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) = 0;
  virtual void close_priority_gate_until(PortId port, Priority priority, GateOwner owner, Time until) = 0;
  virtual void arm(TimerId timer, Time deadline) = 0;
  virtual void cancel(TimerId timer) = 0;
  /// Asks for on_more to be called once at this same instant, after the hook that asks has returned. What was sent so
  /// far is in its queue then (or was dropped, as any frame may be), and no port has taken a frame meanwhile.
  virtual void more(SwitchPolicy& policy) = 0;
  /// Says that the neighbour of `ingress` has been told to pause or resume this priority: for the buffer policy, for
  /// counters, for measurement.
  virtual void note_pause(PortId ingress, Priority priority, bool paused) = 0;
  /// The same for a flow control that pauses by its own names (a queue, a destination, a root).
  virtual void note_hop_pause(PortId ingress, std::uint64_t name, bool paused) = 0;
  /// Says that BufferPolicy::linear_xoff has another answer for this ingress from now on. A rule stays a rule: the
  /// answer is none for all ingresses at all times, or for none of them ever.
  virtual void note_threshold(PortId ingress) = 0;

 protected:
  /// Only a QueueContext has one, so that every SwitchContext is a QueueContext.
  class Key {
    friend class QueueContext;
    Key() = default;
  };
  SwitchContext(Key, FramePool& frames) : frames_(frames) {}
  ~SwitchContext() = default;
  /// signalled_length() where `isolates_` says that it may differ from the queue's.
  [[nodiscard]] virtual std::int64_t isolated_length(QueueId queue, const Frame& frame) const = 0;

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

/// What only the policy that classifies frames into queues may do (Classifier): the switch asks that one which queue is
/// next and what an order marker means.
class QueueContext : public SwitchContext {
 public:
  // ---- asking, in attach() only ----
  /// A scheme that is ideal may also ask later, in classify(): references to queues do not outlive that.
  virtual QueueId new_queue(const QueueSpec& spec) = 0;
  /// Sets how a priority's level at every port shares its service, and the level behind it. The last word counts.
  virtual void set_discipline(Priority priority, Discipline discipline) = 0;

  // ---- acting ----
  /// Gives a queue of the whole switch (QueueSpec::port none()), which is empty, a port, a priority, and all else that
  /// a QueueSpec says but a rate: from now on it is a queue of that port. Its gates stay as they are. A stage that no
  /// queue was asked for in attach() is made then, which allocates.
  virtual void bind(QueueId queue, const QueueSpec& spec) = 0;
  /// Makes such a queue, which is empty, one of the whole switch again, whose service is `released`. All its gates
  /// open.
  virtual void unbind(QueueId queue) = 0;
  /// Lets the head frame of a queue with Service::released go to the queue that on_leave names. False when the queue
  /// is empty or closed.
  virtual bool release(QueueId queue) = 0;
  /// Puts an order marker at the tail of a queue: on_marker is called with the token when it reaches the head, at once
  /// when the queue is empty. Needs a frame of the pool; false when there is none.
  virtual bool insert_marker(QueueId queue, std::uint32_t token) = 0;

 protected:
  explicit QueueContext(FramePool& frames) : SwitchContext(Key(), frames) {}
  ~QueueContext() = default;
};

}  // namespace weir
