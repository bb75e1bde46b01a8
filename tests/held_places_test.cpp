// SPDX-License-Identifier: Apache-2.0
// Innocent pause by other means than priority gates, computed by hand: queues with IDs, queues of stages and of the
// whole switch, credit, gates of a NIC. The test moves the frames and gates of a line of switches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "credit_scheme.h"
#include "pause_hold_text.h"
#include "sim/held_ports.h"
#include "sim/pause_roots.h"
#include "whole_network.h"

namespace weir::whole::held_places_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr Priority kHeld = 3;

/// Hosts by their switch: a source at s0, and one or two destinations at each switch of the path.
constexpr std::size_t kA = 0;  // at s0
constexpr std::size_t kC = 1;  // at s1
constexpr std::size_t kD = 2;  // at s2
constexpr std::size_t kE = 3;  // at s2
constexpr std::size_t kSwitchOf[] = {0, 1, 2, 2};
constexpr std::size_t kSwitches = 3;

/// The queue that a frame's tag selects.
enum : std::uint16_t { kDefault, kNamed, kOther, kStage, kWide };

/// A frame's tag selects its queue, and its tag value is the ID by which it keeps its ingress blocked; zero: none. The
/// test determines what blocks a queue of a port. The head of the queue of the whole switch needs credit for its
/// destination.
class ByHand final : public Classifier {
 public:
  void attach(SwitchContext& context) override {
    owner = context.new_gate_owner();
    QueueContext& queues = queue_context(context);
    for (std::size_t port = 0; port < context.ports(); ++port) {
      of_port.push_back(
          {queues.new_queue({.port = PortId(port), .priority = kHeld}),
           queues.new_queue({.port = PortId(port), .priority = kHeld}),
           queues.new_queue({.port = PortId(port), .priority = kHeld, .stage = 1, .service = Service::at_rate})});
    }
    wide = queues.new_queue({.port = PortId::none(), .priority = kHeld, .service = Service::released});
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.tag == kDefault) return context.default_queue(frame.egress, frame.priority);
    return frame.tag == kWide ? wide : of_port[frame.egress.index()][frame.tag - 1u];
  }
  void keeps(const SwitchContext&, QueueId, const Frame& frame, std::vector<HopPause>& out) const override {
    if (frame.tag_value != 0) out.push_back({frame.ingress, frame.tag_value, true});
  }
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override {
    if (const Frame* head = context.peek(queue); queue == wide && head != nullptr) {
      out.push_back({head->egress, credit_of(head->destination), QueueId::none()});
    }
    if (const auto found = names.find(queue); found != names.end() && context.queue(queue).closed_by != 0) {
      out.insert(out.end(), found->second.begin(), found->second.end());
    }
  }
  static std::uint32_t credit_of(HostId host) { return 100 + host.value; }

  GateOwner owner = 0;
  std::vector<std::array<QueueId, 3>> of_port;
  QueueId wide;
  std::map<QueueId, std::vector<HeldBy>> names;
};

/// One gate for all queue pairs, blocked by ID 9.
class OneGate final : public NicFlowControl {
 public:
  void attach(NicContext& context) override {
    gate = context.new_gate();
    owner = context.new_gate_owner();
  }
  GateId gate_of(NicContext&, SendState&) override { return gate; }
  void held_by(const NicContext&, GateId, std::vector<HeldBy>& out) const override {
    out.push_back({PortId(0), 9, QueueId::none()});
  }
  void held_by(const NicContext&, const SendState&, std::vector<HeldBy>& out) const override {
    out.push_back({PortId(0), 9, QueueId::none()});
  }
  GateId gate;
  GateOwner owner = 0;
};

const Scheme kByHand = {
    .name = "by_hand",
    .summary = "holds as a test says",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<ByHand>(); },
    .nic_flow_control = [](const Parameters&) -> std::unique_ptr<NicFlowControl> {
      return std::make_unique<OneGate>();
    },
};

