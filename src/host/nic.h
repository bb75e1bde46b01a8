// SPDX-License-Identifier: Apache-2.0
// The NIC core: queue pairs, their pacing and windows, acknowledgements, and their gates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/first_round_trip_writer.h"
#include "host/nic_config.h"
#include "host/observer.h"
#include "host/queue_pair_table.h"
#include "host/sender_waits.h"
#include "policy/boundary_trace.h"
#include "units/deadline_heap.h"
#include "units/hot_path.h"

namespace weir {

/// A RoCEv2 NIC with one port as a passive object; see Switch for the contract. Only opening a queue pair and posting a
/// message may allocate; these are calls of the driver (its connection manager).
class Nic final : public TransportContext {
 public:
  Nic(FramePool& frames, const NicConfig& config, NicPolicies policies);

  // ---- connections ----
  /// Opens a half. none() if the NIC has no queue pair left.
  QueuePairId open_sender(Time now, const OpenSender& spec);
  QueuePairId open_receiver(Time now, const OpenReceiver& spec);
  /// Sets the number of the other half; to be called before the first post or frame.
  void connect_sender(QueuePairId number, QueuePairId remote_number);
  void connect_receiver(QueuePairId number, QueuePairId remote_number);
  void close_sender(Time now, QueuePairId number);
  void close_receiver(Time now, QueuePairId number);
  /// Posts a message of `size` bytes (above zero); messages of a queue pair are sent in order.
  void post(Time now, QueuePairId number, FlowId flow, Bytes size);
  /// Stops sending new packets of posted messages; packets in flight are still acknowledged.
  void stop(Time now, QueuePairId number);

  // ---- datagrams ----
  /// Posts a frame to a datagram queue pair, which sends it to its other half when gates and pacing permit. The caller
  /// has set the frame's length, its ECN field, and its entropy, by which ECMP identifies its flow. Takes the frame.
  /// False: the queue was full and the frame was dropped, which datagrams_dropped() counts.
  bool send_datagram(Time now, QueuePairId number, FrameId frame);
  /// The oldest received datagram that was not taken yet, or none(). The caller releases it.
  FrameId take_datagram();

  // ---- the four calls of a driver ----
  /// The last bit of `frame` arrived. Takes the frame.
  void receive(Time now, FrameId frame);
  /// The same for frames that were received together, in their order, with the effect of individual calls.
  void receive(Time now, std::span<const FrameId> burst);
  /// The wire is free: returns the frame to put on it, or none() if nothing may be sent now.
  FrameId transmit(Time now);
  /// Runs the timers due at `now` or before.
  void advance(Time now);
  void link(Time now, bool up);

  /// Whether transmit() may now return a frame though it did not before. The driver clears it.
  [[nodiscard]] bool became_ready() const { return became_ready_; }
  void clear_ready() { became_ready_ = false; }
  [[nodiscard]] Time next_deadline() const { return std::min(timers_.earliest(), pacing_.earliest()); }
  /// Whether transmit() would return a frame once the wire is free. May be true for a queue pair that a gate blocks.
  [[nodiscard]] bool has_ready() const { return control_head_.exists() || ready_places_ != 0; }

  /// Prefetches the queue pairs for the next transmit(), and for receive() of a frame that has not arrived yet; nullptr
  /// for no frame. fetch_details(), a little later, does so with what belongs to them. The object itself must be in the
  /// cache.
  WEIR_HOT_INLINE void fetch_queue_pairs(const Frame* arriving) const {
    if (arriving != nullptr) {
      if (arriving->kind == FrameKind::data) {
        receivers_.prefetch(arriving->queue_pair);
      } else {
        senders_.prefetch(arriving->queue_pair);
      }
    }
    if (const QueuePairId next = next_to_send(); next.exists()) senders_.prefetch(next);
  }
  WEIR_HOT_INLINE void fetch_details(const Frame* arriving) const {
    if (arriving != nullptr && arriving->kind != FrameKind::data) fetch_details(arriving->queue_pair);
    fetch_details(next_to_send());
  }

