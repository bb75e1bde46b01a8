// SPDX-License-Identifier: Apache-2.0
// The roles of a scheme in a switch. The switch core calls only the hooks that a policy names in hooks().
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/flow_hash.h"
#include "policy/held_by.h"
#include "policy/routes.h"
#include "policy/statistics.h"
#include "policy/switch_context.h"

namespace weir {

/// The hooks of a policy that are called; the others cost nothing. Two of them also have rarer forms: for policies that
/// pause the neighbour of an ingress, and for those that signal queue lengths.
struct Hooks {
  bool arrival = false;           ///< on_arrival
  bool enter = false;             ///< on_enter
  bool depart = false;            ///< on_depart
  bool drop = false;              ///< on_drop
  bool withdraw = false;          ///< on_withdraw
  bool enter_if_crowded = false;  ///< on_enter for an arriving frame whose ingress is_crowded() and not paused
  bool depart_if_queued = false;  ///< on_depart for a frame whose SwitchContext::signalled_length() may not be zero
  bool depart_if_paused = false;  ///< on_depart for a frame whose ingress is paused (SwitchContext::note_pause)
  bool rescue = false;            ///< rescue
  bool trim = false;              ///< on_trim
  bool gate = false;              ///< on_gate
};

/// The alternative to dropping a frame for lack of buffer (SwitchPolicy::rescue).
struct Rescue {
  enum class Kind : std::uint8_t {
    none,       ///< drop it
    trim,       ///< remove its payload
    trim_tail,  ///< remove the payload of the last frame in `queue`, and consider the refused frame again
    to_sender,  ///< return a trimmed frame to its sender
  };
  Kind kind = Kind::none;
  Priority priority = 0;    ///< new priority of the frame that is trimmed or returned
  std::uint16_t bytes = 0;  ///< frame bytes of a trimmed frame; zero: its bytes without payload
  QueueId queue{};          ///< for trim_tail
};

/// Whether a switch obeys a control frame from a neighbour (SwitchPolicy::judge). A driver of real ports drops those
/// that are not accepted, and counts them by reason: their sender cannot be trusted as one in the simulator can.
enum class ControlVerdict : std::uint8_t {
  accepted,
  not_spoken,       ///< of a protocol that this switch and the neighbour do not both speak
  wrong_neighbour,  ///< hosts do not send it to switches, or switches do not send it to each other
  malformed,        ///< it says what no sender says
  no_target,        ///< a priority, queue, destination or root that does not exist or may not be paused
};
inline constexpr std::size_t kControlVerdicts = 5;

/// A number that a policy keeps per port and that is worth sampling over time.
struct GaugeSpec {
  std::string_view name;  ///< including the scheme's: "red.threshold"
  std::string_view unit;  ///< "bit/s" or "bytes"; empty for a plain number
};

/// Common to all roles. The path of a frame:
///
///     parse -> control frame? | forwarding.choose -> on_arrival -> buffer.admit -> classify -> on_enter(queue)
///           ... stages: on_leave(queue) -> on_enter(next) ... -> schedule -> on_depart       or, anywhere, on_drop
///
/// Frames made by the switch itself (send_to_host) pass the same hooks with Frame::ingress none(), without on_arrival:
/// they are in no ingress count. Each admitted frame has exactly one on_depart or on_drop. A queued frame that is to be
/// trimmed is withdrawn from its queue (on_withdraw) and stays admitted: it is classified again, and enters another
/// queue or the tail of the same one. Each on_enter is thus followed by exactly one on_leave, on_withdraw, on_depart or
/// on_drop of the same queue. Hooks allocate nothing, throw nothing and read no clock.
class SwitchPolicy {
 public:
  virtual ~SwitchPolicy() = default;