Settings line_settings() {
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < kSwitches; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i + 1 < kSwitches; ++i) topology.connect(switches[i], switches[i + 1], kLink);
  for (const std::size_t at : kSwitchOf) {
    topology.connect(topology.add_host("h" + std::to_string(topology.hosts()), 0, 0), switches[at], kLink);
  }
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.switches.flow_control = {{&kByHand, Parameters(kByHand.parameters)}};
  return settings;
}

constexpr FlowClass kFirst = FlowClass::incast;
constexpr FlowClass kSecond = FlowClass::victim;
constexpr FlowClass kThird = FlowClass::background;

/// The line s0 - s1 - s2. The class of a frame is determined by its queue pair's number.
class Places : public testing::Test, public SwitchObserver, public NicObserver {
 protected:
  Places()
      : fabric_(line_settings()),
        roots_(fabric_, [](HostId, HostId, QueuePairId receiver) { return static_cast<FlowClass>(receiver.value); }) {
    for (std::size_t i = 0; i < kSwitches; ++i) at(i).observe(this);
    nic().observe(this);
  }
  ~Places() override {
    for (std::size_t i = 0; i < kSwitches; ++i) at(i).observe(nullptr);
    nic().observe(nullptr);
  }

  [[nodiscard]] bool watches_frames() const override { return true; }
  void on_admit(const SwitchContext& context, const Frame& frame) override {
    roots_.on_admit(context.id(), frame, now);
    ports_.on_admit(context, frame);
  }
  void on_enter(const SwitchContext& context, QueueId queue, const Frame& frame) override {
    roots_.on_enter(context, queue, frame);
    ports_.on_enter(context, queue, frame);
  }
  void on_leave(const SwitchContext& context, QueueId queue, const Frame& frame) override {
    roots_.on_queue_left(context, queue, frame);
    ports_.on_queue_left(context, queue);
  }
  void on_depart(const SwitchContext& context, QueueId, const Frame& frame) override {
    roots_.on_leave(context.id(), frame, now);
    roots_.on_gone(context, frame);
    ports_.on_gone(context, frame);
  }
  void on_drop(const SwitchContext& context, const Frame& frame, DropReason) override {
    roots_.on_leave(context.id(), frame, now);
    roots_.on_gone(context, frame);
    ports_.on_gone(context, frame);
  }
  void on_queue_gate(const SwitchContext& context, QueueId queue, bool) override {
    roots_.on_queue_gate(context, queue);
    ports_.on_queue_gate(context, queue);
  }
  using NicObserver::on_priority_gate;
  void on_priority_gate(const SwitchContext& context, PortId port, Priority priority, bool open) override {
    roots_.on_gate(fabric_.topology().node_of(context.id()), port, priority, open, now);
    ports_.on_priority_gate(context, port, priority);
  }
  void on_gate(Nic& at, GateId gate, bool open) override { roots_.on_nic_gate(at, gate, open); }
  void on_sender_gate(Nic& at, const SendState& sender, bool open) override { roots_.on_sender_gate(at, sender, open); }

  [[nodiscard]] Switch& at(std::size_t i) { return fabric_.switch_by(SwitchId(i)); }
  [[nodiscard]] Nic& nic() { return fabric_.nic(HostId(kA)); }
  ByHand& hand(std::size_t i) {
    for (SwitchPolicy* policy : at(i).policies()) {
      if (auto* found = dynamic_cast<ByHand*>(policy)) return *found;
    }
    throw std::logic_error("a switch has no flow control");
  }
  [[nodiscard]] PortId to_switch(std::size_t i, std::size_t other) const {
    return port(i, fabric_.topology().node_of(SwitchId(other)));
  }
  [[nodiscard]] PortId to_host(std::size_t host) const {
    return port(kSwitchOf[host], fabric_.topology().node_of(HostId(host)));
  }