  [[nodiscard]] std::span<const Completion> completions() const { return completions_; }
  void clear_completions() { completions_.clear(); }

  void observe(NicObserver* observer) { observer_ = observer; }
  /// Records every call from now on, including those of the connection manager; nullptr ends it.
  void record(BoundaryTrace<Nic>* trace) {
    trace_ = trace;
    note_extras();
  }

  // ---- counters ----
  [[nodiscard]] std::uint64_t frames_received() const {
    return frames_received_;
  }  ///< of all kinds, including corrupt ones
  [[nodiscard]] std::int64_t bytes_received() const { return bytes_received_; }
  [[nodiscard]] std::uint64_t data_sent() const { return data_sent_; }
  [[nodiscard]] std::uint64_t data_received() const { return data_received_; }
  [[nodiscard]] std::int64_t payload_kept() const { return payload_kept_; }  ///< of new data (Reception::accepted)
  [[nodiscard]] std::uint64_t retransmitted() const { return retransmitted_; }
  [[nodiscard]] std::uint64_t out_of_order() const { return out_of_order_; }
  /// Frames for queue pairs that have closed, and trimmed frames without a transport to interpret them.
  [[nodiscard]] std::uint64_t strays() const { return strays_; }
  [[nodiscard]] std::uint64_t corrupt() const { return corrupt_; }
  /// Dropped by full queues of this NIC.
  [[nodiscard]] std::uint64_t datagrams_dropped() const { return rare_ ? rare_->datagrams_dropped : 0; }
  /// Frames that did not fit into the receive buffer.
  [[nodiscard]] std::uint64_t receive_overflows() const { return rare_ ? rare_->overflows : 0; }
  /// Of these, frames of lossless priorities.
  [[nodiscard]] std::uint64_t lossless_overflows() const { return rare_ ? rare_->lossless_overflows : 0; }
  [[nodiscard]] std::span<const std::unique_ptr<NicFlowControl>> flow_controls() const {
    return policies_.flow_control;
  }
  /// Whether this gate is assigned to a queue pair of this NIC.
  [[nodiscard]] static bool stands_behind(const SendState& sender, GateId gate) {
    const auto& gates = static_cast<const Sender&>(sender).gates;
    return std::find(gates.begin(), gates.end(), gate) != gates.end();
  }
  /// Whether a flow control blocks a queue pair of this NIC individually.
  [[nodiscard]] static bool held_by_itself(const SendState& sender) {
    return static_cast<const Sender&>(sender).closed_by != 0;
  }
  [[nodiscard]] bool gate_open(GateId gate) const { return gates_[gate.index()].open; }
  [[nodiscard]] std::size_t gates() const { return gates_.size(); }
  /// Whether something waits to be sent, and gates block all of it. (Frames of queue pairs with a closed gate that
  /// became ready while the wire was busy count from the next transmit() on.) For queue pairs of a transport: packets
  /// that were never sent wait while the queue pair is blocked or its SendState::priority is closed; only the transport
  /// knows what else it would send.
  [[nodiscard]] bool holds_back() const { return has_closed_gates() && holds_back_behind_gates(); }
  /// All policies, in the order of their roles.
  [[nodiscard]] std::vector<const NicPolicy*> policies() const {
    std::vector<const NicPolicy*> out;
    if (transport_ != nullptr) {
      out.push_back(transport_);
    } else {
      out = {policies_.congestion_control.get(), policies_.loss_recovery.get()};
    }
    for (const auto& policy : policies_.flow_control) out.push_back(policy.get());
    if (policies_.forwarding) out.push_back(policies_.forwarding.get());
    return out;
  }
  [[nodiscard]] std::size_t open_senders() const { return senders_.open_count(); }
  /// The opener's identifier of a receiver half, or nothing if it is closed.
  [[nodiscard]] std::optional<std::uint32_t> connection_of_receiver(QueuePairId number) {
    const Receiver* receiver = receivers_.find(number);
    return receiver == nullptr ? std::nullopt : std::optional(receiver->connection);
  }
  /// Read-only access: visit(const SendState&) for each open sender half, in the order of their numbers.
  template <class Visit>
  void watch_senders(Visit visit) {
    senders_.for_each([&](const Sender& sender) { visit(static_cast<const SendState&>(sender)); });
  }
  [[nodiscard]] const SendState* peek_sender(QueuePairId number) { return senders_.find(number); }
  [[nodiscard]] const ReceiveState* peek_receiver(QueuePairId number) { return receivers_.find(number); }
  /// The sender half that is connected to this queue pair, or nullptr.
  [[nodiscard]] const SendState* peek_sender_to(HostId remote, QueuePairId remote_number) {
    const auto found = sender_by_peer_.find(peer_key(remote, remote_number));
    return found == sender_by_peer_.end() ? nullptr : &senders_.at(found->second);
  }
  /// Whether a half of this NIC is that of a datagram queue pair.
  [[nodiscard]] static bool carries_datagrams(const SendState& sender) {
    return static_cast<const Sender&>(sender).datagrams != kNone;
  }
  [[nodiscard]] static bool carries_datagrams(const ReceiveState& receiver) {
    return static_cast<const Receiver&>(receiver).datagrams;
  }
  [[nodiscard]] std::size_t frames_held() const;
  /// Whether no pause of the network blocks this priority.
  [[nodiscard]] bool priority_gate_open(Priority priority) const { return priority_closed_by_[priority] == 0; }

