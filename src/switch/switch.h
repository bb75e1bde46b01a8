// SPDX-License-Identifier: Apache-2.0
// The switch core: classify, admit, enqueue, schedule, dequeue.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "policy/boundary_trace.h"
#include "policy/routes.h"
#include "policy/switch_policy.h"
#include "switch/observer.h"
#include "switch/pause_watchdog.h"
#include "switch/scheduler.h"
#include "switch/switch_config.h"
#include "switch/token_bucket.h"
#include "units/deadline_heap.h"
#include "units/hot_path.h"

namespace weir {

/// A shared-memory switch as a passive object: a driver calls it with the time and events; it moves frames between its
/// queues, and reports its ready ports and its next deadline. It reads no clock and allocates nothing after
/// construction. Calls are serialised; `now` never decreases and may repeat.
class Switch final : public QueueContext {
 public:
  Switch(FramePool& frames, const SwitchConfig& config, SwitchPolicies policies);

  // ---- the four calls of a driver ----
  /// The last bit of `frame` arrived at `port`. Takes the frame.
  void receive(Time now, PortId port, FrameId frame);
  /// The same for frames that a port received together, in their order, with the effect of individual calls.
  void receive(Time now, PortId port, std::span<const FrameId> burst);
  /// receive() followed by transmit() at the frame's egress, if that port has nothing to send and its wire is free
  /// since `PortState::wire_free_at`. Returns the frame to put on the wire of its Frame::egress, which is nearly always
  /// this one; none() if nothing may be sent there now, or if the port was busy, in which case it only receives.
  FrameId pass(Time now, PortId port, FrameId frame);
  /// The driver has put a frame on the wire of `port`, which is free again at `until`. Without this call pass() returns
  /// nothing. Returns whether transmit() would return another frame then.
  bool occupy(PortId port, Time until) {
    PortState& state = ports_[port.index()];
    state.wire_free_at = until;
    return state.has_ready();
  }
  /// The wire of `port` is free: returns the frame to put on it, or none() if nothing may be sent now.
  FrameId transmit(Time now, PortId port);
  /// The same, compiled into its caller, which includes switch/transmit.h.
  WEIR_HOT_INLINE FrameId transmit_inline(Time now, PortId port);
  /// Runs the timers due at `now` or before.
  void advance(Time now);
  /// The link of `port` failed or was restored.
  void link(Time now, PortId port, bool up);

  /// Whether the policies accept this control frame for the hop from the neighbour of `port` (SwitchPolicy::judge).
  [[nodiscard]] ControlVerdict judge(PortId port, const Frame& frame) const;

  /// Ports for which transmit() may now return a frame though it did not before. The driver clears them.
  [[nodiscard]] std::span<const PortId> ready_ports() const { return {ready_ports_.data(), ready_port_count_}; }
  void clear_ready() {
    take_ready([](PortId) {});
  }
  /// Three steps that prefetch what the next frames of its ports need, for a driver that has not called for some time.
  /// Each reads what the one before it has prefetched.
  WEIR_HOT_INLINE void fetch_ports() const {
    for (const PortState& port : ports_) {
      prefetch(&port);
      prefetch(&port.levels);
    }
  }
  WEIR_HOT_INLINE void fetch_queues() const {
    for (const PortState& port : ports_) {
      if (const QueueId queue = Scheduler::peek(port); queue.exists()) prefetch(&queues_[queue.index()]);
    }
  }
  WEIR_HOT_INLINE void fetch_frames() const {
    for (const PortState& port : ports_) {
      const QueueId queue = Scheduler::peek(port);
      if (!queue.exists()) continue;
      if (const FrameId head = queues_[queue.index()].head; head.exists()) frame_at_.prefetch(head);
    }
  }

  /// Calls take(port) for each of them and clears them.
  template <class Take>
  void take_ready(Take take) {
    if (ready_port_count_ == 0) [[likely]]
      return;
    for (std::size_t i = 0; i < ready_port_count_; ++i) {
      ports_[ready_ports_[i].index()].reported_ready = false;
      take(ready_ports_[i]);
    }
    ready_port_count_ = 0;
  }
  /// The time at which advance() must be called; Time::never() for no deadline.
  [[nodiscard]] Time next_deadline() const { return more_.empty() ? timers_.earliest() : now_; }