  /// A frame arrives at switch `i` on `from` for host `to`; it enters the given queue and keeps an ID in force.
  void put(std::size_t i, PortId from, std::size_t to, std::uint16_t queue = kDefault, std::uint32_t keeps = 0,
           FlowClass flow_class = kThird, FrameKind kind = FrameKind::data) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = kind;
    frame.frame_bytes = 1'066;
    frame.priority = kHeld;
    frame.source = HostId(kA);
    frame.destination = HostId(to);
    frame.queue_pair = QueuePairId(static_cast<std::uint32_t>(flow_class));
    frame.tag = queue;
    frame.tag_value = keeps;
    at(i).receive(now, from, id);
  }
  /// The same from host a to s0.
  void put_from_a(std::size_t to, std::uint16_t queue, FlowClass flow_class, std::uint32_t keeps = 0) {
    put(0, to_host(kA), to, queue, keeps, flow_class);
  }
  /// An acknowledgement from the previous neighbour: a reason for holds, but not counted where it is blocked.
  void block(std::size_t i, std::size_t from, std::size_t to, std::uint32_t keeps, std::uint16_t queue = kDefault) {
    put(i, to_switch(i, from), to, queue, keeps, kThird, FrameKind::ack);
  }
  /// A queue of switch `i` towards its neighbour closes, by these IDs of frames there.
  void close(std::size_t i, std::size_t to, std::uint16_t queue, const std::vector<std::uint64_t>& names) {
    std::vector<HeldBy> by;
    for (const std::uint64_t name : names) by.push_back({to_switch(i, to), name, QueueId::none()});
    close(i, queue_of(i, to, queue), std::move(by));
  }
  void close(std::size_t i, QueueId queue, std::vector<HeldBy> by) {
    hand(i).names[queue] = std::move(by);
    tell(i);
    at(i).set_gate(queue, hand(i).owner, false);
    roots_.end_window();
  }
  void open(std::size_t i, std::size_t to, std::uint16_t queue) {
    tell(i);
    at(i).set_gate(queue_of(i, to, queue), hand(i).owner, true);
    roots_.end_window();
  }
  void priority_gate(std::size_t i, std::size_t to, bool open) {
    tell(i);
    at(i).set_priority_gate(to_switch(i, to), kHeld, hand(i).owner, open);
    roots_.end_window();
  }
  /// The head of the queue of the whole switch departs.
  void release(std::size_t i) {
    tell(i);
    ASSERT_TRUE(at(i).release(hand(i).wide));
    roots_.end_window();
  }
  [[nodiscard]] QueueId queue_of(std::size_t i, std::size_t to, std::uint16_t queue) {
    const PortId port = to_switch(i, to);
    return queue == kDefault ? at(i).default_queue(port, kHeld) : hand(i).of_port[port.index()][queue - 1u];
  }
  void send_one(std::size_t i, PortId egress) { fabric_.frames().release(at(i).transmit(now, egress)); }
  QueuePairId offer_from_a(std::size_t to, FlowClass flow_class) {
    OpenSender spec;
    spec.remote = HostId(to);
    spec.priority = kHeld;
    spec.base_round_trip = 10_us;
    const QueuePairId number = nic().open_sender(now, spec);
    nic().connect_sender(number, QueuePairId(static_cast<std::uint32_t>(flow_class)));
    nic().post(now, number, FlowId(0), 10_KB);
    return number;
  }
  OneGate& one_gate() { return dynamic_cast<OneGate&>(*nic().flow_controls().front()); }
  void gate_of_a(bool open) {
    nic().advance(now);
    nic().set_gate(one_gate().gate, open);
    roots_.end_window();
  }
  void expect(FlowClass flow_class, Duration held, Duration innocent, std::uint64_t packets) {
    EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(flow_class)], (PauseHold{held, innocent, packets}))
        << static_cast<int>(flow_class);
  }

  /// How long the link from switch `i` to `to` has been blocked.
  [[nodiscard]] Duration stood(std::size_t i, std::size_t to) const {
    return ports_.total(fabric_.channel(fabric_.topology().node_of(SwitchId(i)), to_switch(i, to)), now);
  }

  Fabric fabric_;
  PauseRoots roots_;
  FlowControls controls_{fabric_};
  HeldPorts ports_{fabric_, controls_};
  Time now = whole::at(1_us);

 private:
  /// Sets the node's clock to that of the test.
  void tell(std::size_t i) { at(i).advance(now); }
  [[nodiscard]] PortId port(std::size_t i, NodeId peer) const {
    const auto& ports = fabric_.topology().ports(fabric_.topology().node_of(SwitchId(i)));
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const auto& port) { return port.peer == peer; });
    return PortId(static_cast<std::size_t>(found - ports.begin()));
  }
};

