// SPDX-License-Identifier: Apache-2.0
// A NIC with scripted policies, for the tests of the NIC core.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/nic.h"

namespace weir::testing_nic {

inline constexpr Priority kPriority = 3;

inline Time at_time(Duration since_start) {
  return Time() + since_start;
}

/// A congestion control that is scripted by a test and records its calls.
class TestCongestion final : public CongestionControl {
 public:
  [[nodiscard]] CongestionHooks hooks() const override { return wanted; }
  void attach(NicContext& context) override { timer = context.new_timer(*this); }
  void open(NicContext&, SendState& sender) override {
    if (opening) opening(sender);
  }
  void on_sent(NicContext&, SendState& sender, Frame& frame) override {
    if (sent) sent(sender, frame);
  }
  void on_ack(NicContext&, SendState& sender, const Acknowledgement& acknowledgement) override {
    newly_acknowledged.push_back(acknowledgement.newly_acknowledged);
    if (ack) ack(sender);
  }
  void on_cnp(NicContext&, SendState& sender, const Frame&) override {
    if (cnp) cnp(sender);
  }
  void on_loss(NicContext&, SendState&) override { ++losses; }
  bool on_feedback(NicContext& context, const Frame& frame) override { return feedback && feedback(context, frame); }
  void on_timer(NicContext& context, TimerId) override { time(context); }
  void on_sender_timer(NicContext& context, SendState& sender) override {
    timers.emplace_back(sender.number, context.now());
    if (sender_time) sender_time(sender);
  }
  [[nodiscard]] Time next_send(const NicContext&, const SendState&, Time last, std::int64_t) const override {
    return last + gap;
  }
  void on_data(NicContext& context, ReceiveState& receiver, Frame& data, Frame* reply) override {
    if (received) received(context, receiver, data, reply);
  }

  CongestionHooks wanted{.sent = true, .ack = true, .data = true, .next_send = false};
  TimerId timer;
  Duration gap;  ///< between starts of packets, with hooks().next_send
  std::function<void(SendState&)> opening;
  std::function<void(SendState&, Frame&)> sent;
  std::function<void(SendState&)> ack;
  std::function<void(SendState&)> cnp;
  std::function<bool(NicContext&, const Frame&)> feedback;
  std::function<void(NicContext&)> time;
  std::function<void(SendState&)> sender_time;
  std::function<void(NicContext&, ReceiveState&, Frame&, Frame*)> received;
  std::vector<std::int64_t> newly_acknowledged;
  std::vector<std::pair<QueuePairId, Time>> timers;
  int losses = 0;
};

/// Minimal go-back-N, with a timer if a test sets one.
class TestRecovery final : public LossRecovery {
 public:
  void open(NicContext&, SendState& sender) override { sender.packet_limit = packet_limit; }
  Pick pick(NicContext&, SendState& sender) override { return picks(sender); }
  void on_ack(NicContext&, SendState& sender, const Frame& ack) override { advance(sender, ack.sequence); }
  void on_nack(NicContext&, SendState& sender, const Frame& nack) override {
    advance(sender, nack.sequence);
    sender.next = sender.unacknowledged;
  }
  bool on_feedback(NicContext& context, const Frame& frame) override { return feedback && feedback(context, frame); }
  [[nodiscard]] bool nack_is_progress() const override { return restarts_on_nack; }
  [[nodiscard]] Duration timeout(const NicContext&, const SendState& sender) const override {
    return timer_of ? timer_of(sender) : timer;
  }
  void on_timeout(NicContext& context, SendState& sender) override {
    timeouts.push_back(context.now());
    sender.next = sender.unacknowledged;
    if (after_timeout) after_timeout();
  }
  Reception on_data(NicContext&, ReceiveState& receiver, const Frame& data) override {
    if (data.sequence == receiver.expected) {
      ++receiver.expected;
      return {Reply::ack, true, data.ends_message() ? 1u : 0u};
    }
    const bool old = sequence_before(data.sequence, receiver.expected);
    return {old ? Reply::ack : Reply::nack, false, 0};
  }
  void on_nack_made(NicContext&, const ReceiveState& receiver, const Frame& data, Frame& nack) override {
    nack.tag_value = data.sequence - receiver.expected;
  }

  std::uint32_t packet_limit = kUnlimitedPackets;
  bool restarts_on_nack = false;
  Duration timer = Duration::max();
  std::function<Duration(const SendState&)> timer_of;  ///< instead of `timer`
  std::function<Pick(SendState&)> picks;
  std::function<bool(NicContext&, const Frame&)> feedback;
  std::function<void()> after_timeout;
  std::vector<Time> timeouts;

