// SPDX-License-Identifier: Apache-2.0
#include "switch/switch.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "switch/shared_buffer.h"
#include "switch/transmit.h"

namespace weir {

// ---- the path of a frame ----

void Switch::became_active(QueueId id, const QueueState& queue) {
  if (queue.service == Service::scheduled) {
    report_ready(queue.port);
  } else if (queue.service == Service::at_rate) {
    const std::uint32_t index = scheduler_.stage_of(id);
    Scheduler::Stage& stage = scheduler_.stage(index);
    if (!scheduler_.is_alone(id)) return;  // the stage is already running
    stage.free_at = std::max(now_, stage.free_at);
    timers_.arm(stage.timer, stage.free_at);
  }
}

// For files where the way of a frame is not compiled.
void Switch::wake(QueueId queue) {
  became_active(queue, queues_[queue.index()]);
}

template <bool kPlain>
void Switch::enqueue(QueueId queue, FrameId id, Frame& frame, bool rare) {
  QueueState& state = queues_[queue.index()];
  bool active = scheduler_.push(queue, state, id, frame);
  if (kPlain || (extras_ & ((rare ? kWatched : kEntriesWatched) | kHeadMatters | kEnterHooks)) == 0) [[likely]] {
    if (active) became_active(queue, state);
    return;
  }
  if ((extras_ & (rare ? kWatched : kEntriesWatched)) != 0) frame_observer_->on_enter(*this, queue, frame);
  if ((extras_ & kHeadMatters) != 0 && state.head == id) [[unlikely]] {
    head_changed(queue);
    active = active && state.active;
  }
  if (active) became_active(queue, state);
  if ((extras_ & kEnterHooks) != 0) {
    for (SwitchPolicy* policy : on_enter_) policy->on_enter(*this, queue, frame);
  }
}

void Switch::update_rank(QueueId id) {
  QueueState& queue = queues_[id.index()];
  if (!queue.head.exists() || classifier_ == nullptr) return;
  queue.rank = classifier_->rank(*this, frames_[queue.head]);
}

QueueId Switch::classify(Frame& frame) {
  if ((extras_ & kClassified) != 0) return classifier_->classify(*this, frame);
  return default_queue(frame.egress, frame.priority);
}

std::int64_t Switch::threshold(const IngressState& state, const Frame& frame) const {
  if ((extras_ & kAskedThreshold) != 0) return buffer_of_[frame.ingress_priority]->frame_xoff(*this, frame);
  const PoolState& pool = pool_of(frame.ingress_priority);
  const std::int64_t free = std::max<std::int64_t>(0, pool.size - pool.used);
  return state.xoff_base + static_cast<std::int64_t>(state.xoff_share * static_cast<double>(free));
}

bool Switch::crowds(const Frame& frame) const {
  const Priority priority = frame.ingress_priority;
  const IngressState& state = ingress(frame.ingress, priority);
  return !state.paused && buffer_.lossless[priority] && is_crowded(state, threshold(state, frame));
}

[[gnu::noinline]] void Switch::tell_crowded(QueueId queue, Frame& frame) {
  for (SwitchPolicy* policy : on_enter_if_crowded_) policy->on_enter(*this, queue, frame);
}

[[gnu::noinline]] void Switch::tell_length(QueueId queue, Frame& frame) {
  for (SwitchPolicy* policy : on_depart_if_queued_) policy->on_depart(*this, queue, frame);
}

[[gnu::noinline]] void Switch::tell_paused(QueueId queue, Frame& frame) {
  for (SwitchPolicy* policy : on_depart_if_paused_) policy->on_depart(*this, queue, frame);
}

PortId Switch::route(Frame& frame) {
  const Routes::Way way = routes_.way_to(frame.destination);
  if (way.is_port()) return way.port();
  const NextHops hops = routes_.choices(way);
  if (hops.ports.size() > 1 && policies_.forwarding) return policies_.forwarding->choose(*this, frame, hops);
  return hops.ports.empty() ? PortId::none() : hops.ports.front();
}

bool Switch::policies_admit(const Frame& frame, DropReason& why_not) {
  why_not = DropReason::policy;
  const BufferPolicy& buffer = *buffer_of_[frame.ingress_priority];
  if (buffer.sees_admission() && !buffer.admit(*this, frame)) return false;
  if (classifier_ == nullptr || !classifier_->sees_admission() || classifier_->admit(*this, frame)) return true;
  refused_for_good_ = frame.ingress.exists();
  return false;
}

std::int64_t Switch::egress_limit(const Frame& frame) const {
  const BufferPolicy& buffer = *buffer_of_[frame.ingress_priority];
  if ((extras_ & kSeesAdmission) != 0 && buffer.sees_admission()) return buffer.frame_limit(*this, frame);
  return buffer.egress_limit(*this, frame.egress, frame.ingress_priority);
}

bool Switch::admit(Frame& frame, DropReason& why_not) {
  const Priority priority = frame.ingress_priority;
  const std::int64_t bytes = frame.frame_bytes;
  if ((extras_ & kSeesAdmission) != 0 && !policies_admit(frame, why_not)) return false;
  IngressState& ingress = ingress_[frame.ingress.index() * kPriorities + priority];
  PoolState& pool = buffer_.pools[buffer_.pool_of_priority[priority]];
  if (buffer_.lossless[priority]) {
    const std::int64_t limit = threshold(ingress, frame);
    if (!shared_buffer::charge_lossless(buffer_, pool, ingress, bytes, limit)) {
      why_not = DropReason::buffer_full;
      return false;
    }
  } else {
    if (egress_bytes(frame.egress, priority) + bytes > egress_limit(frame)) {
      why_not = DropReason::egress_threshold;
      return false;
    }
    if (!shared_buffer::charge_lossy(buffer_, pool, ingress, bytes)) {
      why_not = DropReason::buffer_full;
      return false;
    }
  }
  frame.charged_bytes = static_cast<std::uint16_t>(bytes);
  return true;
}

// Independent of the buffer policy and the pools: senders need congestion notifications most when the buffer is full.
bool Switch::admit_to_reserve(Frame& frame) {
  const std::int64_t bytes = frame.frame_bytes;
  PortState& out = ports_[frame.egress.index()];
  if (!frame.is_control() || out.uncharged_bytes + bytes > buffer_.control_reserve) return false;
  frame.ingress = PortId::none();
  frame.charged_bytes = static_cast<std::uint16_t>(bytes);
  out.uncharged_bytes += bytes;
  return true;
}

// A frame with no ingress fills the reserve of its port first, then the service pool, where it is treated like a frame
// of a lossy priority. A lossless frame is limited only by the pool, because there is no neighbour that could be paused
// for it. Thresholds of ingresses ignore it (PoolState::made).
bool Switch::admit_own(Frame& frame, DropReason& why_not) {
  if (admit_to_reserve(frame)) return true;
  const std::int64_t bytes = frame.frame_bytes;
  const Priority priority = frame.ingress_priority;
  PoolState& pool = buffer_.pools[buffer_.pool_of_priority[priority]];
  if ((extras_ & kSeesAdmission) != 0 && !policies_admit(frame, why_not)) return false;
  if (!buffer_.lossless[priority] && egress_bytes(frame.egress, priority) + bytes > egress_limit(frame)) {
    why_not = DropReason::egress_threshold;
    return false;
  }
  if (!pool.has_room(bytes)) {
    why_not = DropReason::buffer_full;
    return false;
  }
  pool.made += bytes;
  buffer_.used += bytes;
  buffer_.maximum = std::max(buffer_.maximum, buffer_.used);
  egress_[frame.egress.index() * kPriorities + priority].pooled += static_cast<std::int32_t>(bytes);
  frame.charged_bytes = static_cast<std::uint16_t>(bytes);
  return true;
}

// In the opposite order. The accounts belong to the port and priority, whichever of their frames leaves.
[[gnu::noinline]] void Switch::discharge_own(const Frame& frame) {
  EgressState& egress = egress_[frame.egress.index() * kPriorities + frame.ingress_priority];
  const std::int32_t from_pool = std::min<std::int32_t>(egress.pooled, frame.charged_bytes);
  egress.pooled -= from_pool;
  buffer_.pools[buffer_.pool_of_priority[frame.ingress_priority]].made -= from_pool;
  buffer_.used -= from_pool;
  ports_[frame.egress.index()].uncharged_bytes -= frame.charged_bytes - from_pool;
}

// Stricter than admit() and crowds(): the threshold is computed as if all of the frame's bytes were in the pool.
bool Switch::has_room(const Frame& frame, unsigned without) const {
  const Priority priority = frame.ingress_priority;
  if ((extras_ & without) != 0 || !buffer_.lossless[priority]) return false;
  const IngressState& ingress = ingress_[frame.ingress.index() * kPriorities + priority];
  const PoolState& pool = pool_of(priority);
  const std::int64_t free = pool.size - pool.used - frame.frame_bytes;
  if (free < pool.made || ingress.headroom > 0 || ingress.paused) return false;
  const auto share = static_cast<std::int64_t>(ingress.xoff_share * static_cast<double>(free));
  return ingress.shared + frame.frame_bytes < ingress.xoff_base + share;
}

// As admit() does it.
void Switch::charge(Frame& frame) {
  const Priority priority = frame.ingress_priority;
  PoolState& pool = buffer_.pools[buffer_.pool_of_priority[priority]];
  IngressState& ingress = ingress_[frame.ingress.index() * kPriorities + priority];
  shared_buffer::charge_below_threshold(buffer_, pool, ingress, frame.frame_bytes);
  frame.charged_bytes = frame.frame_bytes;
}

// The only lasting effect of admitting, queueing and dequeueing a frame that nothing observes meanwhile: the maximum
// buffer occupancy.
bool Switch::goes_through(Frame& frame) {
  if (!has_room(frame, kNotPlain)) return false;
  const QueueId queue = default_queue(frame.egress, frame.priority);
  if (queues_[queue.index()].blocked) return false;
  frame.charged_bytes = frame.frame_bytes;
  buffer_.maximum = std::max(buffer_.maximum, buffer_.used + frame.frame_bytes);
  PortState& port = ports_[frame.egress.index()];
  if ((extras_ & (kDepartHooks | kWatched)) == 0) {
    ++port.frames_sent;
    port.bytes_sent += frame.frame_bytes;
    return true;
  }
  // As in leave(): the queue of an idle port is empty unless it is blocked, so hooks that need its length are not
  // called.
  for (SwitchPolicy* policy : on_depart_) policy->on_depart(*this, queue, frame);
  ++port.frames_sent;
  port.bytes_sent += frame.frame_bytes;
  if ((extras_ & kWatched) != 0) frame_observer_->on_pass(*this, queue, frame);
  // No timer was due, and without hooks no policy was called that could have armed one.
  if ((extras_ & kDepartHooks) != 0) settle();
  return true;
}

// Whether a frame that entered this queue of an idle port would leave it immediately and unobserved.
bool Switch::leaves_at_once(QueueId queue) const {
  const QueueState& state = queues_[queue.index()];
  return (extras_ & kSeenInQueue) == 0 && state.service == Service::scheduled && !state.blocked && !timer_is_due();
}

FrameId Switch::pass_through_queue(QueueId queue, FrameId id, Frame& frame, bool crowded) {
  const PortId port = frame.egress;  // not that of the queue: a queue may belong to all ports
  PortState& out = ports_[port.index()];
  // The driver is already serving this port: it need not be notified.
  out.reported_ready = true;
  enqueue(queue, id, frame);
  if (crowded) tell_crowded(queue, frame);
  settle();
  out.reported_ready = false;
  if (!out.has_ready()) return FrameId::none();
  const FrameId first = next_frame(port);
  if ((extras_ & kTraced) != 0) trace_transmit(port, first);
  return first;
}

[[gnu::noinline]] FrameId Switch::next_control(PortState& port) {
  const FrameId id = port.control_head;
  const Frame& frame = frames_[id];
  port.control_head = frame.next;
  if (!port.control_head.exists()) port.control_tail = FrameId::none();
  ++port.frames_sent;
  port.bytes_sent += frame.frame_bytes;
  return id;
}

// ---- the driver's calls ----

template <bool kMayPass, bool kPlain>
FrameId Switch::take(Time now, PortId port, FrameId id) {
  now_ = now;
  Frame& frame = frame_at_[id];
  if (!kPlain && (extras_ & kTraced) != 0) [[unlikely]]
    trace_receive(port, frame);
  frame.clear_meta(now, port);
  if (frame.corrupt() || frame.is_hop_control()) [[unlikely]] {
    receive_aside(port, id);
    return FrameId::none();
  }
  frame.egress = route(frame);
  if (!frame.egress.exists()) [[unlikely]] {
    refuse(id, DropReason::no_route);
    return FrameId::none();
  }
  PortState& out = ports_[frame.egress.index()];
  if (!out.up) [[unlikely]] {
    refuse(id, DropReason::link_down);
    return FrameId::none();
  }
  if (!kPlain && (extras_ & kArrivalHooks) != 0) {
    for (SwitchPolicy* policy : on_arrival_) policy->on_arrival(*this, frame);
  }
  if (kMayPass && idle(out) && goes_through(frame)) return id;
  if (!has_room(frame, kPlain ? 0 : kOwnAdmission)) return take_closely<kMayPass>(id, frame, out);
  charge(frame);
  if (!kPlain && (extras_ & kWatched) != 0) frame_observer_->on_admit(*this, frame);
  const QueueId queue = kPlain ? default_queue(frame.egress, frame.priority) : classify(frame);
  if (kMayPass && idle(out)) {
    if (!leaves_at_once(queue)) return pass_through_queue(queue, id, frame, false);
    depart(out, queue, frame);
    settle();
    return id;
  }
  enqueue<kPlain>(queue, id, frame);
  settle();
  return FrameId::none();
}

// The rest of take() for a frame that is not certain to fit: the buffer may refuse it, and it may crowd its ingress.
template <bool kMayPass>
[[gnu::noinline]] FrameId Switch::take_closely(FrameId id, Frame& frame, PortState& out) {
  if (DropReason why_not{}; !admit(frame, why_not)) [[unlikely]] {
    return take_refused<kMayPass>(id, frame, why_not);
  }
  if ((extras_ & kWatched) != 0) frame_observer_->on_admit(*this, frame);
  const QueueId queue = classify(frame);
  const bool crowded = (extras_ & kCrowdHooks) != 0 && crowds(frame);
  if (kMayPass && idle(out)) {
    if (crowded || !leaves_at_once(queue)) return pass_through_queue(queue, id, frame, crowded);
    depart(out, queue, frame);
    settle();
    return id;
  }
  enqueue(queue, id, frame);
  if (crowded) [[unlikely]]
    tell_crowded(queue, frame);
  settle();
  return FrameId::none();
}

// A frame that the buffer refuses is dropped, unless it is a control frame and its reserve has room, or a policy
// rescues it.
template <bool kMayPass>
[[gnu::noinline]] FrameId Switch::take_refused(FrameId id, Frame& frame, DropReason why_not) {
  const bool may_be_kept = !std::exchange(refused_for_good_, false);
  if (!(may_be_kept && admit_to_reserve(frame)) && !(!rescue_.empty() && rescue(frame, why_not))) {
    refuse(id, why_not);
    return FrameId::none();
  }
  if ((extras_ & kWatched) != 0) frame_observer_->on_admit(*this, frame);
  const QueueId queue = classify(frame);
  // A frame that was admitted after all may crowd its ingress; one in the reserve has none.
  const bool crowded = (extras_ & kCrowdHooks) != 0 && frame.ingress.exists() && crowds(frame);
  if (kMayPass && idle(ports_[frame.egress.index()])) return pass_through_queue(queue, id, frame, crowded);
  enqueue(queue, id, frame);
  if (crowded) tell_crowded(queue, frame);
  settle();
  return FrameId::none();
}

void Switch::count_received(PortId port, std::size_t frames, std::int64_t bytes) {
  PortState& state = ports_[port.index()];
  state.frames_received += frames;
  state.bytes_received += bytes;
}

void Switch::receive(Time now, PortId port, FrameId id) {
  count_received(port, 1, frame_at_[id].frame_bytes);
  take<false>(now, port, id);
}

// The driver has just made the frames, so they are in the cache.
void Switch::receive(Time now, PortId port, std::span<const FrameId> burst) {
  std::int64_t bytes = 0;
  for (const FrameId id : burst) {
    bytes += frame_at_[id].frame_bytes;
    if ((extras_ & kSeenOnArrival) == 0) {
      take<false, true>(now, port, id);
    } else {
      take<false>(now, port, id);
    }
  }
  count_received(port, burst.size(), bytes);
}

FrameId Switch::pass(Time now, PortId port, FrameId id) {
  count_received(port, 1, frame_at_[id].frame_bytes);
  return take<true>(now, port, id);
}

[[gnu::noinline]] void Switch::receive_aside(PortId port, FrameId id) {
  const Frame& frame = frames_[id];
  if (frame.corrupt()) return refuse(id, DropReason::corrupt);
  dispatch_control(port, frame);
  frames_.release(id);
  settle();
}

FrameId Switch::transmit(Time now, PortId port) {
  return transmit_inline(now, port);
}

[[gnu::noinline]] void Switch::trace_receive(PortId port, const Frame& frame) {
  trace_->receive(now_, port, frames_, frame);
}

[[gnu::noinline]] void Switch::trace_transmit(PortId port, FrameId id) {
  trace_->transmit(now_, port, frames_, id);
}

void Switch::advance(Time now) {
  now_ = now;
  if (trace_ != nullptr) [[unlikely]]
    trace_->advance(now);
  run_due_timers();
  if (more_.empty()) return;
  std::swap(more_, more_now_);
  for (SwitchPolicy* policy : more_now_) policy->on_more(*this);
  more_now_.clear();
  settle();
}

void Switch::install(Routes routes) {
  if (trace_ != nullptr) trace_->other(now_, [routes](Switch& node) { node.install(routes); });
  routes_ = std::move(routes);
}

void Switch::link(Time now, PortId port, bool up) {
  now_ = now;
  if (trace_ != nullptr) trace_->link(now, port, up);
  PortState& state = ports_[port.index()];
  state.up = up;
  flush(port);
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    const auto gate = port.index() * kPriorities + priority;
    for (GateOwner owner = 0; owner < gate_owners_; ++owner) {
      set_priority_gate(port, static_cast<Priority>(priority), owner, true);
      scheduler_.for_each_queue_of(port, static_cast<Priority>(priority),
                                   [&](QueueId queue) { set_gate(queue, owner, true); });
    }
    if (ingress_[gate].paused) note_pause(port, static_cast<Priority>(priority), false);
  }
  if (watchdog_ != nullptr) end_storms_of(port);
  for (SwitchPolicy* policy : all_) policy->on_link(*this, port, up);
  if (up) report_ready(port);
  settle();
}

