// SPDX-License-Identifier: Apache-2.0
// The roles a scheme can play in a switch. The switch core calls only the hooks a policy names in hooks().
#pragma once

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

/// The hooks a policy wants called; the others cost nothing. Two of them come in rarer forms too: for those who hold
/// back the neighbour behind an ingress, and for those who signal the length of queues.
struct Hooks {
  bool arrival = false;           ///< on_arrival
  bool enter = false;             ///< on_enter
  bool depart = false;            ///< on_depart
  bool drop = false;              ///< on_drop
  bool enter_if_crowded = false;  ///< on_enter for an arriving frame whose ingress is_crowded() and not paused
  bool depart_if_queued = false;  ///< on_depart for a frame whose SwitchContext::signalled_length() may not be zero
  bool depart_if_paused = false;  ///< on_depart for a frame whose ingress is paused (SwitchContext::note_pause)
  bool rescue = false;            ///< rescue
  bool trim = false;              ///< on_trim
  bool gate = false;              ///< on_gate
};

/// What is done for a frame that the switch would otherwise drop for want of room (SwitchPolicy::rescue).
struct Rescue {
  enum class Kind : std::uint8_t {
    none,       ///< it is dropped
    trim,       ///< its payload is cut off
    trim_tail,  ///< the payload of the last frame in `queue` is cut off, and the one that was refused is considered
                ///< again
    to_sender,  ///< a trimmed frame goes back to its sender
  };
  Kind kind = Kind::none;
  Priority priority = 0;    ///< that the frame which is trimmed or goes back has from now on
  std::uint16_t bytes = 0;  ///< frame bytes of what is left of a trimmed one; zero: what it had beside its payload
  QueueId queue{};          ///< of trim_tail
};

/// A number a policy keeps of each port that is worth watching over time.
struct GaugeSpec {
  std::string_view name;  ///< with the scheme's: "red.threshold"
  std::string_view unit;  ///< "bit/s" or "bytes"; empty for a plain number
};

/// What every role has. A frame's way:
///
///     parse -> control frame? | forwarding.choose -> on_arrival -> buffer.admit -> classify -> on_enter(queue)
///           ... stages: on_leave(queue) -> on_enter(next) ... -> schedule -> on_depart       or, anywhere, on_drop
///
/// Frames the switch made itself (send_to_host) pass the same hooks with Frame::ingress none(), without on_arrival: no
/// ingress counts hold them. Each admitted frame has exactly one on_depart or on_drop. A queued frame that is trimmed
/// stays admitted: it enters another queue, or the same one at its tail. Hooks allocate nothing, throw nothing, read no
/// clock.
class SwitchPolicy {
 public:
  virtual ~SwitchPolicy() = default;

  [[nodiscard]] virtual Hooks hooks() const { return {}; }
  /// Called once, before traffic, when ports and default queues exist: ask for queues, timers and memory here.
  virtual void attach(SwitchContext&) {}
  /// A frame came in and its egress is known.
  virtual void on_arrival(SwitchContext&, Frame&) {}
  /// A frame was put at the tail of a queue (its length counts it).
  virtual void on_enter(SwitchContext&, QueueId, Frame&) {}
  /// A frame leaves for the wire (the queue's length and the ingress counts no longer count it).
  virtual void on_depart(SwitchContext&, QueueId, Frame&) {}
  /// An admitted frame is lost, or an arriving one is refused (then its ingress counts never held it, and
  /// charged_bytes is zero).
  virtual void on_drop(SwitchContext&, const Frame&, DropReason) {}
  /// A data frame that came in is refused by an admit(), by the egress limit, or since its pool is full; or a queued
  /// one that was trimmed is refused by an admit(). What to do instead of dropping it: the first policy that names
  /// something decides. Then it is considered again, and refused, it comes here again. A trimmed frame is charged to
  /// the pool of the priority with which it came in; no egress limit holds it. What cannot be done is `none`: a frame
  /// is trimmed once and goes back once, and a tail that is an order marker, trimmed already, or no data frame cannot
  /// be trimmed.
  virtual Rescue rescue(SwitchContext&, const Frame&, DropReason) { return {}; }
  /// A frame was trimmed, and is about to be considered again: one that came in (`queue` is none()), or one that was
  /// taken from the tail of `queue`, which had been charged `was_charged` bytes.
  virtual void on_trim(SwitchContext&, QueueId /*queue*/, Frame&, std::int64_t /*was_charged*/) {}
  /// A queue (`queue`), or all of a priority at a port (none()), was opened or closed: its first owner closed it, or
  /// the last one opened it. Called when that has been done.
  virtual void on_gate(SwitchContext&, PortId, Priority, QueueId /*queue*/, bool /*open*/) {}
  /// A timer of this policy is due. Called at or after its deadline.
  virtual void on_timer(SwitchContext&, TimerId) {}
  /// A control frame for this hop came in at `port`. True: it was ours (the core releases it).
  virtual bool on_control(SwitchContext&, PortId /*port*/, const Frame&) { return false; }
  /// The link of `port` failed or came back: a new epoch. Gates of that port's queues have been opened; forget
  /// per-link state.
  virtual void on_link(SwitchContext&, PortId, bool /*up*/) {}
  /// Called again at the same instant after SwitchContext::more.
  virtual void on_more(SwitchContext&) {}