  /// The time for which a sender half was blocked, by cause, from its opening to the last call. Nothing without
  /// NicConfig::measure_waits, and with a transport.
  [[nodiscard]] std::optional<SenderWaits> sender_waits(QueuePairId number);
  [[nodiscard]] bool measures_waits() const { return waits_ != nullptr; }

  // ---- NicContext ----
  SendState* sender(QueuePairId number) override;
  SendState* sender_to(HostId remote, QueuePairId remote_number) override;
  void for_each_sender(void (*visit)(void* context, SendState& sender), void* context) override;
  void for_each_sender_to(HostId remote, void (*visit)(void* context, SendState& sender), void* context) override;
  TimerId new_timer(NicPolicy& policy) override;
  GateOwner new_gate_owner() override;
  GateId new_gate() override;
  void reserve_gates(std::size_t count) override;
  void send(FrameId frame) override;
  FrameId new_acknowledgement(const ReceiveState& receiver, std::uint32_t sequence) override;
  void send_to_host(FrameId frame) override;
  GateId take_gate() override;
  void return_gate(const NicFlowControl& policy, GateId gate) override;
  void note_pause(Priority priority, bool paused) override {
    if (observer_ != nullptr) observer_->on_pause(*this, priority, paused);
  }
  void note_hop_pause(std::uint64_t name, bool paused) override {
    if (observer_ != nullptr) observer_->on_hop_pause(*this, name, paused);
  }
  void set_gate(GateId gate, bool open) override;
  void set_gate(SendState& sender, GateOwner owner, bool open) override;
  void move_to_gate(SendState& sender, const NicFlowControl& policy, GateId gate) override;
  void set_priority_gate(Priority priority, GateOwner owner, bool open) override;
  void close_priority_gate_until(Priority priority, GateOwner owner, Time until) override;
  void arm(TimerId timer, Time deadline) override { timers_.arm(timer.value, deadline); }
  void cancel(TimerId timer) override { timers_.cancel(timer.value); }
  void arm(SendState& sender, Time deadline) override;
  void cancel(SendState& sender) override;

