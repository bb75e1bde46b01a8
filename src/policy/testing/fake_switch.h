// SPDX-License-Identifier: Apache-2.0
// A switch for the tests of policies: tests set its state, and the actions of a policy are recorded.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "policy/switch_policy.h"

namespace weir {

namespace detail {
/// A base class, so that the pool exists before the context that refers to it.
struct FakeSwitchPool {
  FramePool pool;
};
}  // namespace detail

/// A QueueContext without a switch: it keeps state, gates and timers, and the frames that it is given to send. It moves
/// no frame and counts nothing by itself; timers expire only in run_until().
class FakeSwitch final : private detail::FakeSwitchPool, public QueueContext {
 public:
  /// Switch 0 with this many ports of 100 Gbit/s behind links of 1 us, whose neighbours are hosts, with their default
  /// queues, frames of at most 1,066 bytes, one pool of 1 MB, priority 3 lossless, and a pool of `frames` frames.
  explicit FakeSwitch(std::size_t ports, std::size_t frames = 1024)
      : FakeSwitchPool{FramePool(frames)}, QueueContext(pool) {
    id_ = SwitchId(0);
    maximum_frame_ = 1066;
    random_ = RandomStream(1, 0, 0);
    buffer_.size = 1'000'000;
    buffer_.pools[0].size = buffer_.size;
    buffer_.lossless[3] = true;
    ports_.resize(ports);
    ingress_.resize(ports * kPriorities);
    egress_.resize(ports * kPriorities);
    for (std::size_t port = 0; port < ports; ++port) {
      set_rate(PortId(port), BitRate(100'000'000'000));
      ports_[port].delay = Duration::picoseconds(1'000'000);
      ports_[port].peer.host = HostId(port);
      for (std::size_t priority = 0; priority < kPriorities; ++priority) {
        QueueState queue;
        queue.port = PortId(port);
        queue.priority = static_cast<Priority>(priority);
        queues_.push_back(queue);
      }
    }
  }

  // ---- settings ----
  /// Advances the clock without firing timers.
  void set_now(Time now) { now_ = now; }
  void set_id(SwitchId id) { id_ = id; }
  void set_tier(int tier) { tier_ = tier; }
  void set_hosts(std::size_t hosts) { hosts_ = hosts; }
  void set_keeps_statistics(bool keeps) { keeps_statistics_ = keeps; }
  void set_framing(const Framing& framing) { framing_ = framing; }
  void set_maximum_frame(std::int64_t bytes) { maximum_frame_ = bytes; }
  /// Must outlive the switch.
  void set_headers(const HeaderLayout& headers) { headers_ = &headers; }
  void set_paths(const PathView* paths) { paths_ = paths; }
  void set_breaks_cycle(PortId ingress, PortId egress) {
    breaks_cycle_.resize(ports() * ports());
    breaks_cycle_[ingress.index() * ports() + egress.index()] = true;
  }
  void set_random(RandomStream random) { random_ = random; }
  void set_rate(PortId port, BitRate rate) {
    ports_[port.index()].rate = rate;
    ports_[port.index()].serialisation = SerialisationTime(rate);
  }
  PortState& port_state(PortId port) { return ports_[port.index()]; }
  QueueState& queue_state(QueueId queue) { return queues_[queue.index()]; }
  BufferState& buffer_state() { return buffer_; }
  /// The specification with which a policy requested this queue.
  [[nodiscard]] const QueueSpec& requested(QueueId queue) const { return requested_.at(queue.index()); }
  IngressState& ingress_state(PortId port, Priority priority) {
    return ingress_[port.index() * kPriorities + priority];
  }
  EgressState& egress_state(PortId port, Priority priority) { return egress_[port.index() * kPriorities + priority]; }
  /// The values of xoff() and xon() for every ingress.
  void set_thresholds(std::int64_t xoff, std::int64_t xon) { xoff_ = xoff, xon_ = xon; }
  /// The result of signalled_length(); by default the queue's bytes.
  void set_signalled_length(std::function<std::int64_t(QueueId, const Frame&)> length) {
    signalled_length_ = std::move(length);
    isolates_ = signalled_length_ != nullptr;
  }
  /// The result of carried_length(); by default that of signalled_length().
  void set_carried_length(std::function<std::int64_t(QueueId, const Frame&)> length) {
    carried_length_ = std::move(length);
    isolates_ = true;
  }
  /// The result of release() and insert_marker().
  void set_release_succeeds(bool succeeds) { release_succeeds_ = succeeds; }
  /// Additional action of release(); it may move a frame as the core would.
  void set_on_release(std::function<void(QueueId)> on_release) { on_release_ = std::move(on_release); }
  void set_mark_succeeds(bool succeeds) { mark_succeeds_ = succeeds; }

  /// A frame of the pool as receive() passes it to the policies: it arrived at `ingress` now, and goes to `egress`. It
  /// is a data frame of 1,066 bytes, charged as an admitted one. The pool must not be empty.
  Frame& new_frame(PortId ingress, PortId egress, Priority priority) {
    Frame& frame = pool[pool.allocate()];
    frame.kind = FrameKind::data;
    frame.priority = priority;
    frame.frame_bytes = 1066;
    frame.payload_bytes = 1000;
    frame.set_ecn(Ecn::capable);
    frame.clear_meta(now_, ingress);
    frame.egress = egress;
    frame.charged_bytes = frame.frame_bytes;
    return frame;
  }

  /// Advances the clock to `until` and performs what is due until then, each at its deadline: policies' timers in the
  /// order of their numbers, then openings of gates.
  void run_until(Time until) {
    while (!deadlines_.empty()) {
      const auto due = std::min_element(deadlines_.begin(), deadlines_.end(),
                                        [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
      const auto [alarm, deadline] = *due;
      if (deadline.time > until) break;
      now_ = std::max(now_, deadline.time);
      deadlines_.erase(due);
      switch (alarm.kind) {
        case Alarm::Kind::timer:
          timers_[alarm.number]->on_timer(*this, TimerId(alarm.number));
          break;
        case Alarm::Kind::queue_gate:
          set_gate(QueueId(alarm.number), deadline.owner, true);
          break;
        case Alarm::Kind::priority_gate:
          set_priority_gate(PortId(alarm.number / kPriorities), static_cast<Priority>(alarm.number % kPriorities),
                            deadline.owner, true);
          break;
      }
    }
    now_ = std::max(now_, until);
  }
  /// Calls on_more of the policies that requested it, once each.
  void run_more() {
    const std::vector<SwitchPolicy*> asked = std::exchange(more_, {});
    for (SwitchPolicy* policy : asked) policy->on_more(*this);
  }

  // ---- recorded actions ----
  struct Sent {
    FrameId id;
    Frame frame;  ///< a copy made when it was sent
    PortId port;  ///< none: sent by send_to_host()
    Time at;
  };
  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  /// Clears the list of sent frames and returns the frames to the pool.
  void release_sent() {
    for (const Sent& sent : sent_) pool.release(sent.id);
    sent_.clear();
  }
  struct Pause {
    PortId ingress;
    std::uint64_t name;  ///< the priority, or the ID given to note_hop_pause()
    bool paused;
    Time at;
    auto operator<=>(const Pause&) const = default;
  };
  /// Each note_pause() that changed the state.
  [[nodiscard]] const std::vector<Pause>& pauses() const { return pauses_; }
  [[nodiscard]] const std::vector<Pause>& hop_pauses() const { return hop_pauses_; }
  /// Each note_merge(): root and successor.
  [[nodiscard]] const std::vector<std::pair<std::uint64_t, std::uint64_t>>& merges() const { return merges_; }
  /// The ingresses of all note_threshold() calls, in order.
  [[nodiscard]] const std::vector<PortId>& threshold_notes() const { return threshold_notes_; }
  [[nodiscard]] const std::vector<QueueId>& released() const { return released_; }
  struct Marker {
    QueueId queue;
    std::uint32_t token;
    auto operator<=>(const Marker&) const = default;
  };
  [[nodiscard]] const std::vector<Marker>& markers() const { return markers_; }
  [[nodiscard]] bool gate_open(QueueId queue) const { return queues_[queue.index()].closed_by == 0; }
  /// When a gate that was closed for a time opens; Time::never() if no such opening is pending.
  [[nodiscard]] Time closed_until(QueueId queue) const { return deadline({Alarm::Kind::queue_gate, queue.value}); }
  [[nodiscard]] Time priority_closed_until(PortId port, Priority priority) const {
    return deadline({Alarm::Kind::priority_gate, gate_number(port, priority)});
  }
  /// Time::never() if it is not armed.
  [[nodiscard]] Time deadline(TimerId timer) const { return deadline({Alarm::Kind::timer, timer.value}); }
  [[nodiscard]] std::size_t timers() const { return timers_.size(); }
  [[nodiscard]] bool asked_for_more(const SwitchPolicy& policy) const {
    return std::find(more_.begin(), more_.end(), &policy) != more_.end();
  }
  [[nodiscard]] Discipline discipline(Priority priority) const {
    const auto found = disciplines_.find(priority);
    return found == disciplines_.end() ? Discipline::deficit_round_robin : found->second;
  }

  // ---- SwitchContext ----
  [[nodiscard]] std::int64_t isolated_length(QueueId queue, const Frame& frame) const override {
    return signalled_length_ ? signalled_length_(queue, frame) : queues_[queue.index()].bytes;
  }
  [[nodiscard]] std::int64_t isolated_carried_length(QueueId queue, const Frame& frame) const override {
    return carried_length_ ? carried_length_(queue, frame) : isolated_length(queue, frame);
  }
  [[nodiscard]] std::int64_t xoff(PortId, Priority) const override { return xoff_; }
  [[nodiscard]] std::int64_t xon(PortId, Priority) const override { return xon_; }
  QueueId new_queue(const QueueSpec& spec) override {
    QueueState queue;
    queue.port = spec.port;
    queue.priority = spec.priority;
    queue.stage = spec.stage;
    queue.service = spec.service;
    queue.quantum = static_cast<std::uint32_t>(maximum_frame_) * spec.weight;
    queue.ideal = spec.ideal;
    queue.shaped = spec.rate > BitRate();
    queues_.push_back(queue);
    requested_[queues_.size() - 1] = spec;
    return QueueId(queues_.size() - 1);
  }
  TimerId new_timer(SwitchPolicy& policy) override {
    timers_.push_back(&policy);
    return TimerId(timers_.size() - 1);
  }
  GateOwner new_gate_owner() override { return gate_owners_++; }
  void bind(QueueId queue, const QueueSpec& spec) override {
    QueueState& state = queues_[queue.index()];
    state.port = spec.port;
    state.priority = spec.priority;
    state.stage = spec.stage;
    state.service = spec.service;
  }
  void unbind(QueueId queue) override {
    QueueState& state = queues_[queue.index()];
    state.port = PortId::none();
    state.service = Service::released;
    state.closed_by = 0;
  }
  void set_discipline(Priority priority, Discipline discipline) override { disciplines_[priority] = discipline; }
  void send(PortId port, FrameId frame) override { sent_.push_back({frame, pool[frame], port, now_}); }
  void send_to_host(FrameId frame) override { sent_.push_back({frame, pool[frame], PortId::none(), now_}); }
  void set_gate(QueueId queue, GateOwner owner, bool open) override {
    forget_opening({Alarm::Kind::queue_gate, queue.value}, owner);
    set_bit(queues_[queue.index()].closed_by, owner, !open);
  }
  void close_gate_until(QueueId queue, GateOwner owner, Time until) override {
    set_gate(queue, owner, false);
    deadlines_[{Alarm::Kind::queue_gate, queue.value}] = {until, owner};
  }
  void set_priority_gate(PortId port, Priority priority, GateOwner owner, bool open) override {
    forget_opening({Alarm::Kind::priority_gate, gate_number(port, priority)}, owner);
    set_bit(egress_state(port, priority).closed_by, owner, !open);
  }
  void close_priority_gate_until(PortId port, Priority priority, GateOwner owner, Time until) override {
    set_priority_gate(port, priority, owner, false);
    deadlines_[{Alarm::Kind::priority_gate, gate_number(port, priority)}] = {until, owner};
  }
  bool release(QueueId queue) override {
    released_.push_back(queue);
    if (on_release_) on_release_(queue);
    return release_succeeds_;
  }
  bool insert_marker(QueueId queue, std::uint32_t token) override {
    markers_.push_back({queue, token});
    return mark_succeeds_;
  }
  void arm(TimerId timer, Time deadline) override { deadlines_[{Alarm::Kind::timer, timer.value}] = {deadline, 0}; }
  void cancel(TimerId timer) override { deadlines_.erase({Alarm::Kind::timer, timer.value}); }
  void more(SwitchPolicy& policy) override {
    if (!asked_for_more(policy)) more_.push_back(&policy);
  }
  void note_pause(PortId ingress, Priority priority, bool paused) override {
    if (std::exchange(ingress_state(ingress, priority).paused, paused) != paused) {
      pauses_.push_back({ingress, priority, paused, now_});
    }
  }
  void note_merge(std::uint64_t name, std::uint64_t successor) override { merges_.emplace_back(name, successor); }
  void note_hop_pause(PortId ingress, std::uint64_t name, bool paused) override {
    hop_pauses_.push_back({ingress, name, paused, now_});
  }
  void note_threshold(PortId ingress) override { threshold_notes_.push_back(ingress); }

 private:
  struct Alarm {
    enum class Kind : std::uint8_t { timer, queue_gate, priority_gate } kind;
    std::uint32_t number;
    auto operator<=>(const Alarm&) const = default;
  };
  struct Deadline {
    Time time;
    GateOwner owner;  // whose gate opens
  };
  /// Cancels the pending opening of a gate if it belongs to this owner. Only one owner per gate may close it for a
  /// time.
  void forget_opening(Alarm gate, GateOwner owner) {
    const auto found = deadlines_.find(gate);
    if (found != deadlines_.end() && found->second.owner == owner) deadlines_.erase(found);
  }
  static std::uint32_t gate_number(PortId port, Priority priority) {
    return static_cast<std::uint32_t>(port.index() * kPriorities + priority);
  }
  static void set_bit(std::uint8_t& bits, GateOwner owner, bool on) {
    const unsigned bit = 1u << owner;
    bits = static_cast<std::uint8_t>(on ? bits | bit : bits & ~bit);
  }
  [[nodiscard]] Time deadline(Alarm alarm) const {
    const auto found = deadlines_.find(alarm);
    return found == deadlines_.end() ? Time::never() : found->second.time;
  }

  std::int64_t xoff_ = 100'000;
  std::int64_t xon_ = 90'000;
  std::function<std::int64_t(QueueId, const Frame&)> signalled_length_;
  std::function<std::int64_t(QueueId, const Frame&)> carried_length_;
  bool release_succeeds_ = true;
  std::function<void(QueueId)> on_release_;
  bool mark_succeeds_ = true;
  GateOwner gate_owners_ = 0;
  std::vector<Sent> sent_;
  std::vector<Pause> pauses_;
  std::vector<Pause> hop_pauses_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> merges_;
  std::vector<PortId> threshold_notes_;
  std::vector<QueueId> released_;
  std::vector<Marker> markers_;
  std::vector<SwitchPolicy*> timers_;
  std::vector<SwitchPolicy*> more_;
  std::map<Alarm, Deadline> deadlines_;
  std::map<Priority, Discipline> disciplines_;
  std::map<std::size_t, QueueSpec> requested_;
};

}  // namespace weir
