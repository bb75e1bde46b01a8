// The NIC core: queue pairs, their pacing and windows, acknowledgements, and the gates before them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/nic_config.h"
#include "host/queue_pair_table.h"
#include "policy/boundary_trace.h"
#include "units/deadline_heap.h"

namespace weir {

/// A RoCEv2 NIC with one port as a passive object; see Switch for the contract. Opening a queue pair and posting a
/// message are the driver's (a connection manager's) calls and may allocate; nothing else does.
class Nic final : public NicContext {
 public:
  Nic(FramePool& frames, const NicConfig& config, NicPolicies policies);

  // ---- connections ----
  /// Opens a half. none() when the NIC has no queue pair left.
  QueuePairId open_sender(Time now, const OpenSender& spec);
  QueuePairId open_receiver(Time now, const OpenReceiver& spec);
  /// Tells a half the number of its other half; before the first post or frame.
  void connect_sender(QueuePairId number, QueuePairId remote_number);
  void connect_receiver(QueuePairId number, QueuePairId remote_number);
  void close_sender(Time now, QueuePairId number);
  void close_receiver(Time now, QueuePairId number);
  /// Hands over a message of `size` bytes (above zero); messages of a queue pair go out one behind the other.
  void post(Time now, QueuePairId number, FlowId flow, Bytes size);
  /// Sends nothing new of what was posted; what is in flight is still acknowledged.
  void stop(Time now, QueuePairId number);

  // ---- the four calls of a driver ----
  /// The last bit of `frame` came in. Takes the frame.
  void receive(Time now, FrameId frame);
  /// The same for frames that were taken together, in their order: each as if it were received by itself.
  void receive(Time now, std::span<const FrameId> burst);
  /// The wire is free: gives the frame to put on it, or none() when nothing may be sent now.
  FrameId transmit(Time now);
  /// Runs the timers due at `now` or before.
  void advance(Time now);
  void link(Time now, bool up);

  /// Whether transmit() may now give a frame though it did not before. The driver clears it.
  [[nodiscard]] bool kicked() const { return kicked_; }
  void clear_kicked() { kicked_ = false; }
  [[nodiscard]] Time next_deadline() const { return std::min(timers_.earliest(), pacing_.earliest()); }
  /// Whether transmit() would give a frame once the wire is free. May say yes for a queue pair that a gate holds.
  [[nodiscard]] bool has_ready() const { return control_head_.exists() || ready_places_ != 0; }

  [[nodiscard]] std::span<const Completion> completions() const { return completions_; }
  void clear_completions() { completions_.clear(); }

  /// Records every call from now on, those of the connection manager too; nullptr ends it.
  void record(BoundaryTrace<Nic>* trace) { trace_ = trace; }

  // ---- counters ----
  [[nodiscard]] std::uint64_t frames_received() const { return frames_received_; }  ///< of all kinds, corrupt ones too
  [[nodiscard]] std::int64_t bytes_received() const { return bytes_received_; }
  [[nodiscard]] std::uint64_t data_sent() const { return data_sent_; }
  [[nodiscard]] std::uint64_t data_received() const { return data_received_; }
  [[nodiscard]] std::int64_t payload_kept() const {
    return payload_kept_;
  }  ///< of data that was new (Reception::accepted)
  [[nodiscard]] std::uint64_t retransmitted() const { return retransmitted_; }
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }
  [[nodiscard]] std::uint64_t strays() const { return strays_; }  ///< frames for queue pairs that have closed
  [[nodiscard]] std::uint64_t corrupt() const { return corrupt_; }
  [[nodiscard]] std::size_t open_senders() const { return senders_.open_count(); }
  [[nodiscard]] const ReceiveState* receiver(QueuePairId number) { return receivers_.find(number); }
  /// The opener's name for a receiver half, or nothing when it is closed.
  [[nodiscard]] std::optional<std::uint32_t> connection_of_receiver(QueuePairId number) {
    const Receiver* receiver = receivers_.find(number);
    return receiver == nullptr ? std::nullopt : std::optional(receiver->connection);
  }
  /// For those who only look: visit(const SendState&) for each open sender half in the order of their numbers.
  template <class Visit>
  void watch_senders(Visit visit) {
    senders_.for_each([&](const Sender& sender) { visit(static_cast<const SendState&>(sender)); });
  }
  [[nodiscard]] const SendState* peek_sender(QueuePairId number) { return senders_.find(number); }
  [[nodiscard]] std::size_t frames_held() const;
  /// Whether a pause of the network holds this priority.
  [[nodiscard]] bool priority_gate_open(Priority priority) const { return priority_closed_by_[priority] == 0; }

