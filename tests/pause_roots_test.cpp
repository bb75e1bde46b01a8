// SPDX-License-Identifier: Apache-2.0
// Innocent pause computed by hand: the test moves the frames and gates of a line of switches, one instant after the
// other.
#include <gtest/gtest.h>

#include "pause_hold_text.h"
#include "sim/pause_roots.h"
#include "whole_network.h"

namespace weir::whole::pause_roots_test {
namespace {

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr Priority kHeld = 3;

/// Hosts by their switch: a source at s0, and one or two destinations at each switch of the path.
constexpr std::size_t kA = 0;  // at s0
constexpr std::size_t kC = 1;  // at s1
constexpr std::size_t kD = 2;  // at s2
constexpr std::size_t kE = 3;  // at s2
constexpr std::size_t kF = 4;  // at s3
constexpr std::size_t kSwitchOf[] = {0, 1, 2, 2, 3};
constexpr std::size_t kSwitches = 4;

/// With `spray` two links join s1 and s2, and each packet takes either.
Settings line_settings(const PolicyChoice& loss_recovery, bool spray) {
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < kSwitches; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i + 1 < kSwitches; ++i) topology.connect(switches[i], switches[i + 1], kLink);
  if (spray) topology.connect(switches[1], switches[2], kLink);
  for (const std::size_t at : kSwitchOf) {
    topology.connect(topology.add_host("h" + std::to_string(topology.hosts()), 0, 0), switches[at], kLink);
  }
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.hosts.loss_recovery = loss_recovery;
  if (spray) settings.switches.forwarding = choose("spray");
  return settings;
}

/// The line s0 - s1 - s2 - s3. The class of a frame is determined by its queue pair's number.
class Line final : public SwitchObserver {
 public:
  explicit Line(const PolicyChoice& loss_recovery = choose("go_back_n"), bool spray = false)
      : fabric_(line_settings(loss_recovery, spray)),
        roots_(fabric_, [](HostId, HostId, QueuePairId receiver) { return static_cast<FlowClass>(receiver.value); }) {
    for (std::size_t i = 0; i < kSwitches; ++i) at(i).observe(this);
  }
  ~Line() override {
    for (std::size_t i = 0; i < kSwitches; ++i) at(i).observe(nullptr);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  [[nodiscard]] bool watches_frames() const override { return true; }
  void on_admit(const SwitchContext& context, const Frame& frame) override {
    roots_.on_admit(context.id(), frame, now);
  }
  void on_depart(const SwitchContext& context, QueueId, const Frame& frame) override {
    roots_.on_leave(context.id(), frame, now);
  }

  [[nodiscard]] Switch& at(std::size_t i) { return fabric_.switch_by(SwitchId(i)); }
  [[nodiscard]] Nic& nic() { return fabric_.nic(HostId(kA)); }
  /// The first link between the two, or the one that `link` counts from there.
  [[nodiscard]] PortId port_to_switch(std::size_t i, std::size_t other, std::size_t link = 0) const {
    return port(i, fabric_.topology().node_of(SwitchId(other)), link);
  }
  [[nodiscard]] PortId port_to_host(std::size_t host) const {
    return port(kSwitchOf[host], fabric_.topology().node_of(HostId(host)));
  }

  /// A frame for host `to` arrives at switch `i` from its neighbour switch `from`, now.
  Frame& put(std::size_t i, std::size_t from, std::size_t to, FlowClass flow_class = FlowClass::background) {
    return take_in(i, port_to_switch(i, from), to, flow_class, kHeld);
  }
  /// The same for an acknowledgement: a reason for pauses, but not counted where it is paused.
  void block(std::size_t i, std::size_t from, std::size_t to, std::size_t link = 0) {
    take_in(i, port_to_switch(i, from, link), to, FlowClass::background, kHeld).kind = FrameKind::ack;
  }
  /// One arrives at s0 from host a.
  Frame& put_from_a(std::size_t to, FlowClass flow_class = FlowClass::background, Priority priority = kHeld) {
    return take_in(0, port_to_host(kA), to, flow_class, priority);
  }
  /// All frames of switch `i` for its port depart.
  void drain(std::size_t i, PortId egress) {
    for (FrameId id = at(i).transmit(now, egress); id.exists(); id = at(i).transmit(now, egress)) {
      fabric_.frames().release(id);
    }
  }
  /// One of those frames departs.
  void send_one(std::size_t i, PortId egress) { fabric_.frames().release(at(i).transmit(now, egress)); }
  /// The gate of switch `i` towards `to` closes or opens, now.
  void gate(std::size_t i, std::size_t to, bool open, Priority priority = kHeld) {
    roots_.end_window();
    gate_within_window(i, to, open, priority);
    roots_.end_window();
  }
  /// Host `from` resumes its switch, or pauses it, now.
  void gate_to_host(std::size_t from, bool open) {
    const std::size_t i = kSwitchOf[from];
    const PortId port = port_to_host(from);
    roots_.end_window();
    static_cast<SwitchContext&>(at(i)).set_priority_gate(port, kHeld, 0, open);
    roots_.on_gate(fabric_.topology().node_of(SwitchId(i)), port, kHeld, open, now);
    roots_.end_window();
  }
  void gate_within_window(std::size_t i, std::size_t to, bool open, Priority priority = kHeld, std::size_t link = 0) {
    const PortId port = port_to_switch(i, to, link);
    static_cast<SwitchContext&>(at(i)).set_priority_gate(port, priority, 0, open);
    roots_.on_gate(fabric_.topology().node_of(SwitchId(i)), port, priority, open, now);
  }
  void end_window() { roots_.end_window(); }
  void close(std::size_t i, std::size_t to) { gate(i, to, false); }
  void open(std::size_t i, std::size_t to) { gate(i, to, true); }
  /// The gate of host a's NIC closes or opens, now.
  void gate_of_a(bool open) {
    nic().set_priority_gate(kHeld, 0, open);
    roots_.end_window();
    roots_.on_gate(fabric_.topology().node_of(HostId(kA)), PortId(0), kHeld, open, now);
    roots_.end_window();
  }
  /// Host a has `size` bytes for host `to`, from now on.
  QueuePairId offer_from_a(std::size_t to, FlowClass flow_class, Bytes size = 10_KB, BitRate limit = BitRate(),
                           std::int64_t window = kUnlimited, Priority priority = kHeld) {
    OpenSender spec;
    spec.remote = HostId(to);
    spec.priority = priority;
    spec.rate_limit = limit;
    spec.base_round_trip = 10_us;
    spec.window = window;
    const QueuePairId number = nic().open_sender(now, spec);
    nic().connect_sender(number, QueuePairId(static_cast<std::uint32_t>(flow_class)));
    nic().post(now, number, FlowId(0), size);
    return number;
  }
  /// Host a sends one packet, if it may.
  bool send_from_a() {
    const FrameId id = nic().transmit(now);
    if (id.exists()) fabric_.frames().release(id);
    return id.exists();
  }
  /// Host a receives an answer.
  void answer_to_a(FrameKind kind, QueuePairId number, std::size_t from, std::uint32_t expected, std::uint32_t came) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = kind;
    frame.source = HostId(from);
    frame.destination = HostId(kA);
    frame.queue_pair = number;
    frame.sequence = expected;
    frame.tag_value = came;
    nic().receive(now, id);
  }
  void sample() { roots_.sample(now); }
  void end() { roots_.end(now); }
  [[nodiscard]] const PauseHold& hold(FlowClass flow_class) const {
    return roots_.hold()[static_cast<std::size_t>(flow_class)];
  }