// ---- queues that are closed by ID ----

/// s2 is congested towards d, and has paused a queue of s1 by ID 7. e's frame is blocked together with d's, from 10 to
/// 30 us, and is innocent. One in another queue is not blocked.
TEST_F(Places, AreQueuesThatANeighbourHasPausedByName) {
  block(2, 1, kD, 7);
  put(1, to_switch(1, 0), kD, kNamed, 0, kFirst);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  put(1, to_switch(1, 0), kE, kOther, 0, kThird);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(30_us);
  open(1, 2, kNamed);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, 20_us, 1);
  expect(kThird, Duration(), Duration(), 0);
}

/// Frames that keep another ID in force, or came from elsewhere, are no root.
TEST_F(Places, HaveNoRootInFramesThatKeepAnotherName) {
  block(2, 1, kD, 7);
  block(2, 1, kE, 8);
  put(2, to_host(kD), kE, kDefault, 7);  // from a host, by the same ID
  put(1, to_switch(1, 0), kD, kNamed, 0, kFirst);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(30_us);
  open(1, 2, kNamed);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, 20_us, 1);
}

/// A default queue is a queue, too.
TEST_F(Places, MayBeDefaultQueues) {
  block(2, 1, kD, 7);
  put(1, to_switch(1, 0), kE, kDefault, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kDefault, {7});
  now = whole::at(30_us);
  open(1, 2, kDefault);
  expect(kSecond, 20_us, 20_us, 1);
}

/// s0's queue waits for frames in s1's, which is itself blocked on account of d: its root is two hops further on, and
/// neither c's nor e's path contains it.
TEST_F(Places, AreFollowedOnThroughQueuesThatAreHeld) {
  block(2, 1, kD, 7);
  block(1, 0, kD, 8, kNamed);
  close(1, 2, kNamed, {7});
  put_from_a(kC, kNamed, kFirst);
  put_from_a(kD, kNamed, kSecond);
  put_from_a(kE, kNamed, kThird);
  now = whole::at(10_us);
  close(0, 1, kNamed, {8});
  now = whole::at(30_us);
  open(0, 1, kNamed);
  expect(kFirst, 20_us, 20_us, 1);
  expect(kSecond, 20_us, Duration(), 1);
  expect(kThird, 20_us, 20_us, 1);
}

/// The pause of a priority is followed through a blocked queue, and an ID through a paused priority.
TEST_F(Places, AreFollowedOnThroughGatesOfBothKinds) {
  block(2, 1, kD, 7);
  block(1, 0, kD, 8, kNamed);
  close(1, 2, kNamed, {7});
  put_from_a(kC, kDefault, kFirst);
  put_from_a(kD, kDefault, kSecond);
  now = whole::at(10_us);
  priority_gate(0, 1, false);
  now = whole::at(30_us);
  priority_gate(0, 1, true);
  expect(kFirst, 20_us, 20_us, 1);
  expect(kSecond, 20_us, Duration(), 1);
  open(1, 2, kNamed);
  priority_gate(1, 2, false);
  put_from_a(kE, kOther, kThird);
  now = whole::at(40_us);
  close(0, 1, kOther, {8});
  now = whole::at(60_us);
  open(0, 1, kOther);
  expect(kThird, 20_us, 20_us, 1);
}