  [[nodiscard]] virtual Hooks hooks() const { return {}; }
  /// Called once, before traffic, when ports and default queues exist: request queues, timers and memory here.
  virtual void attach(SwitchContext&) {}
  /// A frame arrived and its egress is known.
  virtual void on_arrival(SwitchContext&, Frame&) {}
  /// A frame was appended to a queue (and is counted in its length). It may have left another one before, of which only
  /// the classifier is told (Classifier::on_leave): it departs from a queue with Service::scheduled.
  virtual void on_enter(SwitchContext&, QueueId, Frame&) {}
  /// A frame leaves for the wire (and is no longer counted in the queue's length and the ingress counts).
  virtual void on_depart(SwitchContext&, QueueId, Frame&) {}
  /// An admitted frame is lost, or an arriving one is refused (it was then never in its ingress counts, and
  /// charged_bytes is zero). charged_bytes is also zero for a withdrawn frame that finds no other place: what was
  /// counted for it has ended with on_withdraw. `queue` is the queue whose stay this ends; none(): the frame was
  /// refused, or its stay has ended with on_withdraw or on_leave.
  virtual void on_drop(SwitchContext&, QueueId /*queue*/, const Frame&, DropReason) {}
  /// A frame has been taken from the tail of this queue, to be trimmed (and is no longer counted in the queue's
  /// length). It is still as it was, and still in the ingress counts. What a policy has counted for it since classify()
  /// or on_enter ends here: classify() and on_enter follow as for an arriving frame, or on_drop. A policy that takes
  /// both the start and the end of a stay into account needs this hook.
  virtual void on_withdraw(SwitchContext&, QueueId, Frame&) {}
  /// An arriving data frame is refused by an admit(), by the egress limit, or because its pool is full; or a queued
  /// frame that was trimmed is refused by an admit(). Returns what to do instead of dropping it: the first policy that
  /// returns an alternative decides. The frame is then considered again, and if refused, rescue is called again. A
  /// trimmed frame is charged to the pool of the priority with which it arrived, without an egress limit. Impossible
  /// alternatives count as `none`: a frame is trimmed once and returned once, and a tail that is an order marker,
  /// already trimmed, or not a data frame cannot be trimmed.
  virtual Rescue rescue(SwitchContext&, const Frame&, DropReason) { return {}; }
  /// A frame was trimmed, and is about to be considered again: an arriving one (`queue` is none()), or one that was
  /// taken from the tail of `queue`, where it was charged `was_charged` bytes.
  virtual void on_trim(SwitchContext&, QueueId /*queue*/, Frame&, std::int64_t /*was_charged*/) {}
  /// The gate of a queue (`queue`), or of a priority at a port (none()), was opened or closed: its first owner closed
  /// it, or the last one opened it. Called after the change.
  virtual void on_gate(SwitchContext&, PortId, Priority, QueueId /*queue*/, bool /*open*/) {}
  /// A timer of this policy expired. Called at or after its deadline.
  virtual void on_timer(SwitchContext&, TimerId) {}
  /// A control frame for this hop arrived at `port`. Returns whether it belongs to this policy (the core releases it).
  virtual bool on_control(SwitchContext&, PortId /*port*/, const Frame&) { return false; }
  /// Whether this policy accepts such a frame from the neighbour of `port`; none: it belongs to another policy. The
  /// call changes nothing. A policy with on_control() needs it to run on real ports. on_control() does not rely on it.
  [[nodiscard]] virtual std::optional<ControlVerdict> judge(const SwitchContext&, PortId /*port*/, const Frame&) const {
    return {};
  }
  /// The link of `port` failed or was restored: a new epoch. Gates of that port's queues have been opened; discard
  /// per-link state.
  virtual void on_link(SwitchContext&, PortId, bool /*up*/) {}
  /// Called again at the same instant after SwitchContext::more.
  virtual void on_more(SwitchContext&) {}

  /// The gauges of this policy, and the value of one of them at a port. For measurement, which may call this at any
  /// time after attach(); the call changes nothing.
  [[nodiscard]] virtual std::span<const GaugeSpec> gauges() const { return {}; }
  [[nodiscard]] virtual double gauge(std::size_t /*which*/, PortId) const { return 0; }