  Time now = whole::at(1_us);

 private:
  Frame& take_in(std::size_t i, PortId from, std::size_t to, FlowClass flow_class, Priority priority) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = 1'066;
    frame.priority = priority;
    frame.source = HostId(kA);
    frame.destination = HostId(to);
    frame.queue_pair = QueuePairId(static_cast<std::uint32_t>(flow_class));
    at(i).receive(now, from, id);
    return frame;
  }
  [[nodiscard]] PortId port(std::size_t i, NodeId peer, std::size_t link = 0) const {
    const auto& ports = fabric_.topology().ports(fabric_.topology().node_of(SwitchId(i)));
    for (std::size_t port = 0; port < ports.size(); ++port) {
      if (ports[port].peer == peer && link-- == 0) return PortId(port);
    }
    return PortId::none();
  }
  Fabric fabric_;
  PauseRoots roots_;
};

constexpr FlowClass kFirst = FlowClass::incast;
constexpr FlowClass kSecond = FlowClass::victim;
constexpr FlowClass kThird = FlowClass::background;

PauseHold hold(Duration held, Duration innocent, std::uint64_t packets) {
  return {held, innocent, packets};
}

/// s2 is congested towards d and pauses s1, so s1 fills up and pauses s0: the pause of s0 has its root at s2, two hops
/// further on. From 10 to 30 us s0 has a paused frame each for c, d and e. Only d's path contains the root, as its last
/// hop; e's contains s1's paused port as well, but that is no root.
TEST(PauseRoots, AreTwoHopsOnBehindAPausedPort) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);
  line.block(1, 0, kD);
  line.put_from_a(kC, kFirst);
  line.put_from_a(kD, kSecond);
  line.put_from_a(kE, kThird);
  line.now = at(10_us);
  line.close(0, 1);
  line.now = at(30_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(20_us, 20_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(20_us, 0_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(20_us, 20_us, 1));
}

/// The same where s1 sprays packets over two links to s2, both of which are paused: which one a frame at s0 will take
/// is not known, but that it ends with d's port is.
TEST(PauseRoots, AreLastHopsThoughThePathToThemIsUnknown) {
  Line line(choose("go_back_n"), true);
  for (const std::size_t link : {0, 1}) line.block(2, 1, kD, link);
  for (const std::size_t link : {0, 1}) line.gate_within_window(1, 2, false, kHeld, link);
  line.end_window();
  for (int frame = 0; frame < 8; ++frame) line.block(1, 0, kD);
  line.put_from_a(kD, kSecond);
  line.put_from_a(kE, kThird);
  line.now = at(10_us);
  line.close(0, 1);
  line.now = at(30_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kSecond), hold(20_us, 0_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(20_us, 20_us, 1));
}

/// Host d pauses s2, whose port to d is the root; s2 therefore pauses s1. Of the frames that wait at s1, e's is
/// innocent, those for d are not, whether they wait at s1 or s2.
TEST(PauseRoots, ArePortsToHostsThatPause) {
  Line line;
  line.gate_to_host(kD, false);
  line.put(2, 1, kD, kFirst);
  line.close(1, 2);
  line.put(1, 0, kD, kSecond);
  line.put(1, 0, kE, kThird);
  line.now = at(6_us);
  line.open(1, 2);
  line.gate_to_host(kD, true);
  EXPECT_EQ(line.hold(kFirst), hold(5_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(5_us, 0_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(5_us, 5_us, 1));
}

/// The frames in the two switches are paused for as long as each one's own gate is closed: 4 us at s1, which has one
/// for d and two for e; 6 us at s0, which has two for d.
TEST(PauseRoots, HoldTheFramesOfEachPausedSwitch) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);  // at 1 us
  line.put(1, 0, kD, kFirst);
  line.put(1, 0, kE, kSecond);
  line.put(1, 0, kE, kSecond);
  line.close(0, 1);
  line.put_from_a(kD, kThird);
  line.put_from_a(kD, kThird);
  line.now = at(5_us);
  line.open(1, 2);
  line.now = at(7_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(4_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(8_us, 8_us, 2));
  EXPECT_EQ(line.hold(kThird), hold(12_us, 0_us, 2));
}

/// At one instant, events of switches with a lower number are seen, those of switches with a higher number are not.
/// When s0 is paused, s1's frames have not yet arrived, so there is no root; when s2 is, they have.
TEST(PauseRoots, SeeAtTheirInstantWhatLowerSwitchesDid) {
  Line line;
  line.put_from_a(kD, kFirst);
  line.put(2, 3, kA, kSecond);
  line.end_window();
  line.now = at(10_us);
  line.gate_within_window(0, 1, false);
  line.block(1, 0, kC);
  line.block(1, 2, kC);
  line.gate_within_window(2, 1, false);
  line.end_window();
  line.now = at(30_us);
  line.open(0, 1);
  line.open(2, 1);
  EXPECT_EQ(line.hold(kFirst), hold(20_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(20_us, 20_us, 1));
}

/// A sample sees the events of its instant at all switches alike: a frame for d has arrived at s0, which is paused
/// because of the root at s2. Host a's packet for c is paused innocently from then on.
TEST(PauseRoots, SeeAllOfItsInstantAtASample) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);
  line.block(1, 0, kD);
  line.close(0, 1);
  line.offer_from_a(kC, kFirst);
  line.now = at(10_us);
  line.gate_of_a(false);
  line.now = at(20_us);
  line.put_from_a(kD, kThird);
  line.sample();
  line.now = at(30_us);
  line.gate_of_a(true);
  EXPECT_EQ(line.hold(kFirst), hold(20_us, 10_us, 1));
}

/// Host a is paused by s0, that by s1, that by s2, and that by s3, which is congested towards f: of the four queue
/// pairs of a, only that to f is not innocent. A queue pair counts as one packet, the next one.
TEST(PauseRoots, AreThreeHopsOnAndMoreFromANic) {
  Line line;
  line.block(3, 2, kF);
  line.close(2, 3);
  line.block(2, 1, kF);
  line.close(1, 2);
  line.block(1, 0, kF);
  line.close(0, 1);
  line.put_from_a(kF);
  line.offer_from_a(kC, kFirst);
  line.offer_from_a(kD, kFirst);
  line.offer_from_a(kE, kSecond);
  line.offer_from_a(kF, kThird);
  line.now = at(10_us);
  line.gate_of_a(false);
  line.now = at(17_us);
  line.gate_of_a(true);
  EXPECT_EQ(line.hold(kFirst), hold(14_us, 14_us, 2));
  EXPECT_EQ(line.hold(kSecond), hold(7_us, 7_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(7_us, 0_us, 1));
}

/// s1 has frames of s0 for c, which may depart, and for d, which s2 blocks: the roots are s1's port to c and s2's to d.
TEST(PauseRoots, AreSeveralWhereFramesGoSeveralWays) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);
  line.block(1, 0, kD);
  line.block(1, 0, kC);
  line.put_from_a(kC, kFirst);
  line.put_from_a(kD, kSecond);
  line.put_from_a(kE, kThird);
  line.close(0, 1);
  line.now = at(4_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(3_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(3_us, 0_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(3_us, 3_us, 1));
}

/// Frames that arrived by another port, or in another priority, are no reason for this pause.
TEST(PauseRoots, AreOnlyWhereFramesOfThePausedPortAndPriorityAre) {
  Line line;
  line.block(1, 2, kC);               // from the other side
  Frame& other = line.put(1, 0, kC);  // the only possible root
  line.block(2, 1, kD);
  other.kind = FrameKind::ack;
  line.put_from_a(kC, kFirst);
  line.put_from_a(kD, kSecond);
  line.put_from_a(kD, kThird, 4);  // of a priority that is not paused
  line.close(0, 1);
  line.now = at(2_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(1_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(1_us, 1_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(0_us, 0_us, 0));
}

/// The congestion tree moves: from 10 us d is the root, from the sample at 16 us on it is e, until 30 us. Each packet
/// counts once although its pause has two parts.
TEST(PauseRoots, AreLookedUpAgainAtEachSample) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);
  line.block(1, 0, kD);
  line.put_from_a(kC, kFirst);
  line.put_from_a(kD, kSecond);
  line.put_from_a(kE, kThird);
  line.now = at(10_us);
  line.close(0, 1);
  line.now = at(13_us);
  line.sample();  // nothing new
  line.drain(2, line.port_to_host(kD));
  line.block(2, 1, kE);
  line.now = at(16_us);
  line.sample();
  line.now = at(30_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(20_us, 20_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(20_us, 14_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(20_us, 6_us, 1));
}

/// Of two frames that arrived one has departed: the other remains the root.
TEST(PauseRoots, StayAsLongAsOneFrameIsLeft) {
  Line line;
  line.block(1, 0, kC);
  line.block(1, 0, kC);
  line.send_one(1, line.port_to_host(kC));
  line.put_from_a(kD, kFirst);
  line.close(0, 1);
  line.now = at(5_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(4_us, 4_us, 1));
}

/// Frames for another port are not paused.
TEST(PauseRoots, HoldNothingAtAnotherPort) {
  Line line;
  line.block(1, 0, kC);
  line.put(0, 1, kA, kFirst);
  line.close(0, 1);
  line.now = at(5_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(0_us, 0_us, 0));
}

/// When the RESUME is in flight, no frame that caused the pause is left: the last root remains.
TEST(PauseRoots, HoldOnWhenNothingIsLeftThere) {
  Line line;
  line.block(1, 0, kC);
  line.put_from_a(kC, kFirst);
  line.put_from_a(kD, kSecond);
  line.close(0, 1);
  line.now = at(2_us);
  line.drain(1, line.port_to_host(kC));
  line.sample();
  line.now = at(5_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(4_us, 0_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(4_us, 4_us, 1));
}

/// A pause without a root is not innocent until a root is found.
TEST(PauseRoots, MayBeNone) {
  Line line;
  line.put_from_a(kD, kFirst);
  line.close(0, 1);
  line.now = at(3_us);
  line.block(1, 0, kC);
  line.sample();
  line.now = at(8_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(7_us, 5_us, 1));
}

/// s0 and s1 pause each other because of each other's frames: following the pauses ends nowhere and finds no root.
TEST(PauseRoots, AreNoneInACycleOfPauses) {
  Line line;
  line.block(1, 0, kA);
  line.block(0, 1, kC);
  line.close(1, 0);
  line.close(0, 1);
  line.put_from_a(kD, kFirst);
  line.now = at(2_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(1_us, 0_us, 1));
}

/// Frames that arrive while the gate is closed are paused from then on: 15, 10 and 5 us, and each counts once, also one
/// that arrives at the instant of a sample at which the root changes, or after it.
TEST(PauseRoots, HoldFramesFromWhenTheyCome) {
  Line line;
  line.block(2, 1, kD);
  line.close(1, 2);
  line.block(1, 0, kD);
  line.now = at(10_us);
  line.close(0, 1);
  line.now = at(15_us);
  line.put_from_a(kE, kFirst);
  line.drain(2, line.port_to_host(kD));
  line.block(2, 1, kE);
  line.now = at(20_us);
  line.put_from_a(kE, kSecond);
  line.sample();  // the root is e from now on
  line.now = at(25_us);
  line.put_from_a(kE, kThird);
  line.now = at(30_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(15_us, 5_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(10_us, 0_us, 1));
  EXPECT_EQ(line.hold(kThird), hold(5_us, 0_us, 1));
}

/// A refreshed PAUSE is one pause, and a RESUME without a PAUSE is none.
TEST(PauseRoots, AreOfOnePauseHoweverOftenItIsRefreshed) {
  Line line;
  line.block(1, 0, kC);
  line.put_from_a(kD, kFirst);
  line.open(0, 1);
  line.close(0, 1);
  line.now = at(3_us);
  line.close(0, 1);
  line.now = at(6_us);
  line.open(0, 1);
  line.now = at(8_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(5_us, 5_us, 1));
  line.close(0, 1);
  line.now = at(9_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(6_us, 6_us, 2)) << "a second pause holds it a second time";
}

TEST(PauseRoots, CountUntilTheEndOfTheRun) {
  Line line;
  line.block(1, 0, kC);
  line.put_from_a(kD, kFirst);
  line.offer_from_a(kC, kSecond);
  line.close(0, 1);
  line.gate_of_a(false);
  line.now = at(11_us);
  line.end();
  EXPECT_EQ(line.hold(kFirst), hold(10_us, 10_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(10_us, 0_us, 1)) << "s0 is itself paused, for what s1 holds for c";
}

/// Only data counts; an acknowledgement is blocked by the same pause.
TEST(PauseRoots, HoldNothingButData) {
  Line line;
  line.block(1, 0, kC);
  line.put_from_a(kD, kFirst).kind = FrameKind::ack;
  line.close(0, 1);
  line.now = at(2_us);
  line.open(0, 1);
  EXPECT_EQ(line.hold(kFirst), hold(0_us, 0_us, 0));
}

// ---- packets that a pause blocks at a NIC ----

/// The gate of host a is closed by s0, which has one of its frames for c. s0 is paused by s1, whose port to c is the
/// root.
class NicLine : public testing::Test {
 protected:
  explicit NicLine(const PolicyChoice& loss_recovery = choose("go_back_n")) : line(loss_recovery) {
    line.block(1, 0, kC);
    line.close(0, 1);
    line.put_from_a(kC);
  }
  void hold_from_to(Duration from, Duration to) {
    line.now = at(from);
    line.gate_of_a(false);
    line.now = at(to);
    line.nic().advance(line.now);
    line.gate_of_a(true);
  }
  Line line;
};

/// 1,086 bytes on the wire at 1 Gbit/s: 8.688 us from one packet to the next. The first starts at 1 us; a pause from 2
/// to 5 us blocks nothing, one from 6 to 20 us blocks the second packet from 9.688 us on.
TEST_F(NicLine, HoldsAPacketFromWhenItsRateLetsItGo) {
  line.offer_from_a(kD, kFirst, 10_KB, 1_Gbps);
  ASSERT_TRUE(line.send_from_a());
  hold_from_to(2_us, 5_us);
  EXPECT_EQ(line.hold(kFirst), hold(0_us, 0_us, 0));
  hold_from_to(6_us, 20_us);
  EXPECT_EQ(line.hold(kFirst), hold(10'312_ns, 10'312_ns, 1));
}

/// The first of two packets of a window of 2,000 bytes is not yet acknowledged: the third waits for its
/// acknowledgement.
TEST_F(NicLine, HoldsNothingOfASenderWithoutWindowOrData) {
  line.offer_from_a(kD, kFirst, 10_KB, BitRate(), 2'000);
  line.offer_from_a(kD, kSecond, 1_KB);
  for (int i = 0; i < 3; ++i, line.now += 1_us) ASSERT_TRUE(line.send_from_a());
  ASSERT_FALSE(line.send_from_a());
  hold_from_to(10_us, 20_us);
  EXPECT_EQ(line.hold(kFirst), hold(0_us, 0_us, 0));
  EXPECT_EQ(line.hold(kSecond), hold(0_us, 0_us, 0));
}

/// An acknowledgement opens the window 4 us before the pause ends.
TEST_F(NicLine, HoldsAPacketFromWhenItsWindowOpens) {
  const QueuePairId number = line.offer_from_a(kD, kFirst, 10_KB, BitRate(), 2'000);
  for (int i = 0; i < 2; ++i, line.now += 1_us) ASSERT_TRUE(line.send_from_a());
  line.now = at(10_us);
  line.gate_of_a(false);
  line.now = at(16_us);
  line.answer_to_a(FrameKind::ack, number, kD, 1, 0);
  line.now = at(20_us);
  line.gate_of_a(true);
  EXPECT_EQ(line.hold(kFirst), hold(4_us, 4_us, 1));
}

TEST_F(NicLine, HoldsNothingOfAnotherPriority) {
  line.offer_from_a(kD, kFirst, 10_KB, BitRate(), kUnlimited, 4);
  hold_from_to(10_us, 20_us);
  EXPECT_EQ(line.hold(kFirst), hold(0_us, 0_us, 0));
}

/// A queue pair that opens after the first part of the pause counts like the others.
TEST_F(NicLine, HoldsAQueuePairThatOpensAfterTheRootChanged) {
  line.now = at(2_us);
  line.gate_of_a(false);
  line.offer_from_a(kC, kFirst);
  line.now = at(4_us);
  line.drain(1, line.port_to_host(kC));
  line.block(1, 0, kD);
  line.sample();  // the root is s1's port to s2 from now on
  line.now = at(6_us);
  line.offer_from_a(kC, kSecond);
  line.now = at(9_us);
  line.gate_of_a(true);
  EXPECT_EQ(line.hold(kFirst), hold(7_us, 5_us, 1));
  EXPECT_EQ(line.hold(kSecond), hold(3_us, 3_us, 1));
}

/// Under IRN, the number of packets in flight is limited; retransmissions are among them, and a pause blocks them.
class IrnLine : public NicLine {
 protected:
  IrnLine() : NicLine(choose("irn")) {}
};

TEST_F(IrnLine, HoldsWhatIsToBeSentAgainThoughTheWindowIsFull) {
  const QueuePairId number = line.offer_from_a(kD, kFirst, 10_KB, BitRate(), 2'000);
  for (int i = 0; i < 2; ++i, line.now += 1_us) ASSERT_TRUE(line.send_from_a());
  ASSERT_FALSE(line.send_from_a());
  line.now = at(8_us);
  line.answer_to_a(FrameKind::nack, number, kD, 0, 1);
  ASSERT_TRUE(line.nic().peek_sender(number)->resend);
  ASSERT_FALSE(line.nic().peek_sender(number)->has_window());
  hold_from_to(10_us, 20_us);
  EXPECT_EQ(line.hold(kFirst), hold(10_us, 10_us, 1));
}

}  // namespace
}  // namespace weir::whole::pause_roots_test