/// Two IDs block it: each has a root, and a frame is innocent of both only if neither is on its path.
TEST_F(Places, HaveTheRootsOfAllTheirNames) {
  block(2, 1, kD, 7);
  block(2, 1, kE, 8);
  put(1, to_switch(1, 0), kD, kNamed, 0, kFirst);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7, 8});
  now = whole::at(30_us);
  open(1, 2, kNamed);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, Duration(), 1);
}

/// While the gate of the priority is closed too, only that one counts, so that no time counts twice: of 40 us it has
/// the middle 10, whose root is on e's path.
TEST_F(Places, AreHeldByTheGateOfThePriorityWhileThatIsClosed) {
  block(2, 1, kD, 7);
  block(2, 1, kE, 0);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(20_us);
  priority_gate(1, 2, false);
  now = whole::at(30_us);
  priority_gate(1, 2, true);
  now = whole::at(50_us);
  open(1, 2, kNamed);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].held, 40_us);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].innocent, 30_us);
}

/// A frame that arrives while the queue is blocked is blocked from then on; the end of the run ends it.
TEST_F(Places, CountFromWhenAFrameComesUntilTheEnd) {
  block(2, 1, kD, 7);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(25_us);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(30_us);
  roots_.end(now);
  expect(kSecond, 5_us, 5_us, 1);
}

/// There is no root when it closes. By the sample there is a root off the path; by the next there is another on it.
TEST_F(Places, AreLookedAtAgainAtSamples) {
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  block(2, 1, kD, 7);
  now = whole::at(20_us);
  roots_.sample(now);
  block(2, 1, kE, 7);
  now = whole::at(40_us);
  roots_.sample(now);
  now = whole::at(50_us);
  open(1, 2, kNamed);
  expect(kSecond, 40_us, 20_us, 1);
}

/// Isolation: a queue of a stage is blocked, and the one behind it is not.
TEST_F(Places, MayBeOfAStage) {
  block(2, 1, kD, 7);
  now = whole::at(10_us);
  close(1, 2, kStage, {7});
  put(1, to_switch(1, 0), kD, kStage, 0, kFirst);
  put(1, to_switch(1, 0), kE, kStage, 0, kSecond);
  put(1, to_switch(1, 0), kE, kDefault, 0, kThird);
  now = whole::at(30_us);
  open(1, 2, kStage);
  now = whole::at(40_us);
  at(1).advance(now);
  roots_.end(now);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, 20_us, 1);
  expect(kThird, Duration(), Duration(), 0);
}

/// Two frames go through an open stage into a closed queue: one at once, one 10 us later. Each is blocked from then on.
TEST_F(Places, HoldFromWhenAFrameComesIntoTheQueue) {
  block(2, 1, kD, 7);
  now = whole::at(10_us);
  close(1, 2, kDefault, {7});
  put(1, to_switch(1, 0), kE, kStage, 0, kSecond);
  put(1, to_switch(1, 0), kE, kStage, 0, kSecond);
  now = whole::at(20_us);
  at(1).advance(now);
  now = whole::at(30_us);
  open(1, 2, kDefault);
  expect(kSecond, 30_us, 30_us, 2);
}

/// A queue waits for frames in another queue of the switch, to keep an order. The other is blocked on account of d.
TEST_F(Places, MayWaitForAnotherQueueOfTheirSwitch) {
  block(2, 1, kD, 7);
  put(1, to_switch(1, 0), kD, kNamed, 0, kThird);
  close(1, 2, kNamed, {7});
  put(1, to_switch(1, 0), kD, kOther, 0, kFirst);
  put(1, to_switch(1, 0), kE, kOther, 0, kSecond);
  now = whole::at(10_us);
  close(1, queue_of(1, 2, kOther), {{PortId::none(), 0, queue_of(1, 2, kNamed)}});
  now = whole::at(30_us);
  open(1, 2, kOther);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, 20_us, 1);
}

// ---- queues of the whole switch ----

