// SPDX-License-Identifier: Apache-2.0
// The holds (blocked gates and queues) in a triangle of switches and what they wait for, computed by hand: the test
// moves frames, gates and pauses, one instant after the other.
#include "sim/held_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "whole_network.h"

namespace weir::whole::held_frames_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr LinkSpec kLink{BitRate(100'000'000'000), Duration::picoseconds(1'000'000), 0};
constexpr std::size_t kSwitches = 3;
constexpr Priority kHeld = 3;
constexpr std::int64_t kFrame = 1'066;

/// Two queues per port. A frame's tag selects its queue, and its tag value is the ID by which it keeps its ingress
/// paused; zero: the default queue, and none.
class Named final : public Classifier {
 public:
  void attach(SwitchContext& context) override {
    owner = context.new_gate_owner();
    for (std::size_t port = 0; port < context.ports(); ++port) {
      for (int i = 0; i < 2; ++i)
        queues.push_back(queue_context(context).new_queue({.port = PortId(port), .priority = kHeld}));
    }
    wide = queue_context(context).new_queue({.port = PortId::none(), .priority = kHeld, .service = Service::released});
  }
  [[nodiscard]] QueueId queue(PortId port, std::size_t number) const { return queues[2 * port.index() + number - 1]; }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.tag == 3) return wide;
    return frame.tag == 0 ? context.default_queue(frame.egress, frame.priority) : queue(frame.egress, frame.tag);
  }
  [[nodiscard]] std::optional<HopPause> keeps_paused(const Frame& frame) const override {
    if (frame.tag_value == 0) return std::nullopt;
    return HopPause{frame.ingress, frame.tag_value};
  }
  void keeps(const SwitchContext&, QueueId, const Frame& frame, std::vector<HopPause>& out) const override {
    if (std::optional<HopPause> pause = keeps_paused(frame)) {
      pause->in_switch = keeps_in_switch;
      out.push_back(*pause);
    }
  }
  void pauses_of(const SwitchContext&, QueueId queue, std::vector<std::uint64_t>& out) const override {
    if (const auto found = names.find(queue); found != names.end()) out = found->second;
  }
  void held_by(const SwitchContext& context, QueueId queue, std::vector<HeldBy>& out) const override {
    Classifier::held_by(context, queue, out);
    if (const auto found = by.find(queue); found != by.end())
      out.insert(out.end(), found->second.begin(), found->second.end());
  }

  bool keeps_in_switch = false;
  QueueId wide;                               // of the whole switch: tag 3
  std::map<QueueId, std::vector<HeldBy>> by;  // other blocks of a queue
  GateOwner owner = 0;
  std::vector<QueueId> queues;
  std::map<QueueId, std::vector<std::uint64_t>> names;  // the IDs by which the downstream neighbour blocks it
};

const Scheme kNamed = {
    .name = "named",
    .summary = "pauses as a test says",
    .traits = {},
    .flow_control = [](const Parameters&) -> std::unique_ptr<FlowControl> { return std::make_unique<Named>(); },
};

Settings triangle() {
  Topology topology;
  std::vector<NodeId> switches;
  for (std::size_t i = 0; i < kSwitches; ++i) switches.push_back(topology.add_switch("s" + std::to_string(i), 1, 0, 0));
  for (std::size_t i = 0; i < kSwitches; ++i) {
    topology.connect(topology.add_host("h" + std::to_string(i), 0, 0), switches[i], kLink);
    topology.connect(switches[i], switches[(i + 1) % kSwitches], kLink);
  }
  Settings settings = lossless_network(std::move(topology), 1_ms);
  settings.switches.flow_control = {{&kNamed, Parameters(kNamed.parameters)}};
  return settings;
}

class Held : public testing::Test {
 protected:
  Switch& at(std::size_t i) { return fabric_.switch_by(SwitchId(i)); }
  Named& named(std::size_t i) {
    for (SwitchPolicy* policy : at(i).policies()) {
      if (auto* found = dynamic_cast<Named*>(policy)) return *found;
    }
    throw std::logic_error("a switch has no flow control");
  }
  [[nodiscard]] NodeId node(std::size_t i) const { return fabric_.topology().node_of(SwitchId(i)); }
  [[nodiscard]] PortId port(std::size_t i, std::size_t to) const { return port(i, node(to)); }
  [[nodiscard]] PortId host_port(std::size_t i) const { return port(i, fabric_.topology().node_of(HostId(i))); }
  [[nodiscard]] std::uint32_t channel(std::size_t i, std::size_t to) const {
    return fabric_.channel(node(i), port(i, to));
  }
  /// Ingress number of the portions that switch `i` received from `from`.
  [[nodiscard]] std::uint32_t ingress(std::size_t i, std::size_t from) const {
    return HeldFrames::slot(channel(i, from), kHeld);
  }