  /// The counters and gauges of this policy for the run record, and the value of one of them: at a port and in a queue
  /// group, if its scope has them. For measurement, as above; the span refers to storage that lives as long as the
  /// policy.
  [[nodiscard]] virtual std::span<const StatisticSpec> statistics() const { return {}; }
  [[nodiscard]] virtual Statistic statistic(std::size_t /*which*/, PortId, std::size_t /*group*/) const { return {}; }
};

/// Chooses among next hops.
class Forwarding : public SwitchPolicy {
 public:
  /// The egress of `frame`; `hops` has at least two ports. May use its own state, occupancy and random numbers.
  virtual PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) = 0;
  /// The result of choose() for this header if it follows from configuration alone; otherwise none().
  [[nodiscard]] virtual PortId predict(const FlowKey&, const NextHops&) const { return PortId::none(); }
};

/// Divides the shared buffer. The switch keeps the counts.
class BufferPolicy : public SwitchPolicy {
 public:
  /// Shared bytes of this ingress at or above which its neighbour must be paused; further frames go to headroom.
  [[nodiscard]] virtual std::int64_t xoff(const SwitchContext&, PortId ingress, Priority) const = 0;
  /// xoff() as a linear function that the switch evaluates itself, for speed, with xon() at a constant distance below;
  /// none: xoff() is called for every frame. Called once, after attach(), and whenever the policy reports a change
  /// (SwitchContext::note_threshold).
  [[nodiscard]] virtual std::optional<LinearThreshold> linear_xoff(PortId /*ingress*/, Priority) const { return {}; }
  /// Shared bytes at or below which the neighbour may resume, once headroom is empty.
  [[nodiscard]] virtual std::int64_t xon(const SwitchContext&, PortId ingress, Priority) const = 0;
  /// Maximum bytes queued at an egress port for a lossy priority: a frame that would exceed it is dropped.
  [[nodiscard]] virtual std::int64_t egress_limit(const SwitchContext&, PortId egress, Priority) const = 0;
  /// Whether admit() and frame_limit() are called.
  [[nodiscard]] virtual bool sees_admission() const { return false; }
  /// False drops the frame, which has arrived or was made by the switch (Frame::ingress none()).
  [[nodiscard]] virtual bool admit(const SwitchContext&, const Frame&) const { return true; }
  /// egress_limit() for this frame, if it depends on the frame.
  [[nodiscard]] virtual std::int64_t frame_limit(const SwitchContext& context, const Frame& frame) const {
    return egress_limit(context, frame.egress, frame.ingress_priority);
  }
  /// xoff() for this arriving frame, if it depends on the frame. Called if there is no linear threshold.
  [[nodiscard]] virtual std::int64_t frame_xoff(const SwitchContext& context, const Frame& frame) const {
    return xoff(context, frame.ingress, frame.ingress_priority);
  }
  /// This switch has sent a pause or resume to the neighbour of `ingress`.
  virtual void on_pause(SwitchContext&, PortId /*ingress*/, Priority, bool /*paused*/) {}
};

class Classifier;

/// Hop-by-hop flow control: opens and closes gates, exchanges control frames with neighbours. At most one per switch
/// may be a Classifier.
class FlowControl : public SwitchPolicy {
 public:
  /// This flow control as the one that classifies frames, or nullptr. Overridden by Classifier.
  [[nodiscard]] virtual Classifier* classifier() { return nullptr; }

  // ---- for measuring what is blocked and for detecting deadlocks; the calls change nothing ----