  /// Action of a controller: replaces the routing table.
  void install(Routes routes);
  [[nodiscard]] const Routes& routes() const { return routes_; }
  void observe(SwitchObserver* observer) {
    observer_ = observer;
    frame_observer_ = observer != nullptr && observer->watches_frames() ? observer : nullptr;
    note_extras();
  }
  /// Reads SwitchObserver::watches_entries() again.
  void watch_entries() { note_extras(); }
  /// Records every call from now on; nullptr ends it.
  void record(BoundaryTrace<Switch>* trace) {
    trace_ = trace;
    note_extras();
  }
  [[nodiscard]] const Forwarding* forwarding() const { return policies_.forwarding.get(); }
  /// The flow control that classifies frames to queues; nullptr: none.
  [[nodiscard]] const Classifier* classifier() const { return classifier_; }
  /// All policies, in the order of their roles.
  [[nodiscard]] std::span<SwitchPolicy* const> policies() const { return all_; }
  [[nodiscard]] std::uint64_t drops(DropReason reason) const { return drops_[static_cast<std::size_t>(reason)]; }
  [[nodiscard]] std::uint64_t pauses_sent() const { return pauses_sent_; }
  /// Data frames that were trimmed here, and those of them that were returned to their sender.
  [[nodiscard]] std::uint64_t frames_trimmed() const { return frames_trimmed_; }
  [[nodiscard]] std::uint64_t frames_returned() const { return frames_returned_; }
  /// Whether a pause watchdog drops or forwards what pauses hold for too long.
  [[nodiscard]] bool ends_long_pauses() const {
    return watchdog_ != nullptr && watchdog_->config.action != WatchdogAction::alert;
  }
  /// Charged bytes that wait for a port: in its queues, and in those of the whole switch.
  [[nodiscard]] std::int64_t bytes_for(PortId port) const {
    return ports_[port.index()].queued_bytes + scheduler_.wide_bytes(port);
  }
  /// Frames in queues, without order markers.
  [[nodiscard]] std::size_t frames_held() const;
  /// Checks all accounts; empty if they are consistent, otherwise a description of the inconsistency.
  [[nodiscard]] std::string broken_invariant() const;

  // ---- QueueContext ----
  [[nodiscard]] std::int64_t xoff(PortId ingress, Priority priority) const override;
  [[nodiscard]] std::int64_t xon(PortId ingress, Priority priority) const override;
  QueueId new_queue(const QueueSpec& spec) override;
  TimerId new_timer(SwitchPolicy& policy) override;
  GateOwner new_gate_owner() override;
  void set_discipline(Priority priority, Discipline discipline) override;
  void bind(QueueId queue, const QueueSpec& spec) override;
  void unbind(QueueId queue) override;
  void send(PortId port, FrameId frame) override;
  void send_to_host(FrameId frame) override;
  void set_gate(QueueId queue, GateOwner owner, bool open) override;
  void close_gate_until(QueueId queue, GateOwner owner, Time until) override;
  void set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) override;
  void close_priority_gate_until(PortId port, Priority priority, GateOwner owner, Time until) override;
  bool release(QueueId queue) override;
  bool insert_marker(QueueId queue, std::uint32_t token) override;
  void arm(TimerId timer, Time deadline) override { timers_.arm(timer.value, deadline); }
  void cancel(TimerId timer) override { timers_.cancel(timer.value); }
  void more(SwitchPolicy& policy) override;
  void note_pause(PortId ingress, Priority priority, bool paused) override;
  void note_hop_pause(PortId ingress, std::uint64_t name, bool paused) override;
  void note_merge(std::uint64_t name, std::uint64_t successor) override;
  void note_threshold(PortId ingress) override;