  // ---- TransportContext ----
  ReceiveState* receiver(QueuePairId number) override { return receivers_.find(number); }
  ReceiveState* receiver_from(HostId remote, QueuePairId remote_number) override;
  void for_each_receiver(void (*visit)(void* context, ReceiveState& receiver), void* context) override;
  [[nodiscard]] MessageView message_of(const SendState& sender, std::uint32_t sequence) const override;
  [[nodiscard]] bool is_held(const SendState& sender) const override;
  [[nodiscard]] bool is_open(Priority priority) const override { return priority_gate_open(priority); }
  void offer(Priority priority, bool has_packet) override;
  void acknowledge(SendState& sender, std::uint32_t sequence) override;
  void keep(ReceiveState& receiver, std::int64_t payload) override;
  void complete_message(ReceiveState& receiver) override;
  FrameId new_control(const SendState& sender, std::uint8_t protocol, Priority priority) override;
  FrameId new_control(const ReceiveState& receiver, std::uint8_t protocol, Priority priority) override;
  void arm(ReceiveState& receiver, Time deadline) override;
  void cancel(ReceiveState& receiver) override;

 private:
  /// The place of the queue pair that transmit() probably chooses; none() if it is not known.
  [[nodiscard]] WEIR_HOT_INLINE QueuePairId next_to_send() const {
    return ready_places_ == 0
               ? QueuePairId::none()
               : QueuePairId(ring_[priority_at_[static_cast<std::size_t>(std::countr_zero(ready_places_))]]);
  }
  WEIR_HOT_INLINE void fetch_details(QueuePairId number) const {
    const auto place = static_cast<std::uint32_t>(weir::place_of(number));
    if (place >= senders_.size()) return;
    const Sender& sender = senders_.at(place);
    if (sender.oldest < messages_.size()) prefetch(&messages_[sender.oldest]);
    timers_.prefetch(loss_timer(place));
    if (waits_ != nullptr) prefetch(&waits_->clocks[place]);
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::uint32_t kRetryTimer = kPriorities;      // after those that open the gates of priorities
  static constexpr std::uint32_t kDrainTimer = kPriorities + 1;  // of the receive buffer

  /// A message in transfer: packets first..end of its queue pair.
  struct Message {
    FlowId flow;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::int64_t offset = 0;  // of its first byte in the queue pair's stream
    std::int64_t size = 0;
    std::uint32_t next = kNone;
  };
  enum class Standing : std::uint8_t {
    idle,     // nothing to send, or its window is full
    waiting,  // for the time that pacing permits
    ready,    // in the ring of its priority
    held,     // by a gate
  };
  struct Sender : SendState {
    std::uint32_t connection = 0;
    std::uint32_t oldest = kNone;  // message that is not completely acknowledged
    std::uint32_t newest = kNone;
    std::uint32_t sending = kNone;  // message of packet `next`
    std::int64_t own_window = kUnlimited;
    Time progress_at;
    Time loss_deadline = Time::never();
    Duration late;  // from the time that pacing permitted to the driver's call
    Standing standing = Standing::idle;
    bool stopped = false;
    bool touched = false;       // it is in touched_
    std::uint32_t unasked = 0;  // packets since the last one that requested an acknowledgement
    std::uint8_t closed_by = 0;
    std::uint32_t previous = kNone;  // in a ring, or in a gate's list
    std::uint32_t following = kNone;
    std::uint32_t held_by = kNone;         // gate
    std::uint32_t datagrams = kNone;       // its queue of datagrams
    std::uint32_t next_to_remote = kNone;  // the sender to the same host that was opened before it
    BitRate seen_rate;                     // at the last check
    std::array<GateId, kNicFlowControls> gates;
  };
  struct Receiver : ReceiveState {
    std::uint32_t connection = 0;
    bool datagrams = false;
  };
  struct Gate {
    bool open = true;
    std::uint32_t held = kNone;  // list of senders
    std::uint32_t members = 0;   // senders that are assigned to it
    // With gates that are queues: of its ready senders one is in the ring of the priority on behalf of all; the others
    // wait in a separate ring.
    std::uint32_t in_turn = kNone;
    std::uint32_t waiting = kNone;
    std::int64_t deficit = 0;  // bytes that it may still send in its turn
  };
  struct TimerSlot {
    NicPolicy* policy = nullptr;  // none: a priority gate, or kRetryTimer
    GateOwner owner = 0;
  };
  struct List {
    FrameId head;
    FrameId tail;
  };
  /// The frames in a datagram queue pair.
  struct DatagramQueue {
    List frames;
    std::int64_t bytes = 0;
    std::int64_t limit = 0;
  };

  /// State that only few NICs need: kept separately, so that the others are small.
  struct Rare {
    // For reserved gates or a transport: queue pairs by their remote host.
    std::unordered_map<std::uint32_t, std::uint32_t> newest_to;         // by remote host, the head of a list
    std::unordered_map<std::uint64_t, std::uint32_t> receiver_by_peer;  // as sender_by_peer_
    std::vector<GateId> spare_gates;                                    // reserved gates that are not in use
    // Datagrams.
    std::vector<DatagramQueue> datagram_queues;
    std::vector<std::uint32_t> free_datagram_queues;
    List datagrams_in;
    std::uint64_t datagrams_dropped = 0;
    // The receive buffer.
    ReceiveBufferState buffer;
    List buffered;
    Time drained_at;  // when the host can take the next frame
    std::uint64_t overflows = 0;
    std::uint64_t lossless_overflows = 0;
    std::vector<NicFlowControl*> on_buffer;
    // The mark of first round trips.
    std::unique_ptr<FirstRoundTripWriter> first_round_trip;
  };

  struct WaitClock {
    SenderWaits sum;
    Time since;              // the last update
    Duration closed_before;  // closed_time() at that time
    bool unsent = false;     // it had packets to send at that time
  };
  /// With NicConfig::measure_waits.
  struct Waits {
    std::vector<WaitClock> clocks;               // by sender
    std::array<Duration, kPriorities> closed{};  // without the time since closed_at
    std::array<Time, kPriorities> closed_at{};   // of priorities that are currently closed
  };

  // Each optional feature of the receive path has one flag bit. A NIC without any of them pays one test.
  static constexpr unsigned kTraced = 1;
  static constexpr unsigned kReceiveHooks = 2;
  static constexpr unsigned kTransport = 4;
  static constexpr unsigned kBuffered = 8;
  static constexpr unsigned kDatagrams = 16;
  static constexpr unsigned kPeers = 32;

  // nic.cpp
  void take(Frame& frame);
  bool keeps_headers(const Frame& frame);
  bool receive_aside(FrameId id, Frame& frame);
  void after_receive() {
    if (!touched_.empty()) refresh_touched();
    if (next_deadline() <= now_) run_due();
  }
  void try_again_later();
  void note_extras();
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
  WEIR_HOT_INLINE std::uint16_t fill(Frame& frame, const Sender& sender, const Message& message,
                                     std::uint32_t sequence);
  /// A frame of the sender begins: now, unless the driver is a poll loop, which is late and takes packets ahead of the
  /// wire. It counts from the time at which it would have begun, so that neither changes the rate.
  void begin(Sender& sender, const Frame& frame) {
    sender.last_sent = std::max({sender.next_send, sender.ready_at, wire_free_, opened_at_[sender.priority]});
    sender.last_wire_bytes = frame.frame_bytes + framing_.wire_overhead;
    take_wire(frame, sender.last_sent);
  }
  static MessageView view_of(const Message& message) {
    return {message.first, message.end, message.offset, message.size};
  }
  Rare& rare() {
    if (!rare_) rare_ = std::make_unique<Rare>();
    return *rare_;
  }
  /// Whether queue pairs are looked up by their remote host.
  [[nodiscard]] bool follows_peers() const { return (extras_ & kPeers) != 0; }
  void forget_peer(Sender& sender);
  void mark_sent(Sender& sender, Frame& frame);
  void ask(Sender& sender, Frame& frame, bool in_turn);
  std::uint32_t slot_of(const Sender& sender, std::uint32_t sequence) const;
  std::int64_t offset_of(const Sender& sender, std::uint32_t sequence) const;
  void acknowledge(Sender& sender);
  void follow_next(Sender& sender);
  bool follow_rate(Sender& sender);
  void pace(Sender& sender);
  void after_hook(Sender& sender);
  /// Records a sender that a policy has looked up and may have changed.
  void touch(Sender& sender) {
    if (transport_ != nullptr) return;
    if (!std::exchange(sender.touched, true)) touched_.push_back(sender.number);
  }
  void refresh_touched();
  [[nodiscard]] Time loss_deadline(const Sender& sender) const;
  void expect_progress(Sender& sender);
  void check_loss(Sender& sender);

  // nic_transport.cpp
  void take_by_transport(Frame& frame);
  FrameId build_chosen(Priority priority, bool& exhausted);
  void follow_gates();
  [[nodiscard]] bool holds_back_behind_gates() const;
  [[nodiscard]] bool holds_back_from_transport() const;
  /// Whether anything may be blocked.
  [[nodiscard]] bool has_closed_gates() const { return some_priority_closed() || closed_ != 0 || held_senders_ != 0; }
  [[nodiscard]] bool some_priority_closed() const { return std::bit_cast<std::uint64_t>(priority_closed_by_) != 0; }
  FrameId new_control(HostId remote, QueuePairId number, std::uint16_t entropy, std::uint8_t protocol,
                      Priority priority);

  // nic_datagram.cpp
  void open_datagram_queue(Sender& sender, std::int64_t limit);
  void close_datagram_queue(Sender& sender);
  FrameId build_datagram(Sender& sender);
  void drop_datagrams(Sender& sender);
  bool receive_datagram(FrameId id, Frame& frame);

  // nic_buffer.cpp
  void enter_buffer(FrameId id, Frame& frame);
  void drain_buffer();
  void tell_buffer(Priority priority);

  // nic_waits.cpp
  [[nodiscard]] Duration closed_time(Priority priority) const;
  void note_priority(Priority priority, unsigned closed_by);
  void note_wait(const Sender& sender);
  void restart_wait(const Sender& sender);
  void note_timeout(const Sender& sender);

  // nic_schedule.cpp
  /// Whether it has something to send and windows permit it. Retransmissions are in flight already: a window that is
  /// full of a loss must not block its repair.
  static bool may_send(const Sender& sender) {
    return sender.resend || (sender.next != sender.end && sender.has_window());
  }
  /// Whether the packets in flight would never be acknowledged because none requests an acknowledgement.
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
  /// The gate with which it shares its service, or nullptr if it is served by itself.
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
  /// Bytes per turn of a priority: as in a switch, the largest frame.
  [[nodiscard]] std::int64_t quantum() const { return maximum_frame_; }
  [[nodiscard]] std::uint32_t index(const Sender& sender) const { return QueuePairTable<Sender>::index_of(sender); }
  [[nodiscard]] std::uint32_t congestion_timer(std::uint32_t sender) const { return first_sender_timer_ + 2 * sender; }
  [[nodiscard]] std::uint32_t loss_timer(std::uint32_t sender) const { return first_sender_timer_ + 2 * sender + 1; }
  /// A transport has no loss timers; its receivers use their slots.
  [[nodiscard]] std::uint32_t receiver_timer(std::uint32_t receiver) const {
    return first_sender_timer_ + 2 * receiver + 1;
  }
  static std::uint64_t peer_key(HostId remote, QueuePairId number) {
    return (static_cast<std::uint64_t>(remote.value) << 32) | number.value;
  }

  const FrameTable frame_at_;  // frames_, for access by every frame
  NicPolicies policies_;
  Transport* transport_ = nullptr;  // none: congestion control and loss recovery are the transport
  unsigned extras_ = 0;
  CongestionHooks hooks_;
  std::vector<NicFlowControl*> on_receive_;  // flow controls with this hook
  bool marks_sent_ = false;                  // on_sent_ is not empty
  struct SentHook {
    NicFlowControl* policy;
    std::size_t gate;  // Sender::gates
  };
  std::vector<SentHook> on_sent_;
  std::size_t turns_by_ = kNicFlowControls;  // the flow control whose gates are queues
  NicConfig config_;
  SerialisationTime serialisation_;
  Time wire_free_;                             // when the last frame's wire time ends, for a driver that is not late
  std::array<Time, kPriorities> opened_at_{};  // of the gate of a priority
  // Each priority has its own place in the order of service. Those of one level are adjacent and take turns, in deficit
  // round robin: a priority that has used its share goes behind the others.
  std::array<std::uint8_t, kPriorities> place_of_{};
  std::array<Priority, kPriorities> priority_at_{};
  std::array<std::int64_t, kPriorities> deficit_{};  // by priority, bytes that it may still send in its turn
  std::uint8_t shared_places_ = 0;                   // those of levels with several priorities

  QueuePairTable<Sender> senders_;
  QueuePairTable<Receiver> receivers_;
  std::unordered_map<std::uint64_t, std::uint32_t> sender_by_peer_;  // looked up, never iterated
  std::vector<Message> messages_;
  std::uint32_t free_message_ = kNone;

  DeadlineHeap timers_;
  DeadlineHeap pacing_;  // by sender index
  std::vector<TimerSlot> timer_slots_;
  std::uint32_t first_sender_timer_ = 0;

  std::array<std::uint32_t, kPriorities> ring_;
  std::array<List, kPriorities> responses_{};
  std::array<std::uint8_t, kPriorities> priority_closed_by_{};
  std::uint8_t ready_places_ = 0;  // with a response or a ready sender that the priority's gate permits
  FrameId control_head_;
  FrameId control_tail_;
  std::vector<Gate> gates_;
  GateOwner gate_owners_ = 0;

  std::unique_ptr<Rare> rare_;
  std::unique_ptr<Waits> waits_;  // none: not measured
  NicObserver* observer_ = nullptr;
  std::uint32_t held_senders_ = 0;  // Standing::held
  std::int32_t closed_ = 0;         // closed gates of queue pairs, and queue pairs that are blocked individually
  BoundaryTrace<Nic>* trace_ = nullptr;
  bool became_ready_ = false;
  bool up_ = true;
  std::vector<Completion> completions_;
  std::vector<QueuePairId> touched_;  // senders that a policy has looked up, each once
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

/// Makes the data frame of a packet. Returns its payload in bytes.
std::uint16_t Nic::fill(Frame& frame, const Sender& sender, const Message& message, std::uint32_t sequence) {
  const std::int64_t offset = std::int64_t{sequence - message.first} * maximum_payload_;
  const auto payload = static_cast<std::uint16_t>(std::min(maximum_payload_, message.size - offset));
  frame.payload_bytes = payload;
  frame.frame_bytes = static_cast<std::uint16_t>(framing_.data(payload) + config_.added.data);
  frame.kind = FrameKind::data;
  frame.priority = sender.priority;
  frame.source = host_;
  frame.destination = sender.remote;
  frame.queue_pair = sender.remote_number;
  frame.sequence = sequence;
  frame.entropy = sender.entropy;
  frame.set_ecn(Ecn::capable);
  frame.set_ends_message(sequence + 1 == message.end);
  frame.set_wants_ack(true);
  frame.extension = ExtensionId::none();
  return payload;
}

}  // namespace weir