  /// A frame arrives at switch `i` on `port` for host `to`.
  FrameId put(std::size_t i, PortId port, std::size_t to, std::uint16_t queue = 0, std::uint32_t keeps = 0) {
    const FrameId id = fabric_.frames().allocate();
    Frame& frame = fabric_.frames()[id];
    frame.kind = FrameKind::data;
    frame.frame_bytes = kFrame;
    frame.priority = kHeld;
    frame.destination = HostId(to);
    frame.tag = queue;
    frame.tag_value = keeps;
    at(i).receive(now_, port, id);
    return id;
  }
  /// Switch `to` has paused the priority of switch `i`, which has closed its gate.
  void close(std::size_t i, std::size_t to) {
    at(i).set_priority_gate(port(i, to), kHeld, named(i).owner, false);
    at(to).note_pause(port(to, i), kHeld, true);
  }
  /// Switch `to` has paused a queue of switch `i` by these IDs.
  QueueId close_queue(std::size_t i, std::size_t to, std::size_t number, std::vector<std::uint64_t> names) {
    const QueueId queue = named(i).queue(port(i, to), number);
    at(i).set_gate(queue, named(i).owner, false);
    named(i).names[queue] = std::move(names);
    return queue;
  }
  /// The hold of the gate from switch `i`, or of an ID for a queue there.
  const Hold& hold(std::size_t i, std::size_t to, std::uint64_t name = 0) { return held_.holds()[number(i, to, name)]; }
  std::uint32_t number(std::size_t i, std::size_t to, std::uint64_t name = 0) {
    const auto found = std::find_if(held_.holds().begin(), held_.holds().end(), [&](const Hold& hold) {
      return hold.channel == channel(i, to) && hold.is_gate() == (name == 0) && hold.name == name;
    });
    if (found == held_.holds().end()) throw std::logic_error("there is no such hold");
    return static_cast<std::uint32_t>(found - held_.holds().begin());
  }
  /// The holds that block a portion, up to `last`.
  std::vector<std::uint32_t> behind(const Portion& portion, std::uint32_t last = HeldFrames::kNone) {
    std::vector<std::uint32_t> seen;
    EXPECT_EQ(held_.behind(portion,
                           [&](std::uint32_t hold) {
                             seen.push_back(hold);
                             return hold == last;
                           }),
              last != HeldFrames::kNone);
    return seen;
  }

  Fabric fabric_{triangle()};
  HeldFrames held_{fabric_};
  Time now_ = whole::at(1_us);

 private:
  [[nodiscard]] PortId port(std::size_t i, NodeId peer) const {
    const auto& ports = fabric_.topology().ports(node(i));
    const auto found = std::find_if(ports.begin(), ports.end(), [&](const auto& port) { return port.peer == peer; });
    return PortId(static_cast<std::size_t>(found - ports.begin()));
  }
};

/// A hold that leads to a switch without closed gates cannot be part of a cycle, nor can one that leads to it.
TEST_F(Held, IsNothingThatEndsSomewhere) {
  close(0, 1);
  close(1, 2);
  put(1, port(1, 0), 2);
  held_.find();
  EXPECT_THAT(held_.holds(), IsEmpty());
  EXPECT_THAT(held_.portions(), IsEmpty());
  close(2, 0);
  held_.find();
  EXPECT_THAT(held_.holds(), SizeIs(3));
}

/// Switch 1 has resumed switch 0, which has not yet received the RESUME.
TEST_F(Held, IsNoGateWhoseIngressHasResumed) {
  for (std::size_t i = 0; i < kSwitches; ++i) close(i, (i + 1) % kSwitches);
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(3));
  at(1).note_pause(port(1, 0), kHeld, false);
  held_.find();
  EXPECT_THAT(held_.holds(), IsEmpty());
}