/// The head needs credit for d, which s1 owes for a frame that waits for its turn towards s2: that port is the root. c
/// is behind the head, and is innocent; each counts until it is released.
TEST_F(Places, AreQueuesOfTheWholeSwitchThatWaitForCredit) {
  block(1, 0, kD, ByHand::credit_of(HostId(kD)));
  now = whole::at(10_us);
  put_from_a(kD, kWide, kFirst);
  now = whole::at(15_us);
  put_from_a(kC, kWide, kSecond);
  put_from_a(kE, kWide, kThird);
  now = whole::at(20_us);
  release(0);
  expect(kFirst, 10_us, Duration(), 1);
  // The head now needs credit for c, of which s1 owes none: from here on there is no innocent pause.
  now = whole::at(22_us);
  release(0);
  expect(kSecond, 7_us, 5_us, 2);
  now = whole::at(25_us);
  release(0);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kThird)].held, 10_us);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kThird)].innocent, Duration()) << "its way has the root on it";
}

/// The frame for which s1 owes credit waits for credit from s2, for a frame at d's port.
TEST_F(Places, AreFollowedOnThroughWaitsForCredit) {
  block(2, 1, kD, ByHand::credit_of(HostId(kD)));
  now = whole::at(2_us);
  block(1, 0, kD, ByHand::credit_of(HostId(kD)), kWide);
  now = whole::at(3_us);
  put_from_a(kD, kWide, kFirst);
  put_from_a(kE, kWide, kSecond);
  now = whole::at(13_us);
  release(0);
  roots_.end(now);
  expect(kFirst, 10_us, Duration(), 1);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].held, 10_us);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].innocent, 10_us);
}

// ---- NICs ----

/// s0 has paused the gate of host a, for frames that wait in one of its queues, which is blocked on account of c.
TEST_F(Places, AreGatesOfNics) {
  block(1, 0, kC, 7);
  put_from_a(kC, kNamed, kThird, 9);
  close(0, 1, kNamed, {7});
  offer_from_a(kC, kFirst);
  offer_from_a(kD, kSecond);
  now = whole::at(10_us);
  gate_of_a(false);
  now = whole::at(30_us);
  gate_of_a(true);
  expect(kFirst, 20_us, Duration(), 1);
  expect(kSecond, 20_us, 20_us, 1);
}

TEST_F(Places, AreQueuePairsThatANicHolds) {
  block(1, 0, kC, 7);
  put_from_a(kC, kNamed, kThird, 9);
  close(0, 1, kNamed, {7});
  offer_from_a(kC, kFirst);
  const QueuePairId held = offer_from_a(kD, kSecond);
  now = whole::at(10_us);
  nic().advance(now);
  nic().set_gate(*nic().sender(held), one_gate().owner, false);
  now = whole::at(30_us);
  nic().advance(now);
  nic().set_gate(*nic().sender(held), one_gate().owner, true);
  roots_.end(now);
  expect(kFirst, Duration(), Duration(), 0);
  expect(kSecond, 20_us, 20_us, 1);
}

/// Of 40 us the middle 10 belong to the gate of the priority, which has no root.
TEST_F(Places, OfNicsAreHeldByTheGateOfThePriorityWhileThatIsClosed) {
  block(1, 0, kC, 7);
  put_from_a(kC, kNamed, kThird, 9);
  close(0, 1, kNamed, {7});
  offer_from_a(kD, kSecond);
  const auto gate = [this](bool open) {
    nic().advance(now);
    nic().set_priority_gate(kHeld, one_gate().owner, open);
    roots_.on_gate(fabric_.topology().node_of(HostId(kA)), PortId(0), kHeld, open, now);
    roots_.end_window();
  };
  now = whole::at(10_us);
  gate_of_a(false);
  now = whole::at(20_us);
  gate(false);
  now = whole::at(30_us);
  gate(true);
  now = whole::at(50_us);
  gate_of_a(true);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].held, 40_us);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].innocent, 30_us + 10_us);
}