 private:
  /// The purpose of a timer.
  struct TimerSlot {
    enum class Kind : std::uint8_t {
      policy,
      queue_gate,
      priority_gate,
      stage,
      tokens,
      watchdog,  // of one gate
      discard,   // what has entered a queue from which the watchdog drops
    } kind = Kind::policy;
    GateOwner owner = 0;
    // number of the policy in all_, queue, port * kPriorities + priority, stage, queue, or gate of the watchdog
    std::uint32_t target = 0;
  };

  // Each optional feature of the hot path has one flag bit. A switch without any of them pays one test.
  static constexpr unsigned kTraced = 1;
  static constexpr unsigned kArrivalHooks = 2;
  static constexpr unsigned kSeesAdmission = 4;  // a policy wants admit() called
  static constexpr unsigned kWatched = 8;        // an observer watches frames
  static constexpr unsigned kClassified = 16;
  static constexpr unsigned kEnterHooks = 32;
  static constexpr unsigned kCrowdHooks = 64;
  static constexpr unsigned kRanked = 128;          // at least one level is served by rank
  static constexpr unsigned kAskedThreshold = 256;  // xoff is not linear
  static constexpr unsigned kLengthHooks = 512;
  static constexpr unsigned kShaped = 1024;          // at least one queue has its own rate
  static constexpr unsigned kGatesWatched = 2048;    // by a policy or an observer
  static constexpr unsigned kDepartHooks = 4096;     // called for every frame
  static constexpr unsigned kEntriesWatched = 8192;  // an observer is told of all frames that enter queues
  // With one of these, state depends on the frame at the head of a queue.
  static constexpr unsigned kHeadMatters = kRanked | kShaped;
  // With one of these, a frame must enter its queue, ...
  static constexpr unsigned kSeenInQueue = kTraced | kEnterHooks | kShaped;
  // ... and with one of these, it must be admitted, or assigned a queue.
  static constexpr unsigned kOwnAdmission = kSeesAdmission | kAskedThreshold;
  static constexpr unsigned kNotPlain = kSeenInQueue | kClassified | kOwnAdmission;
  // All that can see a frame until it is in its queue, apart from kCrowdHooks.
  static constexpr unsigned kSeenOnArrival =
      kTraced | kArrivalHooks | kOwnAdmission | kWatched | kClassified | kEntriesWatched | kHeadMatters | kEnterHooks;