/// Three frames of the ingress are blocked by two gates, one is for a host; one came from a host.
TEST_F(Held, GateWaitsForWhatItsIngressIsChargedWith) {
  for (std::size_t i = 0; i < kSwitches; ++i) close(i, (i + 1) % kSwitches);
  close(1, 0);
  put(1, host_port(1), 2);
  now_ += 1_us;
  const FrameId first = put(1, port(1, 0), 2);
  now_ += 1_us;
  const FrameId back = put(1, port(1, 0), 0);
  put(1, port(1, 0), 2);
  put(1, port(1, 0), 1);
  fabric_.frames()[first].frame_bytes += 8;  // telemetry added by a switch is not charged
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(4));
  const Hold& gate = hold(0, 1);
  EXPECT_EQ(gate.bytes, 3 * kFrame);
  EXPECT_FALSE(gate.drains);
  ASSERT_THAT(gate.waits_for, SizeIs(2));
  const auto expect = [&](const Portion& portion, std::size_t to, FrameId begin, std::int64_t bytes) {
    EXPECT_EQ(portion.node, node(1));
    EXPECT_EQ(portion.ingress, ingress(1, 0));
    EXPECT_EQ(portion.queue, HeldFrames::kNone);
    EXPECT_EQ(portion.gate, number(1, to));
    EXPECT_EQ(portion.first, begin);
    EXPECT_EQ(portion.bytes, bytes);
    EXPECT_THAT(behind(portion), ElementsAre(portion.gate));
  };
  // In the order of queues: the port to switch 0 is the first of switch 1.
  expect(held_.portions()[gate.waits_for.front()], 0, back, kFrame);
  expect(held_.portions()[gate.waits_for.back()], 2, first, 2 * kFrame);
  EXPECT_EQ(gate.first, back);
  EXPECT_EQ(gate.arrival, whole::at(3_us));
  EXPECT_THAT(held_.portions(), SizeIs(3)) << "with that of the host";
  EXPECT_THAT(hold(1, 2).waits_for, IsEmpty());
  EXPECT_EQ(hold(1, 2).bytes, 0);
}

/// Order markers are no frames: no hold waits for them.
TEST_F(Held, LeavesOutOrderMarkers) {
  for (std::size_t i = 0; i < kSwitches; ++i) close(i, (i + 1) % kSwitches);
  put(1, port(1, 0), 2);
  ASSERT_TRUE(at(1).insert_marker(at(1).default_queue(port(1, 2), kHeld), 5));
  held_.find();
  ASSERT_THAT(held_.portions(), SizeIs(1));
  EXPECT_EQ(held_.portions().front().bytes, kFrame);
}

class HeldByName : public Held {
 protected:
  /// A queue of each switch is paused by the next one with ID 7, and contains a frame that keeps its own ingress
  /// paused.
  HeldByName() {
    for (std::size_t i = 0; i < kSwitches; ++i) {
      close_queue(i, (i + 1) % kSwitches, 1, {7});
      put(i, port(i, (i + 2) % kSwitches), (i + 1) % kSwitches, 1, 7);
    }
  }
};

TEST_F(HeldByName, WaitsForTheFramesThatKeepItInForce) {
  now_ += 1_us;
  put(1, port(1, 0), 2, 1);     // keeps none paused
  put(1, port(1, 0), 2, 1, 9);  // another ID
  put(1, host_port(1), 2, 1, 7);
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(3));
  const Hold& pause = hold(0, 1, 7);
  EXPECT_EQ(pause.queue, named(0).queue(port(0, 1), 1));
  EXPECT_EQ(pause.first, at(0).queue(pause.queue).head);
  EXPECT_EQ(pause.arrival, whole::at(1_us));
  EXPECT_FALSE(pause.drains);
  ASSERT_THAT(pause.waits_for, SizeIs(1));
  const Portion& portion = held_.portions()[pause.waits_for.front()];
  EXPECT_EQ(portion.queue, number(1, 2, 7));
  EXPECT_EQ(portion.gate, HeldFrames::kNone);
  EXPECT_EQ(portion.ingress, ingress(1, 0));
  EXPECT_EQ(portion.bytes, 3 * kFrame) << "of the same ingress, whatever they keep";
}

/// One of the frames that keep it paused may depart.
TEST_F(HeldByName, DrainsWhereAFrameIsNotHeld) {
  put(1, port(1, 0), 1, 0, 7);
  held_.find();
  EXPECT_TRUE(hold(0, 1, 7).drains);
  EXPECT_FALSE(hold(1, 2, 7).drains);
}