// ---- off the fast path ----

bool Switch::admit_again(Frame& frame, DropReason& why_not) {
  return admit(frame, why_not);
}

PortId Switch::route_again(Frame& frame) {
  return route(frame);
}

void Switch::discharge_part(const Frame& frame) {
  discharge(frame);
}

void Switch::enter(FrameId id, Frame& frame) {
  enqueue(classify(frame), id, frame, true);
}

[[gnu::noinline]] void Switch::head_changed(QueueId queue) {
  if ((extras_ & kRanked) != 0) update_rank(queue);
  if (queues_[queue.index()].shaped) shape(queue);
}

// The head frame has left for the wire.
[[gnu::noinline]] void Switch::head_left(QueueId queue, const Frame& frame) {
  if ((extras_ & kRanked) != 0) update_rank(queue);
  if (!queues_[queue.index()].shaped) return;
  buckets_[scheduler_.bucket_of(queue)].tokens.take(now_, frame.frame_bytes + framing_.wire_overhead);
  shape(queue);
}

// Unblocks a shaped queue if there are tokens for its head frame; otherwise arms a timer.
void Switch::shape(QueueId queue) {
  const QueueState& state = queues_[queue.index()];
  Bucket& bucket = buckets_[scheduler_.bucket_of(queue)];
  Time ready = now_;
  if (!state.empty()) {
    ready = bucket.tokens.ready_at(now_, frames_[state.head].frame_bytes + framing_.wire_overhead);
  }
  if (ready > now_) {
    timers_.arm(bucket.timer, ready);
  } else {
    timers_.cancel(bucket.timer);
  }
  if (scheduler_.set_lacks_tokens(queue, ready > now_)) became_active(queue, state);
}