  /// For a flow control that pauses its neighbours by ID (SwitchContext::note_hop_pause): the pause that this frame
  /// keeps in force while it is in its queue; nothing: none.
  [[nodiscard]] virtual std::optional<HopPause> keeps_paused(const Frame&) const { return {}; }
  /// Appends all that this frame keeps in force; it has just entered `queue`, or is in it. To be overridden instead of
  /// keeps_paused() if a frame may keep several, or for credit that is given when a frame has left.
  virtual void keeps(const SwitchContext&, QueueId /*queue*/, const Frame& frame, std::vector<HopPause>& out) const {
    if (const std::optional<HopPause> pause = keeps_paused(frame)) out.push_back(*pause);
  }
  /// Appends the IDs of the pauses by the neighbour behind a queue's link that block this queue: each alone keeps it
  /// closed. None: no pause blocks it.
  virtual void pauses_of(const SwitchContext&, QueueId, std::vector<std::uint64_t>& /*names*/) const {}
  /// Appends the reasons for which this flow control blocks a queue. For a queue whose gates are closed: what must
  /// happen before this flow control opens its own gate. For an open queue with Service::released: what its head frame
  /// requires from others before it is released, whether fulfilled or not. None: it does not block the queue. To be
  /// overridden instead of pauses_of() if something other than a pause by the neighbour behind the queue's link blocks.
  virtual void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const;
  /// Maximum time from the end of the cause of a pause or a debt until the neighbour is notified: for credit that is
  /// collected, the interval.
  [[nodiscard]] virtual Duration longest_release() const { return {}; }
  /// For a flow control whose IDs name congestion roots: the egress port of the network that this ID names.
  [[nodiscard]] virtual std::optional<Hop> root_of_pause(std::uint64_t /*name*/) const { return {}; }
  /// The ID of a pause or of credit, in readable form.
  [[nodiscard]] virtual std::string pause_text(std::uint64_t name) const { return std::to_string(name); }
};

/// A flow control that also assigns frames to queues. A switch has at most one; more are rejected when it is assembled.
class Classifier : public FlowControl {
 public:
  [[nodiscard]] Classifier* classifier() final { return this; }
  /// The queue for an admitted frame; frame.egress is its port.
  virtual QueueId classify(QueueContext& context, Frame& frame) {
    return context.default_queue(frame.egress, frame.priority);
  }
  /// The queue for a frame that leaves a queue of a stage.
  virtual QueueId on_leave(QueueContext& context, QueueId /*queue*/, Frame& frame) {
    return context.default_queue(frame.egress, frame.priority);
  }
  /// Whether admit() is called.
  [[nodiscard]] virtual bool sees_admission() const { return false; }
  /// False refuses an arriving frame before the buffer counts it, because its queue is too long. A control frame does
  /// not use the reserve in this case. (For frames made by the switch this is called if their reserve is full.)
  [[nodiscard]] virtual bool admit(const SwitchContext&, const Frame&) const { return true; }
  /// An order marker reached the head of its queue.
  virtual void on_marker(QueueContext&, QueueId, std::uint32_t /*token*/) {}
  /// For Discipline::rank: the lowest is served first.
  [[nodiscard]] virtual std::uint64_t rank(const SwitchContext&, const Frame&) const { return 0; }
  /// The result of SwitchContext::signalled_length().
  [[nodiscard]] virtual std::int64_t signalled_length(const SwitchContext& context, QueueId queue, const Frame&) const {
    return context.queue(queue).bytes;
  }
  /// The result of SwitchContext::carried_length(): for congestion points that write the length into the frame, which
  /// may differ from the length by which others mark frames or compute a rate.
  [[nodiscard]] virtual std::int64_t carried_length(const SwitchContext& context, QueueId queue,
                                                    const Frame& frame) const {
    return signalled_length(context, queue, frame);
  }

 protected:
  /// The context of any of its hooks, with the actions that only a classifier may use.
  static QueueContext& queue_context(SwitchContext& context) { return static_cast<QueueContext&>(context); }
};

inline void FlowControl::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  const QueueState& state = context.queue(queue);
  if (state.closed_by == 0) return;
  std::vector<std::uint64_t> names;
  pauses_of(context, queue, names);
  for (const std::uint64_t name : names) out.push_back({state.port, name, QueueId::none()});
}

/// Signals congestion: marks CE, writes telemetry, sends feedback to hosts, from the hooks that it names.
class CongestionPoint : public SwitchPolicy {};

}  // namespace weir