  /// The gauges of this policy, and what one of them shows at a port. For measurement, which may ask at any time after
  /// attach(); asking changes nothing.
  [[nodiscard]] virtual std::span<const GaugeSpec> gauges() const { return {}; }
  [[nodiscard]] virtual double gauge(std::size_t /*which*/, PortId) const { return 0; }

  /// The counters and gauges of this policy that records keep, and what one of them has come to: at a port and in a
  /// queue group, where its scope has such. For measurement, as above; a span of what lives as long as the policy.
  [[nodiscard]] virtual std::span<const StatisticSpec> statistics() const { return {}; }
  [[nodiscard]] virtual Statistic statistic(std::size_t /*which*/, PortId, std::size_t /*group*/) const { return {}; }
};

/// Chooses among next hops.
class Forwarding : public SwitchPolicy {
 public:
  /// The egress of `frame`; `hops` has two ports or more. May use its own state, occupancy and random numbers.
  virtual PortId choose(SwitchContext&, const Frame& frame, const NextHops& hops) = 0;
  /// What choose() would say for this header, when that follows from configuration alone; none() when it does not.
  [[nodiscard]] virtual PortId predict(const FlowKey&, const NextHops&) const { return PortId::none(); }
};

/// Decides who may hold how much of the shared buffer. The switch keeps the counts.
class BufferPolicy : public SwitchPolicy {
 public:
  /// Shared bytes of this ingress at or above which its neighbour must be paused; further frames go to headroom.
  [[nodiscard]] virtual std::int64_t xoff(const SwitchContext&, PortId ingress, Priority) const = 0;
  /// xoff() as a rule that the switch can follow, for speed, with xon() as far below it as ever; none: it asks for
  /// every frame. Asked once, after attach(), and when the policy says that it has changed
  /// (SwitchContext::note_threshold).
  [[nodiscard]] virtual std::optional<LinearThreshold> linear_xoff(PortId /*ingress*/, Priority) const { return {}; }
  /// Shared bytes at or below which the neighbour may resume, once headroom is empty.
  [[nodiscard]] virtual std::int64_t xon(const SwitchContext&, PortId ingress, Priority) const = 0;
  /// Bytes queued at an egress port for a lossy priority: a frame with which there would be more is dropped.
  [[nodiscard]] virtual std::int64_t egress_limit(const SwitchContext&, PortId egress, Priority) const = 0;
  /// Whether the policy wants admit() and frame_limit() asked.
  [[nodiscard]] virtual bool sees_admission() const { return false; }
  /// False drops the frame, which came in or which the switch made (Frame::ingress none()).
  [[nodiscard]] virtual bool admit(const SwitchContext&, const Frame&) const { return true; }
  /// What egress_limit() says for this frame, when it depends on the frame.
  [[nodiscard]] virtual std::int64_t frame_limit(const SwitchContext& context, const Frame& frame) const {
    return egress_limit(context, frame.egress, frame.ingress_priority);
  }
  /// What xoff() says for this frame as it comes in, when it depends on the frame. Asked where there is no linear rule.
  [[nodiscard]] virtual std::int64_t frame_xoff(const SwitchContext& context, const Frame& frame) const {
    return xoff(context, frame.ingress, frame.ingress_priority);
  }
  /// This switch has told the neighbour of `ingress` to pause or resume.
  virtual void on_pause(SwitchContext&, PortId /*ingress*/, Priority, bool /*paused*/) {}
};