TEST_F(HeldByName, IsNoQueueThatIsOpenOrEmptyOrLeadsToAHost) {
  put(0, host_port(0), 1, 2);
  named(0).names[named(0).queue(port(0, 1), 2)] = {8};
  close_queue(1, 2, 2, {8});
  named(2).names[named(2).queue(host_port(2), 1)] = {8};
  at(2).set_gate(named(2).queue(host_port(2), 1), named(2).owner, false);
  put(2, port(2, 0), 2, 1);
  held_.find();
  EXPECT_THAT(held_.holds(), SizeIs(3));
}

/// Two queues hold frames of one ingress alternately: a portion belongs to one queue.
TEST_F(HeldByName, WaitsForAPortionInEachQueue) {
  close_queue(1, 2, 2, {8});
  for (int i = 0; i < 2; ++i) {
    put(1, port(1, 0), 2, 2, 7);
    put(1, port(1, 0), 2, 1, 7);
  }
  held_.find();
  const Hold& pause = hold(0, 1, 7);
  ASSERT_THAT(pause.waits_for, SizeIs(2));
  const Portion& one = held_.portions()[pause.waits_for.front()];
  const Portion& other = held_.portions()[pause.waits_for.back()];
  EXPECT_EQ(one.queue, number(1, 2, 7));
  EXPECT_EQ(one.bytes, 3 * kFrame);
  EXPECT_EQ(other.queue, number(1, 2, 8));
  EXPECT_EQ(other.bytes, 2 * kFrame);
}

/// Frames behind a gate and behind two IDs are blocked by each of the three.
TEST_F(HeldByName, LiesBehindEachName) {
  close_queue(1, 2, 1, {7, 8});
  close(1, 2);
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(5));
  const Portion& portion = held_.portions()[hold(0, 1, 7).waits_for.front()];
  const std::uint32_t gate = number(1, 2);
  const std::uint32_t seven = number(1, 2, 7);
  const std::uint32_t eight = number(1, 2, 8);
  EXPECT_THAT(behind(portion), ElementsAre(gate, seven, eight));
  EXPECT_THAT(behind(portion, seven), ElementsAre(gate, seven));
  EXPECT_THAT(behind(portion, gate), ElementsAre(gate));
}

/// Two queues are paused by one ID: each waits for the same frames.
TEST_F(HeldByName, IsEachOfTwoQueuesOfOneName) {
  close_queue(0, 1, 2, {7});
  put(0, port(0, 2), 1, 2);
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(4));
  std::size_t of_switch_0 = 0;
  for (const Hold& each : held_.holds()) {
    if (each.node != node(0)) continue;
    ++of_switch_0;
    EXPECT_THAT(each.waits_for, SizeIs(1));
  }
  EXPECT_EQ(of_switch_0, 2u);
}

/// The heads of the queues of whole switches need credit from the next ones, for frames behind the heads there.
class HeldByCredit : public Held {
 protected:
  HeldByCredit() {
    for (std::size_t i = 0; i < kSwitches; ++i) {
      named(i).keeps_in_switch = true;
      put(i, port(i, (i + 2) % kSwitches), (i + 1) % kSwitches, 3, 7);
      named(i).by[named(i).wide] = {{port(i, (i + 1) % kSwitches), 7, QueueId::none()}};
    }
  }
};

TEST_F(HeldByCredit, WaitsForTheFramesForWhichItIsOwed) {
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(3));
  const Hold& credit = hold(0, 1, 7);
  EXPECT_EQ(credit.node, node(0));
  EXPECT_EQ(credit.acts, node(1));
  EXPECT_EQ(credit.queue, named(0).wide);
  EXPECT_EQ(credit.first, at(0).queue(named(0).wide).head);
  EXPECT_FALSE(credit.drains);
  ASSERT_THAT(credit.waits_for, SizeIs(1));
  EXPECT_THAT(behind(held_.portions()[credit.waits_for.front()]), ElementsAre(number(1, 2, 7)));
}

/// One of them has left the queue, and waits for the wire.
TEST_F(HeldByCredit, DrainsWhereAFrameIsOnItsWayOut) {
  put(1, port(1, 0), 2, 0, 7);
  held_.find();
  EXPECT_TRUE(hold(0, 1, 7).drains);
}

/// The gate of its priority keeps a frame in the switch, and credit is returned when it has departed.
TEST_F(HeldByCredit, LiesBehindTheGateOfItsPriorityToo) {
  named(1).by.clear();
  held_.find();
  EXPECT_THAT(held_.holds(), IsEmpty()) << "the head of switch 1 needs nothing";
  close(1, 2);
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(3));
  ASSERT_FALSE(hold(0, 1, 7).drains);
  EXPECT_THAT(behind(held_.portions()[hold(0, 1, 7).waits_for.front()]), ElementsAre(number(1, 2)));
}