  void attach_all();
  [[nodiscard]] SwitchPolicy* through_filter(SwitchPolicy* policy);
  void note_extras();
  [[nodiscard]] std::int64_t isolated_length(QueueId queue, const Frame& frame) const override;
  [[nodiscard]] std::int64_t isolated_carried_length(QueueId queue, const Frame& frame) const override;
  [[nodiscard]] WEIR_HOT_INLINE std::int64_t threshold(const IngressState& state, const Frame& frame) const;
  void report_ready(PortId port) {
    bool& reported_ready = ports_[port.index()].reported_ready;
    if (reported_ready) return;
    reported_ready = true;
    ready_ports_[ready_port_count_++] = port;
  }
  void settle() {
    if (timer_is_due()) run_due_timers();
  }
  WEIR_HOT_INLINE void count_received(PortId port, std::size_t frames, std::int64_t bytes);
  /// `kPlain`: there are no extras of kSeenOnArrival.
  template <bool kMayPass, bool kPlain = false>
  WEIR_HOT_INLINE FrameId take(Time now, PortId port, FrameId frame);
  [[nodiscard]] bool timer_is_due() const { return timers_.earliest() <= now_; }
  /// Whether a frame that arrives now would be sent immediately. A timer that is due may have to send something before
  /// it.
  [[nodiscard]] bool idle(const PortState& port) const {
    return port.wire_free_at <= now_ && !port.has_ready() && !port.reported_ready && !timer_is_due();
  }
  /// Whether a switch without these extras certainly admits a lossless frame, and its ingress is not crowded then.
  [[nodiscard]] WEIR_HOT_INLINE bool has_room(const Frame& frame, unsigned without) const;
  WEIR_HOT_INLINE void charge(Frame& frame);
  WEIR_HOT_INLINE bool goes_through(Frame& frame);
  [[nodiscard]] WEIR_HOT_INLINE bool leaves_at_once(QueueId queue) const;
  FrameId pass_through_queue(QueueId queue, FrameId id, Frame& frame, bool crowded);
  WEIR_HOT_INLINE void depart(PortState& port, QueueId queue, Frame& frame);
  WEIR_HOT_INLINE void leave(PortState& port, QueueId queue, Frame& frame, bool of_paused);
  WEIR_HOT_INLINE FrameId next_frame(PortId port);
  WEIR_HOT_INLINE PortId route(Frame& frame);
  /// Charges the buffer for a frame. False, and nothing charged, if it is refused.
  WEIR_HOT_INLINE bool admit(Frame& frame, DropReason& why_not);
  bool policies_admit(const Frame& frame, DropReason& why_not);
  [[nodiscard]] std::int64_t egress_limit(const Frame& frame) const;
  bool admit_to_reserve(Frame& frame);
  // The alternatives for a refused frame (rescue.cpp), and their use of the normal path.
  bool rescue(Frame& frame, DropReason& why_not);
  [[nodiscard]] Rescue ask_for_rescue(const Frame& frame, DropReason why_not);
  bool admit_trimmed(Frame& frame, DropReason& why_not);
  void trim(Frame& frame, const Rescue& how, QueueId queue);
  bool trim_tail(const Rescue& how);
  bool turn_back(Frame& frame, const Rescue& how, DropReason& why_not);
  bool admit_again(Frame& frame, DropReason& why_not);
  PortId route_again(Frame& frame);
  void discharge_part(const Frame& frame);
  void enter(FrameId id, Frame& frame);
  bool admit_own(Frame& frame, DropReason& why_not);
  void discharge_own(const Frame& frame);
  template <bool kMayPass>
  FrameId take_closely(FrameId id, Frame& frame, PortState& out);
  template <bool kMayPass>
  FrameId take_refused(FrameId id, Frame& frame, DropReason why_not);
  /// `rare`: the frame was made in the switch, or was trimmed in a queue.
  template <bool kPlain = false>
  WEIR_HOT_INLINE void enqueue(QueueId queue, FrameId id, Frame& frame, bool rare = false);
  WEIR_HOT_INLINE QueueId classify(Frame& frame);
  [[nodiscard]] WEIR_HOT_INLINE bool crowds(const Frame& frame) const;
  void tell_crowded(QueueId queue, Frame& frame);
  void tell_length(QueueId queue, Frame& frame);
  void tell_paused(QueueId queue, Frame& frame);
  void wake(QueueId queue);
  WEIR_HOT_INLINE void became_active(QueueId id, const QueueState& queue);
  WEIR_HOT_INLINE void update_rank(QueueId queue);
  void head_changed(QueueId queue);
  void head_left(QueueId queue, const Frame& frame);
  void shape(QueueId queue);
  void fire_markers(QueueId queue);
  /// Releases the charge of the frame. Returns whether its ingress is paused.
  WEIR_HOT_INLINE bool discharge(const Frame& frame);
  void trace_receive(PortId port, const Frame& frame);
  void trace_transmit(PortId port, FrameId id);
  void receive_aside(PortId port, FrameId id);
  FrameId next_control(PortState& port);
  void refuse(FrameId frame, DropReason reason);
  void drop_admitted(QueueId queue, FrameId frame, DropReason reason);
  void drop_withdrawn(FrameId frame, DropReason reason);
  void tell_drop(QueueId queue, const Frame& frame, DropReason reason);
  void tell_policies_of_drop(QueueId queue, const Frame& frame, DropReason reason);
  void tell_gate(PortId port, Priority priority, QueueId queue, bool open);
  void run_due_timers();
  void run_timer(std::uint32_t timer);
  void serve(std::uint32_t stage);
  void flush(PortId port);
  void empty_queue(QueueId queue, DropReason reason);
  // The pause watchdog (watchdog.cpp); gates are numbered as PauseWatchdog does.
  void start_watchdog(const PauseWatchdogConfig& config);
  void watch_another();
  /// Flow controls have closed or opened a gate, over all owners together.
  void watch_gate(std::uint32_t gate, bool open);
  [[nodiscard]] bool is_forced_open(std::uint32_t gate) const;
  void note_forced_open(std::uint32_t gate, GateOwner owner, bool open);
  template <class Visit>
  void for_each_queue_behind(std::uint32_t gate, Visit visit);
  void run_watchdog(std::uint32_t gate);
  void begin_storm(std::uint32_t gate);
  void force_open(std::uint32_t gate);
  void end_storm(std::uint32_t gate);
  void end_storm_now(std::uint32_t gate);
  void end_storms_of(PortId port);
  void discard(std::uint32_t gate);
  void discard_all();
  void tell_storm(std::uint32_t gate, bool begins);
  bool dispatch_control(PortId port, const Frame& frame);
  [[nodiscard]] QueueState queue_of(const QueueSpec& spec) const;
  void time_stages();
  std::uint32_t add_timer(TimerSlot slot);
  [[nodiscard]] std::uint32_t priority_gate_timer(PortId port, Priority priority) const {
    return first_priority_gate_timer_ + static_cast<std::uint32_t>(port.index() * kPriorities + priority);
  }
  /// Whether all policies have attached: until then gates can be set, but not for a time, because they have no timers
  /// yet.
  [[nodiscard]] bool attached() const { return !queue_gate_timer_.empty(); }
  /// A gate's timer belongs to the owner that closed the gate until a given time.
  void cancel_gate_timer(std::uint32_t timer, GateOwner owner);

