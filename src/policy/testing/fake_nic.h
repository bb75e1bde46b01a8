// SPDX-License-Identifier: Apache-2.0
// A NIC for the tests of policies: its state is set by the test, and what a policy does to it is recorded.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "policy/nic_policy.h"

namespace weir {

namespace detail {
/// A base, so that the pool exists before the context that refers to it.
struct FakeNicPool {
  FramePool pool;
};
}  // namespace detail

/// A NicContext without a NIC: it keeps queue pairs, gates and timers, and the frames it is told to send. It decides
/// nothing by itself; a timer fires only in run_until().
class FakeNic final : private detail::FakeNicPool, public NicContext {
 public:
  /// A NIC of host 0 at 100 Gbit/s behind a link of 1 us, with packets of 1000 bytes and a pool of `frames` frames.
  explicit FakeNic(std::size_t frames = 1024) : FakeNicPool{FramePool(frames)}, NicContext(pool) {
    host_ = HostId(0);
    rate_ = BitRate(100'000'000'000);
    delay_ = Duration::picoseconds(1'000'000);
    maximum_payload_ = 1000;
    random_ = RandomStream(1, 0, 0);
  }

  // ---- setting ----
  /// Moves the clock without firing timers.
  void set_now(Time now) { now_ = now; }
  void set_host(HostId host) { host_ = host; }
  void set_rate(BitRate rate) { rate_ = rate; }
  void set_delay(Duration delay) { delay_ = delay; }
  void set_maximum_payload(std::int64_t bytes) { maximum_payload_ = bytes; }
  void set_notification_priority(Priority priority) { notification_priority_ = priority; }
  void set_framing(const Framing& framing) { framing_ = framing; }
  /// Must outlive the NIC.
  void set_headers(const HeaderLayout& headers) { headers_ = &headers; }
  void set_paths(const PathView* paths) { paths_ = paths; }
  /// Whose on_sender_timer is called.
  void set_congestion_control(CongestionControl& policy) { congestion_control_ = &policy; }

  /// Opens a sender half to `remote` with room for a policy's state. Does not call the policies' open().
  SendState& open_sender(HostId remote = HostId(1), Priority priority = 0) {
    SendState& state = senders_.emplace_back().state;
    state.number = QueuePairId(senders_.size() - 1);
    state.remote_number = QueuePairId(senders_.size() + 999);
    state.remote = remote;
    state.priority = priority;
    state.line_rate = state.rate = rate_;
    state.congestion = PolicyState(senders_.back().congestion.data());
    state.recovery = PolicyState(senders_.back().recovery.data());
    return state;
  }
  /// From here on sender() and sender_to() do not find it.
  void close_sender(const SendState& sender) { senders_[sender.number.index()].open = false; }
  /// The same for the receiver half of a queue pair with `remote`.
  ReceiveState& open_receiver(HostId remote = HostId(1), Priority priority = 0) {
    ReceiveState& state = receivers_.emplace_back().state;
    state.number = QueuePairId(receivers_.size() - 1);
    state.remote_number = QueuePairId(receivers_.size() + 999);
    state.remote = remote;
    state.priority = priority;
    state.congestion = PolicyState(receivers_.back().congestion.data());
    state.recovery = PolicyState(receivers_.back().recovery.data());
    return state;
  }

  /// Moves the clock to `until` and fires what is due on the way, each at its deadline: by deadline, then policies'
  /// timers before those of queue pairs, then by number.
  void run_until(Time until) {
    while (!deadlines_.empty()) {
      const auto due = std::min_element(deadlines_.begin(), deadlines_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
      if (due->second > until) break;
      const auto [of_sender, number] = due->first;
      now_ = std::max(now_, due->second);
      deadlines_.erase(due);
      if (of_sender) {
        congestion_control_->on_sender_timer(*this, senders_[number].state);
      } else {
        timers_[number]->on_timer(*this, TimerId(number));
      }
    }
    now_ = std::max(now_, until);
  }

  // ---- what was done ----
  struct Sent {
    FrameId id;
    Frame frame;   ///< as it was when it was sent
    bool to_host;  ///< by send_to_host(); otherwise to the switch
    Time at;
  };
  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  /// Forgets what was sent and gives the frames back to the pool.
  void release_sent() {
    for (const Sent& sent : sent_) pool.release(sent.id);
    sent_.clear();
  }
  [[nodiscard]] bool gate_open(GateId gate) const { return gates_[gate.index()]; }
  [[nodiscard]] bool gate_open(const SendState& sender, GateOwner owner) const {
    return (senders_[sender.number.index()].closed_by & bit(owner)) == 0;
  }
  /// The gate that move_to_gate() put the queue pair behind last; nothing when it never did.
  [[nodiscard]] std::optional<GateId> moved_to(const SendState& sender, const NicFlowControl& policy) const {
    const auto& gates = senders_[sender.number.index()].moved_to;
    const auto found = gates.find(&policy);
    return found == gates.end() ? std::nullopt : std::optional(found->second);
  }
  /// Every owner has it open, and no closing for a time lasts beyond now.
  [[nodiscard]] bool priority_gate_open(Priority priority) const {
    return priority_closed_by_[priority] == 0 && priority_closed_until_[priority].until <= now_;
  }
  /// The last close_priority_gate_until(); the start of the run when its owner has set the gate since.
  [[nodiscard]] Time priority_closed_until(Priority priority) const { return priority_closed_until_[priority].until; }
  /// Time::never() when it is not armed.
  [[nodiscard]] Time deadline(TimerId timer) const { return deadline({false, timer.value}); }
  [[nodiscard]] Time deadline(const SendState& sender) const { return deadline({true, sender.number.value}); }

  // ---- NicContext ----
  SendState* sender(QueuePairId number) override {
    const bool found = number.index() < senders_.size() && senders_[number.index()].open;
    return found ? &senders_[number.index()].state : nullptr;
  }
  SendState* sender_to(HostId remote, QueuePairId remote_number) override {
    for (Sender& sender : senders_) {
      if (sender.open && sender.state.remote == remote && sender.state.remote_number == remote_number) {
        return &sender.state;
      }
    }
    return nullptr;
  }
  void for_each_sender(void (*visit)(void* context, SendState& sender), void* context) override {
    for (Sender& sender : senders_) {
      if (sender.open) visit(context, sender.state);
    }
  }
  void for_each_sender_to(HostId remote, void (*visit)(void* context, SendState& sender), void* context) override {
    for (auto sender = senders_.rbegin(); sender != senders_.rend(); ++sender) {
      if (sender->open && sender->state.remote == remote) visit(context, sender->state);
    }
  }
  TimerId new_timer(NicPolicy& policy) override {
    timers_.push_back(&policy);
    return TimerId(timers_.size() - 1);
  }
  GateOwner new_gate_owner() override { return gate_owners_++; }
  GateId new_gate() override {
    gates_.push_back(true);
    return GateId(gates_.size() - 1);
  }
  void reserve_gates(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) spare_gates_.push_back(new_gate());
  }
  GateId take_gate() override {
    if (spare_gates_.empty()) return GateId::none();
    const GateId gate = spare_gates_.back();
    spare_gates_.pop_back();
    return gate;
  }
  void return_gate(const NicFlowControl& policy, GateId gate) override {
    gates_[gate.index()] = true;
    for (Sender& sender : senders_) {
      const auto found = sender.moved_to.find(&policy);
      if (found != sender.moved_to.end() && found->second == gate) found->second = GateId::none();
    }
    spare_gates_.push_back(gate);
  }
  void send(FrameId frame) override { sent_.push_back({frame, pool[frame], false, now_}); }
  FrameId new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) override {
    const FrameId id = pool.allocate();
    if (!id.exists()) return id;
    Frame& frame = pool[id];
    frame.kind = FrameKind::ack;
    frame.frame_bytes = framing_.acknowledge();
    frame.priority = receiver.priority;
    frame.source = host_;
    frame.destination = receiver.remote;
    frame.queue_pair = receiver.remote_number;
    frame.sequence = sequence;
    frame.entropy = receiver.entropy;
    return id;
  }
  void send_to_host(FrameId frame) override { sent_.push_back({frame, pool[frame], true, now_}); }
  void set_gate(GateId gate, bool open) override { gates_[gate.index()] = open; }
  void set_gate(SendState& sender, GateOwner owner, bool open) override {
    set_bit(senders_[sender.number.index()].closed_by, owner, !open);
  }
  void move_to_gate(SendState& sender, const NicFlowControl& policy, GateId gate) override {
    senders_[sender.number.index()].moved_to[&policy] = gate;
  }
  void set_priority_gate(Priority priority, GateOwner owner, bool open) override {
    set_bit(priority_closed_by_[priority], owner, !open);
    if (priority_closed_until_[priority].owner == owner) priority_closed_until_[priority] = {};
  }
  void close_priority_gate_until(Priority priority, GateOwner owner, Time until) override {
    set_bit(priority_closed_by_[priority], owner, false);
    priority_closed_until_[priority] = {until, owner};
  }
  void arm(TimerId timer, Time deadline) override { deadlines_[{false, timer.value}] = deadline; }
  void cancel(TimerId timer) override { deadlines_.erase({false, timer.value}); }
  void arm(SendState& sender, Time deadline) override { deadlines_[{true, sender.number.value}] = deadline; }
  void cancel(SendState& sender) override { deadlines_.erase({true, sender.number.value}); }

