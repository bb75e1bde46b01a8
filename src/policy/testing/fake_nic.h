// SPDX-License-Identifier: Apache-2.0
// A NIC for the tests of policies: tests set its state, and the actions of a policy are recorded.
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

#include "policy/transport.h"

namespace weir {

namespace detail {
/// A base class, so that the pool exists before the context that refers to it.
struct FakeNicPool {
  FramePool pool;
};
}  // namespace detail

/// A NicContext and TransportContext without a NIC: it keeps queue pairs, messages, gates and timers, and the frames
/// that it is given to send. It decides nothing by itself; timers expire only in run_until(), and a transport is asked
/// for a packet only in send_chosen().
class FakeNic final : private detail::FakeNicPool, public TransportContext {
 public:
  /// A NIC of host 0 at 100 Gbit/s behind a link of 1 us, with packets of 1000 bytes and a pool of `frames` frames.
  explicit FakeNic(std::size_t frames = 1024) : FakeNicPool{FramePool(frames)}, TransportContext(pool) {
    host_ = HostId(0);
    rate_ = BitRate(100'000'000'000);
    delay_ = Duration::picoseconds(1'000'000);
    maximum_payload_ = 1000;
    maximum_frame_ = 1066;
    random_ = RandomStream(1, 0, 0);
  }

  // ---- settings ----
  /// Advances the clock without firing timers.
  void set_now(Time now) { now_ = now; }
  void set_host(HostId host) { host_ = host; }
  void set_hosts(std::size_t hosts) { hosts_ = hosts; }
  void set_rate(BitRate rate) { rate_ = rate; }
  void set_delay(Duration delay) { delay_ = delay; }
  void set_maximum_payload(std::int64_t bytes) { maximum_payload_ = bytes; }
  void set_maximum_frame(std::int64_t bytes) { maximum_frame_ = bytes; }
  void set_notification_priority(Priority priority) { notification_priority_ = priority; }
  void set_framing(const Framing& framing) { framing_ = framing; }
  /// Must outlive the NIC.
  void set_headers(const HeaderLayout& headers) { headers_ = &headers; }
  void set_paths(const PathView* paths) { paths_ = paths; }
  /// Must outlive the NIC.
  void set_receive_buffer(const ReceiveBufferState* buffer) { receive_buffer_ = buffer; }
  /// The policy whose on_sender_timer is called.
  void set_congestion_control(CongestionControl& policy) { congestion_control_ = &policy; }
  /// The policy whose on_sender_timer and on_receiver_timer are called, in place of a congestion control's.
  void set_transport(Transport& policy) { transport_ = &policy; }

  /// Opens a sender half to `remote`, with memory for a policy's state. Does not call the policies' open().
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
  /// Afterwards sender() and sender_to() do not find it.
  void close_sender(const SendState& sender) { senders_[sender.number.index()].open = false; }
  /// The same for receiver() and receiver_from().
  void close_receiver(const ReceiveState& receiver) { receivers_[receiver.number.index()].open = false; }
  /// Appends a message of this size, above zero, to a sender's stream. Does not call on_post().
  MessageView post(SendState& sender, std::int64_t size) {
    const auto packets = static_cast<std::uint32_t>((size + maximum_payload_ - 1) / maximum_payload_);
    const MessageView message{sender.end, sender.end + packets, sender.posted_bytes, size};
    sender.end = message.end;
    sender.posted_bytes += size;
    senders_[sender.number.index()].messages.push_back(message);
    return message;
  }
  /// Asks the transport for a packet of this priority and sends it, as a NIC does when its wire is free. If the
  /// transport has none, or returns one that it must not choose, nothing is returned and the priority is no longer
  /// offered. The frame is among sent(), to a host.
  std::optional<ChosenPacket> send_chosen(Priority priority) {
    const ChosenPacket chosen = transport_->choose(*this, priority);
    const FrameId id = may_choose(chosen) ? pool.allocate() : FrameId::none();
    if (!id.exists()) {
      offer(priority, false);
      return std::nullopt;
    }
    SendState& sender = *chosen.sender;
    Frame& frame = pool[id];
    fill(frame, sender, chosen.sequence, priority);
    if (sequence_before(chosen.sequence, sender.highest_sent)) {
      frame.set_retransmitted(true);
      ++sender.packets_retransmitted;
    } else {
      sender.next = sender.highest_sent = chosen.sequence + 1;
      sender.next_bytes = offset_of(sender, sender.next);
    }
    ++sender.packets_sent;
    transport_->on_sent(*this, sender, frame);
    sender.last_sent = now_;
    send_to_host(id);
    return chosen;
  }
  /// As open_sender, for the receiver half of a queue pair with `remote`.
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

  /// Advances the clock to `until` and fires the timers that expire until then, each at its deadline: by deadline, then
  /// policies' timers before those of sender halves, these before those of receiver halves, then by number.
  void run_until(Time until) {
    while (!deadlines_.empty()) {
      const auto due = std::min_element(deadlines_.begin(), deadlines_.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
      if (due->second > until) break;
      const auto [of, number] = due->first;
      now_ = std::max(now_, due->second);
      deadlines_.erase(due);
      switch (of) {
        case TimerOf::policy:
          timers_[number]->on_timer(*this, TimerId(number));
          break;
        case TimerOf::sender:
          if (transport_ != nullptr) {
            transport_->on_sender_timer(*this, senders_[number].state);
          } else {
            congestion_control_->on_sender_timer(*this, senders_[number].state);
          }
          break;
        case TimerOf::receiver:
          transport_->on_receiver_timer(*this, receivers_[number].state);
          break;
      }
    }
    now_ = std::max(now_, until);
  }

  // ---- recorded actions ----
  struct Sent {
    FrameId id;
    Frame frame;   ///< a copy made when it was sent
    bool to_host;  ///< by send_to_host(); otherwise to the switch
    Time at;
  };
  [[nodiscard]] const std::vector<Sent>& sent() const { return sent_; }
  /// Clears the list of sent frames and returns the frames to the pool.
  void release_sent() {
    for (const Sent& sent : sent_) pool.release(sent.id);
    sent_.clear();
  }
  [[nodiscard]] bool gate_open(GateId gate) const { return gates_[gate.index()]; }
  [[nodiscard]] bool gate_open(const SendState& sender, GateOwner owner) const {
    return (senders_[sender.number.index()].closed_by & bit(owner)) == 0;
  }
  /// The last gate that move_to_gate() assigned to the queue pair; nothing if never called.
  [[nodiscard]] std::optional<GateId> moved_to(const SendState& sender, const NicFlowControl& policy) const {
    const auto& gates = senders_[sender.number.index()].moved_to;
    const auto found = gates.find(&policy);
    return found == gates.end() ? std::nullopt : std::optional(found->second);
  }
  /// All owners have opened it, and no timed closing lasts beyond now.
  [[nodiscard]] bool priority_gate_open(Priority priority) const {
    return priority_closed_by_[priority] == 0 && priority_closed_until_[priority].until <= now_;
  }
  /// The time of the last close_priority_gate_until(); the start of the run if its owner has set the gate since.
  [[nodiscard]] Time priority_closed_until(Priority priority) const { return priority_closed_until_[priority].until; }
  /// Time::never() when it is not armed.
  [[nodiscard]] Time deadline(TimerId timer) const { return deadline({TimerOf::policy, timer.value}); }
  [[nodiscard]] Time deadline(const SendState& sender) const {
    return deadline({TimerOf::sender, sender.number.value});
  }
  [[nodiscard]] Time deadline(const ReceiveState& receiver) const {
    return deadline({TimerOf::receiver, receiver.number.value});
  }
  /// The last value of offer().
  [[nodiscard]] bool offered(Priority priority) const { return offered_[priority]; }
  /// Sum of the bytes reported by keep().
  [[nodiscard]] std::int64_t kept(const ReceiveState& receiver) const {
    return receivers_[receiver.number.index()].kept;
  }
  /// Number of calls of complete_message().
  [[nodiscard]] std::uint32_t completed(const ReceiveState& receiver) const {
    return receivers_[receiver.number.index()].completed;
  }

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
  /// Each note_pause() and note_hop_pause(): the priority or ID, and whether it was a pause.
  struct Noted {
    std::uint64_t name;
    bool paused;
    bool operator==(const Noted&) const = default;
  };
  [[nodiscard]] const std::vector<Noted>& noted() const { return noted_; }
  void note_pause(Priority priority, bool paused) override { noted_.push_back({priority, paused}); }
  void note_hop_pause(std::uint64_t name, bool paused) override { noted_.push_back({name, paused}); }
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
  void arm(TimerId timer, Time deadline) override { deadlines_[{TimerOf::policy, timer.value}] = deadline; }
  void cancel(TimerId timer) override { deadlines_.erase({TimerOf::policy, timer.value}); }
  void arm(SendState& sender, Time deadline) override { deadlines_[{TimerOf::sender, sender.number.value}] = deadline; }
  void cancel(SendState& sender) override { deadlines_.erase({TimerOf::sender, sender.number.value}); }

  // ---- TransportContext ----
  ReceiveState* receiver(QueuePairId number) override {
    const bool found = number.index() < receivers_.size() && receivers_[number.index()].open;
    return found ? &receivers_[number.index()].state : nullptr;
  }
  ReceiveState* receiver_from(HostId remote, QueuePairId remote_number) override {
    for (Receiver& receiver : receivers_) {
      if (receiver.open && receiver.state.remote == remote && receiver.state.remote_number == remote_number) {
        return &receiver.state;
      }
    }
    return nullptr;
  }
  void for_each_receiver(void (*visit)(void* context, ReceiveState& receiver), void* context) override {
    for (Receiver& receiver : receivers_) {
      if (receiver.open) visit(context, receiver.state);
    }
  }
  [[nodiscard]] MessageView message_of(const SendState& sender, std::uint32_t sequence) const override {
    for (const MessageView& message : senders_[sender.number.index()].messages) {
      if (!sequence_before(sequence, message.first) && sequence_before(sequence, message.end)) return message;
    }
    return {};
  }
  [[nodiscard]] bool is_held(const SendState& state) const override {
    const Sender& sender = senders_[state.number.index()];
    return sender.closed_by != 0 || std::any_of(sender.moved_to.begin(), sender.moved_to.end(), [this](const auto& at) {
             return at.second.exists() && !gates_[at.second.index()];
           });
  }
  [[nodiscard]] bool is_open(Priority priority) const override { return priority_gate_open(priority); }
  void offer(Priority priority, bool has_packet) override { offered_[priority] = has_packet; }
  void acknowledge(SendState& sender, std::uint32_t sequence) override {
    if (!sequence_before(sender.unacknowledged, sequence) || sequence_before(sender.highest_sent, sequence)) return;
    sender.unacknowledged = sequence;
    sender.acknowledged_bytes = offset_of(sender, sender.unacknowledged);
  }
  void keep(ReceiveState& receiver, std::int64_t payload) override {
    receivers_[receiver.number.index()].kept += payload;
  }
  void complete_message(ReceiveState& receiver) override { ++receivers_[receiver.number.index()].completed; }
  FrameId new_control(const SendState& sender, std::uint8_t protocol, Priority priority) override {
    return new_control(sender.remote, sender.remote_number, sender.entropy, protocol, priority);
  }
  FrameId new_control(const ReceiveState& receiver, std::uint8_t protocol, Priority priority) override {
    return new_control(receiver.remote, receiver.remote_number, receiver.entropy, protocol, priority);
  }
  void arm(ReceiveState& receiver, Time deadline) override {
    deadlines_[{TimerOf::receiver, receiver.number.value}] = deadline;
  }
  void cancel(ReceiveState& receiver) override { deadlines_.erase({TimerOf::receiver, receiver.number.value}); }

 private:
  static constexpr std::size_t kStateBytes = 2048;
  struct alignas(16) StateBytes : std::array<std::byte, kStateBytes> {};
  struct Sender {
    SendState state;
    StateBytes congestion{};
    StateBytes recovery{};
    unsigned closed_by = 0;
    std::map<const NicFlowControl*, GateId> moved_to{};
    std::vector<MessageView> messages{};
    bool open = true;
  };
  struct Receiver {
    ReceiveState state;
    StateBytes congestion{};
    StateBytes recovery{};
    std::int64_t kept = 0;
    std::uint32_t completed = 0;
    bool open = true;
  };
  struct ClosedUntil {
    Time until;
    GateOwner owner = 0;
  };
  enum class TimerOf : std::uint8_t { policy, sender, receiver };
  using TimerKey = std::pair<TimerOf, std::uint32_t>;  // and its number

  static unsigned bit(GateOwner owner) { return 1u << owner; }
  static void set_bit(unsigned& bits, GateOwner owner, bool on) { bits = on ? bits | bit(owner) : bits & ~bit(owner); }
  [[nodiscard]] Time deadline(TimerKey key) const {
    const auto found = deadlines_.find(key);
    return found == deadlines_.end() ? Time::never() : found->second;
  }

  /// The conditions that a NIC requires of a chosen packet.
  [[nodiscard]] bool may_choose(const ChosenPacket& chosen) const {
    if (chosen.sender == nullptr) return false;
    const SendState& sender = *chosen.sender;
    return !sequence_before(chosen.sequence, sender.unacknowledged) && sequence_before(chosen.sequence, sender.end) &&
           !sequence_before(sender.highest_sent, chosen.sequence) && !is_held(sender);
  }
  /// Of the first byte of a packet, in the queue pair's stream.
  [[nodiscard]] std::int64_t offset_of(const SendState& sender, std::uint32_t sequence) const {
    if (sequence == sender.end) return sender.posted_bytes;
    const MessageView message = message_of(sender, sequence);
    return message.offset + std::int64_t{sequence - message.first} * maximum_payload_;
  }
  void fill(Frame& frame, const SendState& sender, std::uint32_t sequence, Priority priority) const {
    const MessageView message = message_of(sender, sequence);
    const std::int64_t left = message.size - std::int64_t{sequence - message.first} * maximum_payload_;
    frame.kind = FrameKind::data;
    frame.payload_bytes = static_cast<std::uint16_t>(std::min(maximum_payload_, left));
    frame.frame_bytes = static_cast<std::uint16_t>(framing_.data(frame.payload_bytes));
    frame.priority = priority;
    frame.source = host_;
    frame.destination = sender.remote;
    frame.queue_pair = sender.remote_number;
    frame.sequence = sequence;
    frame.entropy = sender.entropy;
    frame.set_ecn(Ecn::capable);
    frame.set_ends_message(sequence + 1 == message.end);
    frame.set_wants_ack(true);
  }
  FrameId new_control(HostId remote, QueuePairId number, std::uint16_t entropy, std::uint8_t protocol,
                      Priority priority) {
    const FrameId id = pool.allocate();
    if (!id.exists()) return id;
    Frame& frame = pool[id];
    frame.kind = FrameKind::host_control;
    frame.protocol = protocol;
    frame.frame_bytes = std::max(framing_.ack, framing_.minimum_frame);
    frame.priority = priority;
    frame.source = host_;
    frame.destination = remote;
    frame.queue_pair = number;
    frame.entropy = entropy;
    return id;
  }

  std::deque<Sender> senders_;  // a deque, so that references stay valid
  std::deque<Receiver> receivers_;
  std::vector<Noted> noted_;
  std::vector<Sent> sent_;
  std::vector<bool> gates_;
  std::vector<GateId> spare_gates_;
  GateOwner gate_owners_ = 0;
  std::array<unsigned, kPriorities> priority_closed_by_{};
  std::array<ClosedUntil, kPriorities> priority_closed_until_{};
  std::vector<NicPolicy*> timers_;
  std::map<TimerKey, Time> deadlines_;
  CongestionControl* congestion_control_ = nullptr;
  Transport* transport_ = nullptr;
  std::array<bool, kPriorities> offered_{};
};

}  // namespace weir