 private:
  static void advance(SendState& sender, std::uint32_t sequence) {
    if (sequence_before(sender.unacknowledged, sequence)) sender.unacknowledged = sequence;
    if (sequence_before(sender.next, sequence)) sender.next = sequence;
  }
};

/// Assigns queue pairs to the gates that a test selects; has an owner for gates of single queue pairs and priorities.
class TestFlowControl final : public NicFlowControl {
 public:
  void attach(NicContext& context) override {
    owner = context.new_gate_owner();
    for (GateId& gate : gates) gate = context.new_gate();
  }
  bool on_control(NicContext&, const Frame& frame) override {
    control.push_back(frame.protocol);
    return frame.protocol != 0;
  }
  GateId gate_of(NicContext&, SendState& sender) override { return behind ? gates[behind(sender)] : GateId::none(); }
  [[nodiscard]] bool serves_by_gate() const override { return by_gate; }
  void on_close(NicContext&, const SendState& sender, GateId) override { closed.push_back(sender.number); }
  [[nodiscard]] bool marks_sent() const override { return true; }
  void on_sent(NicContext&, SendState&, GateId, Frame& frame) override { frame.tag = 7; }
  [[nodiscard]] bool watches_received() const override { return true; }
  void on_receive(NicContext&, const Frame&) override { ++received; }
  [[nodiscard]] bool watches_receive_buffer() const override { return true; }
  void on_receive_buffer(NicContext& context, Priority priority) override {
    buffered.push_back(context.receive_buffer().of_priority[priority]);
  }