/// A queue pair that is blocked individually and by its gate counts once.
TEST_F(Places, OfNicsCountAQueuePairOnce) {
  const QueuePairId held = offer_from_a(kD, kSecond);
  now = whole::at(10_us);
  gate_of_a(false);
  nic().set_gate(*nic().sender(held), one_gate().owner, false);
  now = whole::at(30_us);
  gate_of_a(true);
  nic().set_gate(*nic().sender(held), one_gate().owner, true);
  roots_.end(now);
  expect(kSecond, 20_us, Duration(), 1);
}

// ---- more about queues ----

/// The queue opens while the gate of the priority is closed: the 10 us before that are its own, the 20 after are not.
TEST_F(Places, MayOpenBehindAClosedGateOfThePriority) {
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(20_us);
  priority_gate(1, 2, false);
  now = whole::at(30_us);
  open(1, 2, kNamed);
  now = whole::at(40_us);
  priority_gate(1, 2, true);
  EXPECT_EQ(roots_.hold()[static_cast<std::size_t>(kSecond)].held, 30_us);
}

/// By the sample another ID blocks it, and the gate has not moved.
TEST_F(Places, AreHeldByTheNamesOfTheSample) {
  block(2, 1, kD, 7);
  block(2, 1, kE, 8);
  put(1, to_switch(1, 0), kE, kNamed, 0, kSecond);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  hand(1).names[queue_of(1, 2, kNamed)] = {{to_switch(1, 2), 8, QueueId::none()}};
  now = whole::at(25_us);
  roots_.sample(now);
  now = whole::at(30_us);
  open(1, 2, kNamed);
  expect(kSecond, 20_us, 15_us, 1);
}

/// The frame for which it waits in its own switch waits for its turn on the same port: that is on the path.
TEST_F(Places, MayHaveTheirRootAtTheirOwnPort) {
  put(1, to_switch(1, 0), kD, kNamed, 0, kThird);
  put(1, to_switch(1, 0), kE, kOther, 0, kSecond);
  now = whole::at(10_us);
  close(1, queue_of(1, 2, kOther), {{PortId::none(), 0, queue_of(1, 2, kNamed)}});
  now = whole::at(30_us);
  open(1, 2, kOther);
  expect(kSecond, 20_us, Duration(), 1);
}

/// Two switches wait for each other, and one of them also for c: of itself it sees what arrived before it closed, at
/// the same instant.
TEST_F(Places, SeeWhatTheirSwitchHeldWhenTheyClosed) {
  put(0, to_switch(0, 1), kD, kNamed, 9);
  close(0, 1, kNamed, {8});
  now = whole::at(10_us);
  put(1, to_switch(1, 2), kA, kNamed, 0, kFirst);
  block(1, 0, kC, 8);
  close(1, 0, kNamed, {9});
  now = whole::at(30_us);
  open(1, 0, kNamed);
  expect(kFirst, 20_us, 20_us, 1);
}

// ---- blocked links ----

/// The only frame is in the queue that closes, from 10 to 30 us; another in an open queue at 20 us may depart.
TEST_F(Places, StandStillWhileAllThatWaitsIsHeld) {
  put(1, to_switch(1, 0), kE, kNamed);
  EXPECT_EQ(stood(1, 2), Duration());
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(20_us);
  EXPECT_EQ(stood(1, 2), 10_us);
  put(1, to_switch(1, 0), kE, kOther);
  now = whole::at(25_us);
  EXPECT_EQ(stood(1, 2), 10_us) << "it waits for its turn";
  send_one(1, to_switch(1, 2));
  now = whole::at(30_us);
  open(1, 2, kNamed);
  now = whole::at(40_us);
  EXPECT_EQ(stood(1, 2), 15_us);
}

