// SPDX-License-Identifier: Apache-2.0
// The ideal that pauses flows: the pauses it sends, the flows it blocks and the flows it forgets.
#include "schemes/bfc/flow_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "policy/testing/fake_nic.h"
#include "schemes/bfc/flow_nic.h"
#include "schemes/bfc/test_switch.h"

namespace weir::bfc::flow_switch_test {
namespace {

using namespace literals;
using testing::SizeIs;

struct FlowLab : LabOf<FlowSwitch> {
  explicit FlowLab(Values values = {}) : LabOf(with_flow(std::move(values))) {}
  static Values with_flow(Values values) {
    values.emplace_back("pause", std::string("flow"));
    return values;
  }
  static FlowKey key(std::uint16_t flow) { return {HostId(100), HostId(200), flow}; }
  void say(PortId port, bool pause, std::uint16_t flow) {
    hear(port, make_message(context.frames(), context.framing(), pause, key(flow), QueuePairId(1)));
  }
  /// Frames of this flow, until one is over the threshold.
  std::vector<Frame*> overfill(std::uint16_t flow) {
    std::vector<Frame*> frames;
    const std::size_t before = context.sent().size();
    while (context.sent().size() == before) frames.push_back(&arrive(flow));
    return frames;
  }
  Message last() { return *read_message(context.frames(), context.frames()[context.sent().back().id], 4'096); }
};

TEST(FlowSwitch, TellsTheFlowAndItsQueuePair) {
  FlowLab lab;
  std::vector<Frame*> frames = lab.overfill(7);
  EXPECT_EQ(lab.context.sent().back().port, kIn);
  EXPECT_EQ(lab.last().say, Say::pause_flow) << "[BFC-V-8]";
  EXPECT_EQ(lab.last().flow, FlowLab::key(7));
  for (Frame* frame : frames) lab.depart(*frame);
  ASSERT_THAT(lab.context.sent(), SizeIs(2));
  EXPECT_EQ(lab.last().say, Say::resume_flow);
  EXPECT_EQ(lab.policy.flows(), 0u);
}

TEST(FlowSwitch, PausesNobodyForAnAcknowledgementOfNoIngress) {
  FlowLab lab({{"queues", std::int64_t{1}}, {"acknowledgements", std::string("flows")}});
  for (std::size_t i = 0; i < 300; ++i) {
    Frame& frame = lab.context.new_frame(PortId::none(), kOut, kPriority);
    frame.kind = FrameKind::ack;
    lab.enter(frame);
  }
  EXPECT_THAT(lab.context.sent(), SizeIs(0)) << "[BFC-P-5]";
}

TEST(FlowSwitch, PausesAFlowFromSoManyOfItsFramesOn) {
  FlowLab lab({{"queues", std::int64_t{1}}, {"pause_from", std::int64_t{3}}});
  for (std::uint16_t flow = 0; flow < 60; ++flow) lab.arrive(flow);
  lab.arrive(7);
  EXPECT_THAT(lab.context.sent(), SizeIs(0)) << "[BFC-B-9]";
  lab.arrive(7);
  ASSERT_THAT(lab.context.sent(), SizeIs(1)) << "[BFC-B-9]";
  EXPECT_EQ(lab.last().flow, FlowLab::key(7));
}

TEST(FlowSwitch, HoldsTheQueueWhileAHeldFlowIsInIt) {
  FlowLab lab({{"queues", std::int64_t{1}}});
  Frame& one = lab.arrive(1);
  Frame& two = lab.arrive(2);
  lab.say(kOut, true, 1);
  lab.say(kOut, true, 1);
  lab.say(kOut, true, 2);
  EXPECT_FALSE(lab.open(kOut, 0)) << "[BFC-V-8]";
  lab.say(kOut, false, 1);
  EXPECT_FALSE(lab.open(kOut, 0));
  lab.drop(two);
  EXPECT_TRUE(lab.open(kOut, 0));
  lab.depart(one);
  EXPECT_EQ(lab.policy.flows(), 1u) << "the second, which is held still";
}

TEST(FlowSwitch, HoldsAFlowWhereverItGoesNext) {
  FlowLab lab;
  Frame& before = lab.arrive(1);
  const std::size_t number = lab.number(before);
  lab.say(kOut, true, 1);
  EXPECT_FALSE(lab.open(kOut, number));
  lab.depart(before);
  EXPECT_TRUE(lab.open(kOut, number)) << "[BFC-V-8] it is not there any more";
  const std::size_t next = lab.number(lab.arrive(1));
  EXPECT_NE(next, number) << "no stickiness";
  EXPECT_FALSE(lab.open(kOut, next));
  lab.say(kOut, false, 1);
  EXPECT_TRUE(lab.open(kOut, next));
}

TEST(FlowSwitch, RemembersAPauseOfAFlowThatIsYetToCome) {
  FlowLab lab;
  lab.say(kOut, true, 9);
  const Frame& frame = lab.arrive(9);
  EXPECT_FALSE(lab.open(kOut, lab.number(frame)));
  lab.say(kOut, false, 8);  // of an unknown flow
  EXPECT_EQ(lab.policy.flows(), 1u);
}

TEST(FlowSwitch, KeepsFlowsApartHoweverMany) {
  FlowLab lab({{"queues", std::int64_t{1'024}}, {"flow_table_factor", std::int64_t{0}}});
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 1'024; ++flow) numbers.insert(lab.number(lab.arrive(flow)));
  EXPECT_THAT(numbers, SizeIs(1'024)) << "[BFC-V-8] no two in one entry";
}

TEST(FlowSwitch, TellsAndObeysNoNeighbourThatRunsNoBfc) {
  FlowLab lab;
  lab.context.port_state(kIn).peer.protocols.numbers.reset(kProtocol);
  lab.context.port_state(kOut).peer.protocols.numbers.reset(kProtocol);
  std::vector<Frame*> frames;
  for (int i = 0; i < 100; ++i) frames.push_back(&lab.arrive(1));
  EXPECT_THAT(lab.context.sent(), SizeIs(0)) << "[BFC-D-1]";
  lab.say(kOut, true, 1);
  EXPECT_TRUE(lab.open(kOut, lab.number(*frames.front()))) << "[BFC-D-2]";
  for (Frame* frame : frames) lab.depart(*frame);
  EXPECT_EQ(lab.policy.flows(), 0u);
}

// [BFC-D-5]
TEST(FlowSwitch, OfFlowsAreAcceptedBySwitchesThatPauseFlows) {
  FlowLab lab;
  FramePool& frames = lab.context.frames();
  const auto verdict = [&](FrameId id) {
    const auto out = lab.policy.judge(lab.context, kOut, frames[id]);
    frames.release(id);
    return out;
  };
  const auto pause = [&](const FlowKey& key) {
    return make_message(frames, lab.context.framing(), true, key, QueuePairId(1));
  };
  EXPECT_EQ(verdict(pause(FlowLab::key(1))), ControlVerdict::wrong_neighbour);
  lab.context.port_state(kOut).peer.host = HostId::none();
  EXPECT_EQ(verdict(pause(FlowLab::key(1))), ControlVerdict::accepted);
  EXPECT_EQ(verdict(pause({HostId(1), HostId::none(), 1})), ControlVerdict::no_target);
  EXPECT_EQ(verdict(pause({HostId::none(), HostId(1), 1})), ControlVerdict::no_target);
  EXPECT_EQ(verdict(make_message(frames, lab.context.framing(), true, 0)), ControlVerdict::not_spoken);
  const std::vector<std::uint64_t> words(1);
  EXPECT_EQ(verdict(make_bitmap(frames, lab.context.framing(), words, 1)), ControlVerdict::not_spoken);
}

TEST(FlowSwitch, TellsNobodyOfFramesThatGoDownAndUpAgain) {
  FlowLab lab;
  lab.context.port_state(kIn).peer.above = true;
  lab.context.port_state(kOut).peer.above = true;
  for (int i = 0; i < 100; ++i) lab.arrive(1);
  EXPECT_THAT(lab.context.sent(), SizeIs(0)) << "[BFC-E-1]";
}

TEST(FlowSwitch, NamesNoQueueUpstream) {
  FlowLab lab;
  Frame& frame = lab.arrive(1, kIn, kOut, tag_of(5, true));
  EXPECT_EQ(lab.depart(frame).tag, kIncastBit) << "[BFC-D-3]";
}

TEST(FlowSwitch, RanksFramesWithoutASizeLast) {
  FlowLab lab({{"order", std::string("shortest_remaining")}});
  Frame& frame = lab.arrive(1);
  const std::uint64_t without = lab.policy.rank(lab.context, frame);
  frame.tag_value = 0xffff'ffff;
  EXPECT_LT(lab.policy.rank(lab.context, frame), without) << "[BFC-D-4]";
}

TEST(FlowSwitch, StartsAgainWithTheLink) {
  FlowLab lab;
  std::vector<Frame*> before = lab.overfill(7);
  lab.say(kOut, true, 3);
  lab.policy.on_link(lab.context, kIn, false);
  lab.policy.on_link(lab.context, kIn, true);
  lab.policy.on_link(lab.context, kOut2, false);
  ASSERT_THAT(lab.context.hop_pauses(), SizeIs(2)) << "[BFC-L-1] the pause has ended";
  EXPECT_FALSE(lab.context.hop_pauses()[1].paused);
  Frame& after = lab.arrive(7);
  EXPECT_THAT(lab.context.sent(), SizeIs(2)) << "[BFC-L-1] told again";
  for (Frame* frame : before) lab.depart(*frame);
  EXPECT_THAT(lab.context.sent(), SizeIs(2));
  lab.depart(after);
  EXPECT_THAT(lab.context.sent(), SizeIs(3));
  EXPECT_EQ(lab.policy.flows(), 1u);
  lab.policy.on_link(lab.context, kOut, false);
  EXPECT_EQ(lab.policy.flows(), 0u);
}

TEST(FlowNic, HoldsTheQueuePairThatIsNamed) {
  FakeNic nic;
  FlowNic policy{Settings(parameters_with({{"pause", std::string("flow")}}))};
  policy.attach(nic);
  SendState& one = nic.open_sender(HostId(5));
  SendState& two = nic.open_sender(HostId(5));
  one.entropy = 11;
  two.entropy = 22;
  const auto hear = [&](bool pause, std::uint16_t entropy, QueuePairId number) {
    const FrameId id = make_message(nic.frames(), nic.framing(), pause, {HostId(0), HostId(5), entropy}, number);
    EXPECT_TRUE(policy.on_control(nic, nic.frames()[id]));
    nic.frames().release(id);
  };
  hear(true, 22, two.remote_number);
  EXPECT_TRUE(nic.gate_open(one, 0)) << "[BFC-V-8]";
  EXPECT_FALSE(nic.gate_open(two, 0));
  hear(true, 99, one.remote_number);
  hear(true, 11, QueuePairId(4'000));
  EXPECT_TRUE(nic.gate_open(one, 0)) << "[BFC-W-3] what names nobody";
  hear(false, 22, two.remote_number);
  EXPECT_TRUE(nic.gate_open(two, 0));
}

}  // namespace
}  // namespace weir::bfc::flow_switch_test