void Switch::serve(std::uint32_t index) {
  Scheduler::Stage& stage = scheduler_.stage(index);
  const QueueId queue = scheduler_.pick(stage);
  if (!queue.exists()) return;
  const FrameId id = scheduler_.pop(queue, queues_[queue.index()]);
  Frame& frame = frames_[id];
  // Counted from the time it was due, so that a late driver does not reduce the port's rate.
  stage.free_at += ports_[stage.port.index()].serialisation(frame.frame_bytes + framing_.wire_overhead);
  if (stage.ring.exists()) timers_.arm(stage.timer, stage.free_at);
  if ((extras_ & kWatched) != 0) frame_observer_->on_leave(*this, queue, frame);
  enqueue(classifier_->on_leave(*this, queue, frame), id, frame);
  fire_markers(queue);  // frames that a marker releases follow the frames before the marker
}

bool Switch::release(QueueId queue) {
  QueueState& state = queues_[queue.index()];
  if (state.markers != 0) fire_markers(queue);  // called while a frame before a marker is being moved
  if (state.empty() || state.closed_by != 0) return false;
  const FrameId id = scheduler_.pop(queue, state);
  Frame& frame = frames_[id];
  if ((extras_ & kWatched) != 0) frame_observer_->on_leave(*this, queue, frame);
  const QueueId next = classifier_->on_leave(*this, queue, frame);
  if (!ports_[frame.egress.index()].up) {
    drop_admitted(QueueId::none(), id, DropReason::link_down);  // its stay has ended
  } else {
    enqueue(next, id, frame);
  }
  fire_markers(queue);
  return true;
}