/// A pause that ends when the frame leaves its queue does not wait for that gate, unless the queue is the last one.
TEST_F(HeldByCredit, LeavesItsQueueThroughTheGateOfItsPriority) {
  named(1).by.clear();
  named(1).keeps_in_switch = false;
  close(1, 2);
  held_.find();
  EXPECT_TRUE(hold(0, 1, 7).drains);
}

/// A gate's frames count once, even if a pause also waits for them without the gate.
TEST_F(HeldByCredit, CountsFramesOnceForGates) {
  named(1).keeps_in_switch = false;
  close(0, 1);
  close(1, 2);
  held_.find();
  const Hold& gate = hold(0, 1);
  EXPECT_EQ(gate.bytes, kFrame);
  ASSERT_THAT(gate.waits_for, SizeIs(1));
  EXPECT_THAT(behind(held_.portions()[gate.waits_for.front()]), ElementsAre(number(1, 2), number(1, 2, 7)));
  ASSERT_THAT(hold(0, 1, 7).waits_for, SizeIs(1));
  EXPECT_THAT(behind(held_.portions()[hold(0, 1, 7).waits_for.front()]), ElementsAre(number(1, 2, 7)));
}

/// Switch 1 blocks its queue on account of another that waits for credit: frames behind it are in a cycle with that
/// one.
TEST_F(HeldByCredit, MayBeOfAnotherQueueOfItsSwitch) {
  const QueueId queue = named(1).queue(port(1, 2), 1);
  put(1, port(1, 0), 2, 1, 8);
  at(1).set_gate(queue, named(1).owner, false);
  named(1).by[queue] = {{PortId::none(), 0, named(1).wide}};
  held_.find();
  ASSERT_THAT(held_.holds(), SizeIs(4));
  const auto found = std::find_if(held_.holds().begin(), held_.holds().end(),
                                  [&](const Hold& each) { return each.behind == named(1).wide; });
  ASSERT_NE(found, held_.holds().end());
  EXPECT_EQ(found->node, node(1));
  EXPECT_EQ(found->acts, node(1));
  EXPECT_EQ(found->channel, channel(1, 2));
  ASSERT_THAT(found->waits_for, SizeIs(1));
  EXPECT_THAT(behind(held_.portions()[found->waits_for.front()]), ElementsAre(number(1, 2, 7)));
}

/// A host never waits, and a timer expires.
TEST_F(HeldByCredit, IsNothingThatAHostOrATimerEnds) {
  named(0).by[named(0).wide] = {{host_port(0), 7, QueueId::none()}};
  held_.find();
  EXPECT_THAT(held_.holds(), IsEmpty());
  named(0).by[named(0).wide] = {{PortId::none(), 0, QueueId::none()}};
  held_.find();
  EXPECT_THAT(held_.holds(), IsEmpty());
}

TEST(Hold, IsTheSameOnlyWhileNothingHasMoved) {
  Hold hold;
  hold.channel = 4;
  hold.priority = kHeld;
  hold.first = FrameId(6);
  hold.arrival = at(1_us);
  EXPECT_TRUE(hold.same(hold));
  const auto differs = [&hold](auto change) {
    Hold other = hold;
    change(other);
    return !hold.same(other) && !other.same(hold);
  };
  EXPECT_TRUE(differs([](Hold& other) { other.channel = 5; }));
  EXPECT_TRUE(differs([](Hold& other) { other.priority = 4; }));
  EXPECT_TRUE(differs([](Hold& other) { other.queue = QueueId(1); }));
  EXPECT_TRUE(differs([](Hold& other) { other.name = 7; }));
  EXPECT_TRUE(differs([](Hold& other) { other.node = NodeId(1); }));
  EXPECT_TRUE(differs([](Hold& other) { other.behind = QueueId(1); }));
  EXPECT_TRUE(differs([](Hold& other) { other.first = FrameId(7); }));
  EXPECT_TRUE(differs([](Hold& other) { other.arrival = at(2_us); })) << "the frame's place was used again";
  EXPECT_FALSE(differs([](Hold& other) {
    other.bytes = 5;
    other.drains = true;
    other.waits_for = {1};
  }));
}

}  // namespace
}  // namespace weir::whole::held_frames_test