class Classifier;

/// Holds frames back hop by hop: opens and closes gates, talks to its neighbours. One of those of a switch may be a
/// Classifier.
class FlowControl : public SwitchPolicy {
 public:
  /// This flow control as the one that classifies frames, or nullptr. Classifier answers it.
  [[nodiscard]] virtual Classifier* classifier() { return nullptr; }

  // ---- for those who measure what is held and look for deadlocks; asking changes nothing ----

  /// Of a flow control that pauses its neighbours by name (SwitchContext::note_hop_pause): the pause that this frame
  /// keeps in force while it stays in its queue; nothing: it keeps none.
  [[nodiscard]] virtual std::optional<HopPause> keeps_paused(const Frame&) const { return {}; }
  /// Appends all that this frame keeps in force: it has just come into `queue`, or lies there. To be overridden instead
  /// of keeps_paused() where a frame may keep several, or for credit that is given when a frame has gone.
  virtual void keeps(const SwitchContext&, QueueId /*queue*/, const Frame& frame, std::vector<HopPause>& out) const {
    if (const std::optional<HopPause> pause = keeps_paused(frame)) out.push_back(*pause);
  }
  /// Appends the names by which the neighbour behind a queue's link holds the frames in it: each of them alone
  /// keeps the queue closed. None: it does not hold them.
  virtual void pauses_of(const SwitchContext&, QueueId, std::vector<std::uint64_t>& /*names*/) const {}
  /// Appends what this flow control holds a queue by now: of one whose gates are closed, what must come to pass before
  /// it opens its own; of an open one with Service::released, what its head frame needs from others before it is
  /// released, whether or not that is there already. Nothing: it does not hold it. To be overridden instead of
  /// pauses_of() where something else than a pause of the neighbour behind the queue's link holds.
  virtual void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const;
  /// How long at most it takes, once what keeps a pause or a debt in force has gone, until this is said to the
  /// neighbour: of credit that is collected, the interval.
  [[nodiscard]] virtual Duration longest_release() const { return {}; }
  /// The name of a pause or of credit, for people to read.
  [[nodiscard]] virtual std::string pause_text(std::uint64_t name) const { return std::to_string(name); }
};

/// A flow control that also puts frames into queues. A switch has one at most; more are refused when it is assembled.
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
  /// Whether the policy wants admit() asked.
  [[nodiscard]] virtual bool sees_admission() const { return false; }
  /// False refuses a frame that came in, before the buffer counts it: the queue that it would take is too long. A
  /// control frame does not go to the reserve then. (Frames the switch made are asked for when their reserve is full.)
  [[nodiscard]] virtual bool admit(const SwitchContext&, const Frame&) const { return true; }
  /// An order marker reached the head of its queue.
  virtual void on_marker(QueueContext&, QueueId, std::uint32_t /*token*/) {}
  /// Under Discipline::rank: the lowest goes first.
  [[nodiscard]] virtual std::uint64_t rank(const SwitchContext&, const Frame&) const { return 0; }
  /// What SwitchContext::signalled_length() says.
  [[nodiscard]] virtual std::int64_t signalled_length(const SwitchContext& context, QueueId queue, const Frame&) const {
    return context.queue(queue).bytes;
  }

 protected:
  /// The context of any of its hooks, with what only a classifier may do.
  static QueueContext& queue_context(SwitchContext& context) { return static_cast<QueueContext&>(context); }
};

inline void FlowControl::held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const {
  const QueueState& state = context.queue(queue);
  if (state.closed_by == 0) return;
  std::vector<std::uint64_t> names;
  pauses_of(context, queue, names);
  for (const std::uint64_t name : names) out.push_back({state.port, name, QueueId::none()});
}

/// Signals congestion: marks CE, stamps telemetry, sends feedback to hosts. Uses the hooks it names.
class CongestionPoint : public SwitchPolicy {};

}  // namespace weir