bool Switch::insert_marker(QueueId queue, std::uint32_t token) {
  if (queues_[queue.index()].empty()) {
    classifier_->on_marker(*this, queue, token);
    return true;
  }
  const FrameId id = frames_.allocate();
  if (!id.exists()) return false;
  frames_[id].kind = FrameKind::marker;
  frames_[id].tag_value = token;
  scheduler_.push_marker(queues_[queue.index()], id);
  return true;
}

[[gnu::noinline]] void Switch::fire_markers(QueueId queue) {
  for (;;) {
    QueueState& state = queues_[queue.index()];
    if (state.empty() || frames_[state.head].kind != FrameKind::marker) return;
    const FrameId id = scheduler_.pop(queue, state);
    const std::uint32_t token = frames_[id].tag_value;
    frames_.release(id);
    classifier_->on_marker(*this, queue, token);
  }
}

[[gnu::noinline]] void Switch::refuse(FrameId id, DropReason reason) {
  tell_drop(QueueId::none(), frames_[id], reason);
  frames_.release(id);
}

void Switch::drop_admitted(QueueId queue, FrameId id, DropReason reason) {
  discharge(frames_[id]);
  tell_drop(queue, frames_[id], reason);
  frames_.release(id);
}

void Switch::tell_policies_of_drop(QueueId queue, const Frame& frame, DropReason reason) {
  ++drops_[static_cast<std::size_t>(reason)];
  if (frame.egress.exists()) ++ports_[frame.egress.index()].drops;
  for (SwitchPolicy* policy : on_drop_) policy->on_drop(*this, queue, frame, reason);
}