  std::vector<std::int64_t> buffered;  ///< bytes after each change
  bool by_gate = false;
  GateOwner owner = 0;
  std::array<GateId, 2> gates;
  std::function<std::size_t(const SendState&)> behind;
  std::vector<std::uint8_t> control;
  std::vector<QueuePairId> closed;
  int received = 0;
};

/// A NIC of host 0 with 100 Gbit/s: a full packet of 1,000 bytes lasts 86,880 ps on its wire, 1,086 bytes.
inline NicConfig config_of() {
  NicConfig config;
  config.host = HostId(0);
  config.rate = BitRate(100'000'000'000);
  config.delay = Duration::picoseconds(1'000'000);
  return config;
}
inline constexpr Duration kPacketTime = Duration::picoseconds(86'880);

/// A sender half to host 1, with a window in bytes.
inline OpenSender sending(std::int64_t window = kUnlimited, Priority priority = kPriority) {
  OpenSender spec;
  spec.remote = HostId(1);
  spec.priority = priority;
  spec.window = window;
  return spec;
}

/// Drives a NIC and its wire, as a driver would, and records the frames it sends.
class TestNic {
 public:
  /// With `by_gate` the gates of the first flow control are queues. A transport replaces the congestion control and the
  /// loss recovery.
  explicit TestNic(const NicConfig& config = config_of(), std::size_t frames = 4096, bool by_gate = false,
                   std::unique_ptr<Transport> transport = {})
      : pool(frames), serialisation_(config.rate), overhead_(config.framing.wire_overhead) {
    auto congestion_control = std::make_unique<TestCongestion>();
    auto loss_recovery = std::make_unique<TestRecovery>();
    congestion = congestion_control.get();
    recovery = loss_recovery.get();
    NicPolicies policies;
    if (transport) {
      policies.transport = std::move(transport);
      congestion = nullptr;
      recovery = nullptr;
    } else {
      policies.congestion_control = std::move(congestion_control);
      policies.loss_recovery = std::move(loss_recovery);
    }
    for (TestFlowControl*& made : flow_control) {
      auto policy = std::make_unique<TestFlowControl>();
      made = policy.get();
      policies.flow_control.push_back(std::move(policy));
    }
    flow_control[0]->by_gate = by_gate;
    nic = std::make_unique<Nic>(pool, config, std::move(policies));
  }

  /// A sender half to `spec.remote`, connected to a number above 1,000 there.
  QueuePairId open(const OpenSender& spec = sending()) {
    const QueuePairId number = nic->open_sender(now, spec);
    nic->connect_sender(number, QueuePairId(1'001 + opened_++));
    return number;
  }
  QueuePairId open_receiver(HostId remote = HostId(1)) {
    OpenReceiver spec;
    spec.connection = 9;
    spec.remote = remote;
    spec.entropy = 0xbeef;
    spec.priority = kPriority;
    const QueuePairId number = nic->open_receiver(now, spec);
    nic->connect_receiver(number, QueuePairId(2'001));
    return number;
  }
  void post(QueuePairId number, std::int64_t bytes, std::size_t flow = 0) {
    nic->post(now, number, FlowId(flow), Bytes(bytes));
  }
  void post_packets(QueuePairId number, std::int64_t packets, std::size_t flow = 0) {
    post(number, packets * 1'000, flow);
  }
  const SendState& sender(QueuePairId number) { return *nic->peek_sender(number); }

  /// The NIC with the current time set, for actions that a policy performs in a hook.
  Nic& act() {
    nic->advance(now);
    return *nic;
  }

  /// A frame of this kind arrives from host 1.
  void receive(FrameKind kind, QueuePairId number, std::uint32_t sequence = 0,
               const std::function<void(Frame&)>& edit = {}) {
    const FrameId id = pool.allocate();
    Frame& frame = pool[id];
    frame.kind = kind;
    frame.priority = kPriority;
    frame.frame_bytes = 70;
    frame.source = HostId(1);
    frame.destination = HostId(0);
    frame.queue_pair = number;
    frame.sequence = sequence;
    if (edit) edit(frame);
    nic->receive(now, id);
  }
  void acknowledge(QueuePairId number, std::uint32_t next_expected) { receive(FrameKind::ack, number, next_expected); }
  /// A packet that requests an acknowledgement.
  void data(QueuePairId number, std::uint32_t sequence, const std::function<void(Frame&)>& edit = {}) {
    receive(FrameKind::data, number, sequence, [&](Frame& frame) {
      frame.set_wants_ack(true);
      if (edit) edit(frame);
    });
  }

  struct Sent {
    Time at;
    Frame frame;
  };
  /// Advances to `until`. As in the event loop, the NIC is asked for a frame when it reports to be ready and the wire
  /// is free, and advanced at its deadlines.
  void run_until(Time until) {
    for (;;) {
      if (nic->became_ready()) {
        nic->clear_ready();
        asks_ = true;
      }
      if (asks_ && wire_free_ <= now) {
        asks_ = false;
        const FrameId id = nic->transmit(now);
        if (id.exists()) {
          const Frame frame = pool[id];
          wire_free_ = now + serialisation_(frame.frame_bytes + overhead_);
          sent.push_back({now, frame});
          pool.release(id);
          asks_ = nic->has_ready();
        }
        continue;
      }
      const Time next = std::min(nic->next_deadline(), asks_ ? wire_free_ : Time::never());
      if (next > until) break;
      now = std::max(now, next);
      if (nic->next_deadline() <= now) nic->advance(now);
    }
    now = until;
  }
  void run_for(Duration duration) { run_until(now + duration); }
  /// The frames sent since the last call, by sequence number.
  std::vector<std::uint32_t> sequences() {
    std::vector<std::uint32_t> numbers;
    for (const Sent& one : std::exchange(sent, {})) numbers.push_back(one.frame.sequence);
    return numbers;
  }
  /// The same, only for packets that request an acknowledgement.
  std::vector<std::uint32_t> asking() {
    std::vector<std::uint32_t> numbers;
    for (const Sent& one : std::exchange(sent, {})) {
      if (one.frame.wants_ack()) numbers.push_back(one.frame.sequence);
    }
    return numbers;
  }
  /// The frames sent since the last call, by remote queue pair: 1 for the first that was opened.
  std::vector<std::uint32_t> queue_pairs() {
    std::vector<std::uint32_t> numbers;
    for (const Sent& one : std::exchange(sent, {})) numbers.push_back(one.frame.queue_pair.value - 1'000);
    return numbers;
  }
  /// The start times of the frames sent since the last call.
  std::vector<Time> times() {
    std::vector<Time> out;
    for (const Sent& one : std::exchange(sent, {})) out.push_back(one.at);
    return out;
  }
  /// The completions since the last call: "acknowledged 3" is that of flow 3.
  std::vector<std::string> completions() {
    static constexpr const char* kNames[] = {"acknowledged ", "received", "stopped "};
    std::vector<std::string> out;
    for (const Completion& completion : nic->completions()) {
      const bool named = completion.kind != Completion::Kind::received;
      out.push_back(kNames[static_cast<std::size_t>(completion.kind)] +
                    (named ? std::to_string(completion.flow.value) : ""));
    }
    nic->clear_completions();
    return out;
  }

  FramePool pool;
  Time now;
  TestCongestion* congestion;
  TestRecovery* recovery;
  std::array<TestFlowControl*, 2> flow_control;
  std::unique_ptr<Nic> nic;
  std::vector<Sent> sent;

 private:
  SerialisationTime serialisation_;
  std::int64_t overhead_;
  Time wire_free_;
  bool asks_ = false;
  std::uint32_t opened_ = 0;
};

}  // namespace weir::testing_nic