  // ---- NicContext ----
  SendState* sender(QueuePairId number) override;
  SendState* sender_to(HostId remote, QueuePairId remote_number) override;
  void for_each_sender(void (*visit)(void* context, SendState& sender), void* context) override;
  TimerId new_timer(NicPolicy& policy) override;
  GateOwner new_gate_owner() override;
  GateId new_gate() override;
  void send(FrameId frame) override;
  FrameId new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) override;
  void send_to_host(FrameId frame) override;
  void set_gate(GateId gate, bool open) override;
  void set_gate(SendState& sender, GateOwner owner, bool open) override;
  void move_to_gate(SendState& sender, const NicFlowControl& policy, GateId gate) override;
  void set_priority_gate(Priority priority, GateOwner owner, bool open) override;
  void close_priority_gate_until(Priority priority, GateOwner owner, Time until) override;
  void arm(TimerId timer, Time deadline) override { timers_.arm(timer.value, deadline); }
  void cancel(TimerId timer) override { timers_.cancel(timer.value); }
  void arm(SendState& sender, Time deadline) override;
  void cancel(SendState& sender) override;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kRetryTimer = kPriorities;  // behind those that open the gates of priorities

  /// A message on its way: packets first..end of its queue pair.
  struct Message {
    FlowId flow;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::int64_t offset = 0;  // of its first byte in the queue pair's stream
    std::int64_t size = 0;
    std::uint32_t next = kNone;
  };
  enum class Standing : std::uint8_t {
    idle,     // nothing to send, or no window for it
    waiting,  // for the instant pacing allows
    ready,    // in the ring of its priority
    held,     // by a gate
  };
  struct Sender : SendState {
    std::uint32_t connection = 0;
    std::uint32_t oldest = kNone;  // message not wholly acknowledged
    std::uint32_t newest = kNone;
    std::uint32_t sending = kNone;  // message that packet `next` belongs to
    std::int64_t own_window = kUnlimited;
    Time progress_at;
    Time loss_deadline = Time::never();
    Duration late;  // from the instant pacing allowed to the one at which the driver looked
    Standing standing = Standing::idle;
    bool stopped = false;
    bool touched = false;       // it is in touched_
    std::uint32_t unasked = 0;  // packets since the last that asked for an acknowledgement
    std::uint8_t closed_by = 0;
    std::uint32_t previous = kNone;  // in a ring, or in a gate's list
    std::uint32_t following = kNone;
    std::uint32_t held_by = kNone;  // gate
    BitRate seen_rate;              // at the last look
    std::array<GateId, kNicFlowControls> gates;
  };
  struct Receiver : ReceiveState {
    std::uint32_t connection = 0;
  };
  struct Gate {
    bool open = true;
    std::uint32_t held = kNone;  // list of senders
    // Where gates take turns: of its ready senders one stands in the ring of the priority for all, and the others wait
    // for it to send, in a ring of their own.
    std::uint32_t in_turn = kNone;
    std::uint32_t waiting = kNone;
    std::int64_t deficit = 0;  // bytes it may still send in its turn
  };
  struct TimerSlot {
    NicPolicy* policy = nullptr;  // none: a priority gate, or kRetryTimer
    GateOwner owner = 0;
  };
  struct List {
    FrameId head;
    FrameId tail;
  };

  // nic.cpp
  void receive_data(Frame& frame);
  void receive_acknowledgement(const Frame& frame);
  void answer(Receiver& receiver, Frame& data, Reply reply);
  void trace_receive(const Frame& frame);
  void trace_transmit(FrameId id);
  FrameId next_frame();
  void run_due();
  void run_timer(std::uint32_t timer);
  void take_wire(const Frame& frame, Time start) {
    wire_free_ = start + serialisation_(frame.frame_bytes + framing_.wire_overhead);
  }
  void push(List& list, FrameId frame);
  FrameId pop(List& list);

  // nic_send.cpp
  FrameId build(Sender& sender);
  void mark_sent(Sender& sender, Frame& frame);
  void ask(Sender& sender, Frame& frame, bool in_turn);
  std::uint32_t message_of(const Sender& sender, std::uint32_t sequence) const;
  std::int64_t offset_of(const Sender& sender, std::uint32_t sequence) const;
  void acknowledge(Sender& sender);
  void follow_next(Sender& sender);
  bool follow_rate(Sender& sender);
  void pace(Sender& sender);
  void after_hook(Sender& sender);
  /// Notes a sender that a policy has asked for and may have changed.
  void touch(Sender& sender) {
    if (!std::exchange(sender.touched, true)) touched_.push_back(sender.number);
  }
  void refresh_touched();
  [[nodiscard]] Time loss_deadline(const Sender& sender) const;
  void expect_progress(Sender& sender);
  void check_loss(Sender& sender);

  // nic_schedule.cpp
  /// Whether windows let it send, and there is something. What is sent again is in flight already: a window that a loss
  /// has filled must not hold its repair.
  static bool may_send(const Sender& sender) {
    return sender.resend || (sender.next != sender.end && sender.has_window());
  }
  /// Whether what is in flight would never be acknowledged for want of a packet that asks.
  static bool must_ask(const Sender& sender) {
    return sender.unasked != 0 && sender.next != sender.end && sender.in_flight() > 0;
  }
  void reconsider(Sender& sender);
  void stand(Sender& sender, Standing standing);
  void ring_insert(Sender& sender);
  void ring_remove(Sender& sender);
  void ring_append(std::uint32_t& ring, Sender& sender);
  void ring_unlink(std::uint32_t& ring, Sender& sender);
  void ring_replace(std::uint32_t& ring, Sender& sender, Sender& by);
  /// The gate whose turns it shares, or nullptr when it has its own.
  [[nodiscard]] Gate* turns_of(const Sender& sender) {
    return turns_by_ == kNicFlowControls || !sender.gates[turns_by_].exists()
               ? nullptr
               : &gates_[sender.gates[turns_by_].index()];
  }
  void pass_turn(Gate& gate, Sender& sender);
  void take_turn(Gate& gate, Priority priority, std::int64_t bytes);
  std::uint32_t blocking_gate(const Sender& sender) const;
  Sender* pick(Priority priority);
  void update_level(Priority priority);
  void take_turn(Priority priority, std::int64_t bytes);
  /// What a priority may send in a turn: as in a switch, the largest frame.
  [[nodiscard]] std::int64_t quantum() const {
    return std::max<std::int64_t>(config_.maximum_frame, framing_.data(static_cast<std::uint32_t>(maximum_payload_)));
  }
  [[nodiscard]] std::uint32_t index(const Sender& sender) const { return QueuePairTable<Sender>::index_of(sender); }
  [[nodiscard]] std::uint32_t congestion_timer(std::uint32_t sender) const { return first_sender_timer_ + 2 * sender; }
  [[nodiscard]] std::uint32_t loss_timer(std::uint32_t sender) const { return first_sender_timer_ + 2 * sender + 1; }
  static std::uint64_t peer_key(HostId remote, QueuePairId number) {
    return (static_cast<std::uint64_t>(remote.value) << 32) | number.value;
  }

  const FrameTable frame_at_;  // frames_, where every frame passes
  NicPolicies policies_;
  CongestionHooks hooks_;
  std::vector<NicFlowControl*> on_receive_;  // flow controls that want the hook
  bool marks_sent_ = false;                  // some flow control wants on_sent
  std::size_t turns_by_ = kNicFlowControls;  // the flow control whose gates take turns
  NicConfig config_;
  SerialisationTime serialisation_;
  Time wire_free_;                             // when the last frame's wire time ends, for a driver that comes in time
  std::array<Time, kPriorities> opened_at_{};  // the gate of a priority
  // Each priority has a place of its own in the order of service. Those of one level lie side by side and take turns,
  // in deficit round robin: who has had its share goes behind the others.
  std::array<std::uint8_t, kPriorities> place_of_{};
  std::array<Priority, kPriorities> priority_at_{};
  std::array<std::int64_t, kPriorities> deficit_{};  // by priority, bytes it may still send in its turn
  std::uint8_t shared_places_ = 0;                   // those of levels with several priorities

  QueuePairTable<Sender> senders_;
  QueuePairTable<Receiver> receivers_;
  std::unordered_map<std::uint64_t, std::uint32_t> sender_by_peer_;  // looked up, never walked
  std::vector<Message> messages_;
  std::uint32_t free_message_ = kNone;

  DeadlineHeap timers_;
  DeadlineHeap pacing_;  // by sender index
  std::vector<TimerSlot> timer_slots_;
  std::uint32_t first_sender_timer_ = 0;

  std::array<std::uint32_t, kPriorities> ring_;
  std::array<List, kPriorities> responses_{};
  std::array<std::uint8_t, kPriorities> priority_closed_by_{};
  std::uint8_t ready_places_ = 0;  // with a response or a ready sender that the priority's gate lets pass
  FrameId control_head_;
  FrameId control_tail_;
  std::vector<Gate> gates_;
  GateOwner gate_owners_ = 0;

  BoundaryTrace<Nic>* trace_ = nullptr;
  bool kicked_ = false;
  bool up_ = true;
  std::vector<Completion> completions_;
  std::vector<QueuePairId> touched_;  // senders that a policy has asked for, each once
  std::uint64_t frames_received_ = 0;
  std::int64_t bytes_received_ = 0;
  std::uint64_t data_sent_ = 0;
  std::uint64_t data_received_ = 0;
  std::int64_t payload_kept_ = 0;
  std::uint64_t retransmitted_ = 0;
  std::uint64_t out_of_order_ = 0;
  std::uint64_t strays_ = 0;
  std::uint64_t corrupt_ = 0;
};

}  // namespace weir