[[gnu::noinline]] void Switch::tell_drop(QueueId queue, const Frame& frame, DropReason reason) {
  tell_policies_of_drop(queue, frame, reason);
  if (observer_ != nullptr) observer_->on_drop(*this, frame, reason);
}

void Switch::flush(PortId port) {
  PortState& state = ports_[port.index()];
  while (state.control_head.exists()) {
    const FrameId id = state.control_head;
    state.control_head = frames_[id].next;
    frames_.release(id);
  }
  state.control_tail = FrameId::none();
  for (std::size_t priority = 0; priority < kPriorities; ++priority) {
    // When notified of a drop, a policy may send a frame, and that frame may get a new queue.
    scheduler_.for_each_queue_of(port, static_cast<Priority>(priority),
                                 [&](QueueId queue) { empty_queue(queue, DropReason::link_down); });
  }
}

void Switch::empty_queue(QueueId queue, DropReason reason) {
  while (!queues_[queue.index()].empty()) {
    const FrameId id = scheduler_.pop(queue, queues_[queue.index()]);
    if (frames_[id].kind == FrameKind::marker) {
      const std::uint32_t token = frames_[id].tag_value;
      frames_.release(id);
      classifier_->on_marker(*this, queue, token);
    } else {
      drop_admitted(queue, id, reason);
    }
  }
}