  const FrameTable frame_at_;  // frames_, for access by every frame
  Scheduler scheduler_;
  SwitchPolicies policies_;
  Classifier* classifier_ = nullptr;
  Routes routes_;
  SwitchObserver* observer_ = nullptr;
  SwitchObserver* frame_observer_ = nullptr;  // the same, if it watches frames
  BoundaryTrace<Switch>* trace_ = nullptr;
  unsigned extras_ = 0;

  // The policies that want a hook, in calling order: forwarding, buffer, flow controls, congestion points.
  std::vector<SwitchPolicy*> all_;
  std::vector<SwitchPolicy*> on_arrival_;
  std::vector<SwitchPolicy*> on_enter_;
  std::vector<SwitchPolicy*> on_depart_;
  std::vector<SwitchPolicy*> on_depart_if_queued_;
  std::vector<SwitchPolicy*> on_drop_;
  std::vector<SwitchPolicy*> on_withdraw_;
  std::vector<SwitchPolicy*> on_enter_if_crowded_;
  std::vector<SwitchPolicy*> on_depart_if_paused_;
  std::vector<SwitchPolicy*> rescue_;
  std::vector<SwitchPolicy*> on_trim_;
  std::vector<SwitchPolicy*> on_gate_;
  std::vector<std::unique_ptr<SwitchPolicy>> filters_;  // through which a policy of some priorities is called
  std::array<BufferPolicy*, kPriorities> buffer_of_{};  // by the priority with which frames arrive

  DeadlineHeap timers_;
  std::vector<TimerSlot> timer_slots_;
  std::vector<std::uint32_t> queue_gate_timer_;  // by queue, the timer that opens its gate
  std::uint32_t first_priority_gate_timer_ = 0;  // by port * kPriorities + priority

  std::vector<PortId> ready_ports_;  // the first ready_port_count_
  std::size_t ready_port_count_ = 0;
  std::vector<SwitchPolicy*> more_;
  std::vector<SwitchPolicy*> more_now_;
  GateOwner gate_owners_ = 0;
  std::array<std::uint64_t, kDropReasons> drops_{};
  std::uint64_t pauses_sent_ = 0;
  std::uint64_t frames_trimmed_ = 0;
  std::uint64_t frames_returned_ = 0;
  bool refused_for_good_ = false;  // the frame that admit() refused last may not use a reserve

  /// A queue with its own rate.
  struct Bucket {
    TokenBucket tokens;
    std::uint32_t timer = 0;
  };
  std::vector<Bucket> buckets_;
  std::unique_ptr<PauseWatchdog> watchdog_;  // nullptr: there is none
};

}  // namespace weir