/// The gate of the priority blocks the queues that send, not a stage, which continues.
TEST_F(Places, StandStillBehindTheGateOfThePriority) {
  put(1, to_switch(1, 0), kE, kNamed);
  now = whole::at(10_us);
  priority_gate(1, 2, false);
  now = whole::at(20_us);
  EXPECT_EQ(stood(1, 2), 10_us);
  put(1, to_switch(1, 0), kE, kStage);
  put(1, to_switch(1, 0), kE, kStage);  // the stage's timer is set by the first
  now = whole::at(30_us);
  EXPECT_EQ(stood(1, 2), 10_us);
  at(1).advance(now);
  now = whole::at(35_us);
  EXPECT_EQ(stood(1, 2), 15_us);
  priority_gate(1, 2, true);
  now = whole::at(50_us);
  EXPECT_EQ(stood(1, 2), 15_us);
}

/// A blocked frame that is lost with its link is no longer blocked.
TEST_F(Places, DoNotStandStillForWhatIsLost) {
  put(1, to_switch(1, 0), kE, kNamed);
  now = whole::at(10_us);
  close(1, 2, kNamed, {7});
  now = whole::at(20_us);
  at(1).link(now, to_switch(1, 2), false);
  at(1).link(now, to_switch(1, 2), true);
  put(1, to_switch(1, 0), kE, kOther);
  now = whole::at(30_us);
  EXPECT_EQ(stood(1, 2), 10_us);
}

// ---- whole runs ----

/// Nodes run one after the other for a link delay each; roots are those at the instant of each hold.
TEST(HeldPlaces, AreThoseOfTheOrderOfTime) {
  for (const bool credit : {true, false}) {
    Topology topology;
    std::vector<NodeId> tors;
    for (int tor = 0; tor < 3; ++tor) {
      tors.push_back(topology.add_switch("tor" + std::to_string(tor), 1, 0, tor));
      for (int i = 0; i < 4; ++i) {
        topology.connect(topology.add_host("h" + std::to_string(4 * tor + i), 0, tor), tors.back(), kLink);
      }
    }
    for (int spine = 0; spine < 2; ++spine) {
      const NodeId above = topology.add_switch("spine" + std::to_string(spine), 2);
      for (const NodeId tor : tors) topology.connect(tor, above, kLink);
    }
    Settings settings = lossless_network(std::move(topology), 2_ms);
    settings.switches.flow_control = {credit ? choose_credit(3, 2) : choose("bfc", {{"queues", std::int64_t{2}}}),
                                      choose("pfc")};
    settings.switches.buffer_policy = choose("static_threshold", {{"xoff", 60'000_B}, {"resume_offset", 30'000_B}});
    settings.measurement.innocent_pause = true;
    settings.measurement.held_links = true;
    settings.measurement.sample_interval = 1_us;
    std::vector<FlowSpec> flows;
    for (std::size_t i = 0; i < 60; ++i) {
      const FlowSpec next = flow(i % 12, i % 3 == 0 ? 0 : (7 * i + 5) % 12, 100_KB, at(static_cast<int>(i) * 1_us));
      if (next.source != next.destination) flows.push_back(next);
    }
    offer(settings, flows);
    const RunRecord by_windows = Simulation(settings).run();
    const RunRecord by_instants = run_by_instants(settings);
    EXPECT_EQ(by_windows.failure, "");
    EXPECT_EQ(by_windows.digest, by_instants.digest);
    const PauseHold& a = by_windows.pause_hold[static_cast<std::size_t>(FlowClass::background)];
    const PauseHold& b = by_instants.pause_hold[static_cast<std::size_t>(FlowClass::background)];
    EXPECT_GT(a.innocent, 100_us);
    EXPECT_GT(a.held, a.innocent);
    EXPECT_EQ(a, b);
    Duration held;
    for (std::size_t i = 0; i < by_windows.links.size(); ++i) {
      EXPECT_EQ(by_windows.links[i].held, by_instants.links[i].held) << i;
      held += by_windows.links[i].held;
    }
    EXPECT_GT(held, 100_us);
    settings.measurement.innocent_pause = settings.measurement.held_links = false;
    EXPECT_EQ(Simulation(settings).run().digest, by_windows.digest);
  }
}

}  // namespace
}  // namespace weir::whole::held_places_test