bool Switch::dispatch_control(PortId port, const Frame& frame) {
  return std::any_of(all_.begin(), all_.end(),
                     [&](SwitchPolicy* policy) { return policy->on_control(*this, port, frame); });
}

ControlVerdict Switch::judge(PortId port, const Frame& frame) const {
  for (const SwitchPolicy* policy : all_) {
    if (const std::optional<ControlVerdict> verdict = policy->judge(*this, port, frame)) return *verdict;
  }
  return ControlVerdict::not_spoken;
}

// ---- timers ----

[[gnu::noinline]] void Switch::run_due_timers() {
  while (timers_.earliest() <= now_) {
    const std::uint32_t timer = timers_.first();
    timers_.cancel(timer);
    run_timer(timer);
  }
}

void Switch::run_timer(std::uint32_t timer) {
  const TimerSlot& slot = timer_slots_[timer];
  switch (slot.kind) {
    case TimerSlot::Kind::policy:
      all_[slot.target]->on_timer(*this, TimerId(timer));
      break;
    case TimerSlot::Kind::queue_gate:
      set_gate(QueueId(slot.target), slot.owner, true);
      break;
    case TimerSlot::Kind::priority_gate:
      set_priority_gate(PortId(slot.target / kPriorities), static_cast<Priority>(slot.target % kPriorities), slot.owner,
                        true);
      break;
    case TimerSlot::Kind::stage:
      serve(slot.target);
      break;
    case TimerSlot::Kind::tokens:
      head_changed(QueueId(slot.target));
      break;
    case TimerSlot::Kind::watchdog:
      run_watchdog(slot.target);
      break;
    case TimerSlot::Kind::discard:
      discard_all();
      break;
  }
}