 private:
  static constexpr std::size_t kStateBytes = 1024;
  struct alignas(16) StateBytes : std::array<std::byte, kStateBytes> {};
  struct Sender {
    SendState state;
    StateBytes congestion{};
    StateBytes recovery{};
    unsigned closed_by = 0;
    std::map<const NicFlowControl*, GateId> moved_to{};
    bool open = true;
  };
  struct Receiver {
    ReceiveState state;
    StateBytes congestion{};
    StateBytes recovery{};
  };
  struct ClosedUntil {
    Time until;
    GateOwner owner = 0;
  };
  using TimerKey = std::pair<bool, std::uint32_t>;  // of a queue pair; number

  static unsigned bit(GateOwner owner) { return 1u << owner; }
  static void set_bit(unsigned& bits, GateOwner owner, bool on) { bits = on ? bits | bit(owner) : bits & ~bit(owner); }
  [[nodiscard]] Time deadline(TimerKey key) const {
    const auto found = deadlines_.find(key);
    return found == deadlines_.end() ? Time::never() : found->second;
  }

  std::deque<Sender> senders_;  // a deque: references last
  std::deque<Receiver> receivers_;
  std::vector<Sent> sent_;
  std::vector<bool> gates_;
  std::vector<GateId> spare_gates_;
  GateOwner gate_owners_ = 0;
  std::array<unsigned, kPriorities> priority_closed_by_{};
  std::array<ClosedUntil, kPriorities> priority_closed_until_{};
  std::vector<NicPolicy*> timers_;
  std::map<TimerKey, Time> deadlines_;
  CongestionControl* congestion_control_ = nullptr;
};

}  // namespace weir