// ---- requests and actions of policies ----

std::int64_t Switch::isolated_length(QueueId queue, const Frame& frame) const {
  return classifier_->signalled_length(*this, queue, frame);
}

std::int64_t Switch::isolated_carried_length(QueueId queue, const Frame& frame) const {
  return classifier_->carried_length(*this, queue, frame);
}

std::int64_t Switch::xoff(PortId ingress, Priority priority) const {
  return buffer_of_[priority]->xoff(*this, ingress, priority);
}

std::int64_t Switch::xon(PortId ingress, Priority priority) const {
  return buffer_of_[priority]->xon(*this, ingress, priority);
}

void Switch::send(PortId port, FrameId id) {
  PortState& state = ports_[port.index()];
  if (!state.up) return frames_.release(id);
  Frame& frame = frames_[id];
  frame.next = FrameId::none();
  frame.egress = port;
  frame.ingress = PortId::none();
  if (state.control_tail.exists()) {
    frames_[state.control_tail].next = id;
  } else {
    state.control_head = id;
  }
  state.control_tail = id;
  report_ready(port);
}

void Switch::send_to_host(FrameId id) {
  Frame& frame = frames_[id];
  frame.clear_meta(now_, PortId::none());
  frame.egress = route(frame);
  if (!frame.egress.exists()) return refuse(id, DropReason::no_route);
  if (!ports_[frame.egress.index()].up) return refuse(id, DropReason::link_down);
  if (DropReason why_not{}; !admit_own(frame, why_not)) return refuse(id, why_not);
  enter(id, frame);
}

void Switch::set_gate(QueueId queue, GateOwner owner, bool open) {
  if (attached()) cancel_gate_timer(queue_gate_timer_[queue.index()], owner);
  if (watchdog_ != nullptr && is_forced_open(watchdog_->gate_of(queue))) {
    return note_forced_open(watchdog_->gate_of(queue), owner, open);
  }
  const bool was_open = queues_[queue.index()].closed_by == 0;
  if (scheduler_.set_gate(queue, owner, open)) became_active(queue, queues_[queue.index()]);
  if ((extras_ & kGatesWatched) == 0) return;
  const QueueState& state = queues_[queue.index()];
  if (was_open != (state.closed_by == 0)) tell_gate(state.port, state.priority, queue, !was_open);
}

[[gnu::noinline]] void Switch::tell_gate(PortId port, Priority priority, QueueId queue, bool open) {
  if (watchdog_ != nullptr) {
    const std::uint32_t gate = queue.exists() ? watchdog_->gate_of(queue) : PauseWatchdog::gate_of(port, priority);
    if (!is_forced_open(gate)) watch_gate(gate, open);
  }
  if (observer_ != nullptr) {
    if (queue.exists()) {
      observer_->on_queue_gate(*this, queue, open);
    } else {
      observer_->on_priority_gate(*this, port, priority, open);
    }
  }
  for (SwitchPolicy* policy : on_gate_) policy->on_gate(*this, port, priority, queue, open);
}

void Switch::cancel_gate_timer(std::uint32_t timer, GateOwner owner) {
  if (timer_slots_[timer].owner == owner) timers_.cancel(timer);
}

void Switch::close_gate_until(QueueId queue, GateOwner owner, Time until) {
  assert(attached());
  const std::uint32_t timer = queue_gate_timer_[queue.index()];
  timer_slots_[timer].owner = owner;
  set_gate(queue, owner, false);
  timers_.arm(timer, until);
}

void Switch::set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) {
  const bool was_open = priority_gate_open(port, priority);
  if (attached()) cancel_gate_timer(priority_gate_timer(port, priority), owner);
  if (watchdog_ != nullptr && is_forced_open(PauseWatchdog::gate_of(port, priority))) {
    return note_forced_open(PauseWatchdog::gate_of(port, priority), owner, open);
  }
  if (scheduler_.set_priority_gate(port, priority, owner, open)) report_ready(port);
  if ((extras_ & kGatesWatched) != 0 && was_open != priority_gate_open(port, priority)) {
    tell_gate(port, priority, QueueId::none(), !was_open);
  }
}

void Switch::close_priority_gate_until(PortId port, Priority priority, GateOwner owner, Time until) {
  assert(attached());
  const std::uint32_t timer = priority_gate_timer(port, priority);
  timer_slots_[timer].owner = owner;
  set_priority_gate(port, priority, owner, false);
  timers_.arm(timer, until);
}

void Switch::more(SwitchPolicy& policy) {
  if (std::find(more_.begin(), more_.end(), &policy) == more_.end()) more_.push_back(&policy);
}

void Switch::note_pause(PortId ingress, Priority priority, bool paused) {
  IngressState& state = ingress_[ingress.index() * kPriorities + priority];
  if (state.paused == paused) return;
  state.paused = paused;
  if (paused) ++pauses_sent_;
  buffer_of_[priority]->on_pause(*this, ingress, priority, paused);
  if (observer_ != nullptr) observer_->on_pause(*this, ingress, priority, paused);
}

void Switch::note_hop_pause(PortId ingress, std::uint64_t name, bool paused) {
  if (paused) ++pauses_sent_;
  if (observer_ != nullptr) observer_->on_hop_pause(*this, ingress, name, paused);
}

void Switch::note_merge(std::uint64_t name, std::uint64_t successor) {
  if (observer_ != nullptr) observer_->on_merge(*this, name, successor);
}

}  // namespace weir
