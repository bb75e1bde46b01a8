// SPDX-License-Identifier: Apache-2.0
// BFC in a switch: which upstream queues are paused, and for how long.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc::bfc_pauses_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(BfcPauses, ComeWhenTheQueueIsLongerThanTheThreshold) {
  Lab lab;
  EXPECT_EQ(lab.policy.threshold(kOut, 1), kProduct) << "[BFC-B-2]";
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-1]";
  lab.arrive(1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "[BFC-B-3]";
  lab.arrive(1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "once";
}

TEST(BfcPauses, HaveAThresholdByTheActiveQueues) {
  Lab lab;
  EXPECT_EQ(lab.policy.threshold(kOut, 4), kProduct / 4) << "[BFC-B-2]";
  for (std::uint16_t flow = 1; flow <= 3; ++flow) lab.arrive(flow, kIn2);
  const auto fit = static_cast<std::size_t>(kProduct / 4 / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty());
  lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), SizeIs(1));
}

TEST(BfcPauses, WaitForABitmapOnRequest) {
  Lab lab({{"pauses", std::string("bitmap")}, {"refresh", 10_us}});
  lab.wait(13_us);
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-10]";
  lab.wait(6_us);
  EXPECT_THAT(lab.said(), IsEmpty());
  lab.wait(1_us);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, ElementsAre(5)))) << "[BFC-B-10] at 20 us";
  lab.wait(3_us);
  for (Frame* frame : frames) lab.depart(*frame);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, IsEmpty()))) << "[BFC-B-10] a resume at once";
  lab.wait(7_us);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, IsEmpty()))) << "[BFC-B-6]";
}

TEST(BfcPauses, AreNotForAFlowsOnlyFrame) {
  Lab lab({{"pause_from", std::int64_t{2}}, {"queues", std::int64_t{1}}, {"nic_queues", std::int64_t{32}}});
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(1, kIn, kOut, tag_of(5));
  Frame& only = lab.arrive(2, kIn2, kOut, tag_of(6));
  EXPECT_THAT(lab.said(kIn2), IsEmpty()) << "[BFC-B-9]";
  Frame& second = lab.arrive(2, kIn2, kOut, tag_of(6));
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::pause, ElementsAre(6)))) << "[BFC-B-9] with itself two";
  lab.depart(only);
  EXPECT_THAT(lab.said(kIn2), IsEmpty()) << "that one had added nothing";
  lab.depart(second);
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::resume, ElementsAre(6))));
}

TEST(BfcPauses, CountNoPausedQueueAsActive) {
  Lab lab;
  for (std::uint16_t flow = 1; flow <= 3; ++flow) lab.hear(kOut, true, lab.number(lab.arrive(flow, kIn2)));
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-1]";
}

TEST(BfcPauses, CountNoAcknowledgementsAsActive) {
  constexpr Priority kAhead = 7;  // host.acknowledge_priority
  for (const Priority priority : {kPriority, kAhead}) {
    for (const Levels& levels : {Levels{}, Levels{7, 6, 5, 4, 3, 2, 1, 4}, Levels{7, 6, 5, 4, 3, 2, 1, 0}}) {
      SCOPED_TRACE(testing::Message() << "priority " << int{priority} << ", level " << int{levels[priority]});
      Lab lab({}, SwitchId(0), levels);
      Frame& ack = lab.context.new_frame(kIn2, kOut, priority);
      ack.kind = FrameKind::ack;
      lab.enter(ack);
      ASSERT_EQ(lab.context.port(kOut).active_queues, 1u);
      const auto fit = static_cast<std::size_t>(kProduct / kFrame);
      for (std::size_t i = 0; i < fit; ++i) lab.arrive(9, kIn, kOut, tag_of(5));
      EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-1] though their queue be in turn with the data's";
      lab.arrive(9, kIn, kOut, tag_of(5));
      EXPECT_THAT(lab.said(), SizeIs(1));
    }
  }
}

// "Let N_active be the number of active queues at an egress" (3.3.2): queues of all classes count.
TEST(BfcPauses, CountQueuesOfAllClassesAsActive) {
  for (const bool fifo : {false, true}) {
    SCOPED_TRACE(fifo);
    Lab lab({{"classes", std::int64_t{4}}, {"gate_fifo", Bytes(fifo ? 1 : 0)}}, SwitchId(0), {7, 6, 5, 4, 3, 2, 1, 0});
    for (Priority priority = 1; priority <= 3; ++priority) {
      Frame& frame = lab.arrive(priority, kIn2, kOut, 0, priority);
      if (fifo) lab.policy.on_enter(lab.context, lab.queue(frame), frame);
    }
    const auto fit = static_cast<std::size_t>(kProduct / 4 / kFrame);
    const auto arrive = [&] {
      Frame& frame = lab.arrive(9, kIn, kOut, tag_of(5), 0);
      if (fifo) lab.policy.on_enter(lab.context, lab.queue(frame), frame);
    };
    for (std::size_t i = 0; i < fit; ++i) arrive();
    EXPECT_THAT(lab.said(), IsEmpty());
    arrive();
    EXPECT_THAT(lab.said(), SizeIs(1)) << "[BFC-B-1]";
  }
}

TEST(BfcPauses, HaveAThresholdByTheEgressAndTheLongestLink) {
  FakeSwitch context(3);
  context.set_rate(PortId(1), BitRate(400'000'000'000));
  context.port_state(PortId(2)).delay = 10_us;
  BfcSwitch policy{Settings(parameters_with({}))};
  policy.attach(context);
  const Duration longest = context.hop_round_trip(PortId(2));
  EXPECT_EQ(policy.threshold(PortId(0), 1), bytes_in(longest, context.port(PortId(0)).rate).count()) << "[BFC-B-2]";
  EXPECT_EQ(policy.threshold(PortId(1), 1), bytes_in(longest, context.port(PortId(1)).rate).count());
}

TEST(BfcPauses, HaveAThresholdAsTold) {
  EXPECT_EQ(Lab({{"threshold", 1_us}}).policy.threshold(kOut, 2), 6'250);
  EXPECT_EQ(Lab({{"hop_round_trip", 2_us}}).policy.threshold(kOut, 1), 25'000);
}

TEST(BfcPauses, EndWhenTheLastFrameOverTheThresholdHasLeft) {
  Lab lab;
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  frames.push_back(&lab.arrive(1, kIn, kOut, tag_of(5)));
  lab.said();
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) lab.depart(*frames[i]);
  EXPECT_THAT(lab.said(), IsEmpty()) << "the queue is short again, and yet";
  lab.depart(*frames.back());
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5)))) << "[BFC-B-4]";
}

TEST(BfcPauses, LastWhileAnyOfTheFlowsIsInALongQueue) {
  Lab lab;
  std::vector<Frame*> one = overfill(lab, 1, kIn, kOut, tag_of(5));
  std::vector<Frame*> other = overfill(lab, 2, kIn, kOut2, tag_of(5));
  EXPECT_THAT(lab.said(), SizeIs(1)) << "[BFC-B-3] one queue upstream";
  for (Frame* frame : one) lab.depart(*frame);
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-4]";
  for (Frame* frame : other) lab.depart(*frame);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5))));
}

TEST(BfcPauses, AreForTheIngressThatTheFrameCameBy) {
  Lab lab;
  overfill(lab, 1, kIn2, kOut, tag_of(5));
  lab.heard = 0;
  EXPECT_THAT(lab.said(kIn), IsEmpty());
  lab.heard = 0;
  EXPECT_THAT(lab.said(kIn2), SizeIs(1));
}

TEST(BfcPauses, EndWhenTheFrameIsLost) {
  Lab lab;
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  lab.said();
  lab.drop(*frames.back());
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5)))) << "[BFC-B-4]";
  EXPECT_EQ(lab.policy.flows().frames(), frames.size() - 1);
}

TEST(BfcPauses, AreNotForNeighboursThatNameNoQueue) {
  Lab lab;
  overfill(lab, 1, kIn, kOut, 0);
  overfill(lab, 2, kIn2, kOut, tag_of(32));  // of 32
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-W-1]";
}

TEST(BfcPauses, AreNotForNeighboursThatRunNoBfc) {
  Lab lab;
  lab.context.port_state(kIn).peer.protocols.numbers.reset(kProtocol);
  // The frames still carry the number that the switch upstream of that neighbour wrote.
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-D-1]";
  EXPECT_THAT(lab.context.hop_pauses(), IsEmpty());
  // The neighbour of the other ingress is paused for the same queue, and resumed independently of the first one's
  // frames.
  frames.push_back(&lab.arrive(1, kIn2, kOut, tag_of(7)));
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::pause, ElementsAre(7))));
  for (Frame* frame : frames) lab.depart(*frame);
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::resume, ElementsAre(7))));
  EXPECT_THAT(lab.context.hop_pauses(), SizeIs(2));
}

TEST(BfcPauses, AreNotForFramesThatGoDownAndUpAgain) {
  Lab lab;
  lab.context.port_state(kIn).peer.above = true;
  lab.context.port_state(kOut).peer.above = true;
  for (Frame* frame : overfill(lab, 1, kIn, kOut, tag_of(5))) lab.depart(*frame);
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-E-1]";
  overfill(lab, 1, kIn, kOut2, tag_of(5));
  EXPECT_THAT(lab.said(kIn), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "down only";
  overfill(lab, 2, kIn2, kOut, tag_of(6));
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::pause, ElementsAre(6)))) << "up only";
}

TEST(BfcPauses, AreForAllFramesWithoutElisions) {
  Lab lab({{"elide", std::string("none")}});
  lab.context.port_state(kIn).peer.above = true;
  lab.context.port_state(kOut).peer.above = true;
  overfill(lab, 1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(kIn), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "[BFC-E-1]";
}

TEST(BfcPauses, AreNotForFramesOfTheEntriesThatBreakCycles) {
  Lab lab({{"elide", std::string("cycles")}});
  lab.context.set_breaks_cycle(kIn, kOut);
  for (Frame* frame : overfill(lab, 1, kIn, kOut, tag_of(5))) lab.depart(*frame);
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-E-2]";
  overfill(lab, 1, kIn, kOut2, tag_of(5));
  EXPECT_THAT(lab.said(kIn), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "another egress";
  overfill(lab, 2, kIn2, kOut, tag_of(6));
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::pause, ElementsAre(6)))) << "another ingress";
}

TEST(BfcPauses, AreForAsManyQueuesAsANeighbourHas) {
  FakeSwitch context(4, 1 << 16);
  context.port_state(kIn).peer.announced = {{kProtocol, 100}};
  BfcSwitch policy(Settings(parameters_with({})));
  policy.attach(context);
  EXPECT_EQ(policy.counters().queues(), 100u) << "[BFC-B-8]";
  EXPECT_EQ(Lab({{"nic_queues", std::int64_t{64}}}).policy.counters().queues(), 64u) << "[BFC-B-8]";
  const Values ignoring_pauses = {{"nic_queues", std::int64_t{64}}, {"nic_backpressure", false}};
  EXPECT_EQ(Lab(ignoring_pauses).policy.counters().queues(), 32u) << "[BFC-V-6] its NICs have none";
}

TEST(BfcPauses, AreNotedForMeasurement) {
  Lab lab;
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  lab.depart(*frames.front());
  lab.drop(*frames.back());
  ASSERT_THAT(lab.context.hop_pauses(), SizeIs(2));
  EXPECT_EQ(lab.context.hop_pauses()[0].name, 5u);
  EXPECT_TRUE(lab.context.hop_pauses()[0].paused);
  EXPECT_FALSE(lab.context.hop_pauses()[1].paused);
}

TEST(BfcPauses, AreRestatedInBitmaps) {
  Lab lab({{"refresh", 20_us}});
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  overfill(lab, 2, kIn, kOut2, tag_of(31));
  lab.said();
  lab.wait(20_us);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, ElementsAre(5, 31)))) << "[BFC-B-5]";
  lab.wait(40_us);
  EXPECT_THAT(lab.said(), SizeIs(2));
}

TEST(BfcPauses, AreDeniedInBitmapsForAWhile) {
  Lab lab({{"refresh", 20_us}});
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  for (Frame* frame : frames) lab.depart(*frame);
  lab.said();
  lab.wait(10_ms);
  const auto said = lab.said();
  EXPECT_THAT(said, SizeIs(16)) << "[BFC-B-6]";
  EXPECT_THAT(said, testing::Each(Pair(Say::bitmap, IsEmpty())));
}

/// The control frame waits at a port, as it would in the core.
void let_wait(Lab& lab, PortId port) {
  lab.context.port_state(port).control_head = lab.context.sent().back().id;
}

TEST(BfcPauses, ChangeAFrameThatWaits) {
  Lab lab;
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  let_wait(lab, kIn);
  overfill(lab, 2, kIn, kOut2, tag_of(7));
  ASSERT_THAT(lab.context.sent(), SizeIs(1)) << "[BFC-B-7]";
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, ElementsAre(5, 7))));
  for (Frame* frame : frames) lab.depart(*frame);
  lab.heard = 0;
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, ElementsAre(7))));
}

std::vector<FrameId> take_all_frames(Lab& lab) {
  std::vector<FrameId> taken;
  for (FrameId id = lab.context.frames().allocate(); id.exists(); id = lab.context.frames().allocate()) {
    taken.push_back(id);
  }
  return taken;
}

TEST(BfcPauses, ThatFindNoFrameAreSaidByTheNextBitmap) {
  Lab lab({{"refresh", 20_us}});
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(1, kIn, kOut, tag_of(5));
  Frame& last = lab.context.new_frame(kIn, kOut, kPriority);
  last.source = HostId(100);
  last.destination = HostId(200);
  last.entropy = 1;
  last.tag = tag_of(5);
  const std::vector<FrameId> taken = take_all_frames(lab);
  lab.enter(last);
  EXPECT_THAT(lab.context.sent(), IsEmpty());
  for (const FrameId id : taken) lab.context.frames().release(id);
  lab.wait(20_us);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::bitmap, ElementsAre(5)))) << "[BFC-B-5]";
}

TEST(BfcPauses, AreDeniedAsOftenThoughBitmapsFindNoFrame) {
  Lab lab({{"refresh", 20_us}});
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) lab.depart(*frames[i]);
  lab.drop(*frames.back());
  lab.said();
  const std::vector<FrameId> taken = take_all_frames(lab);
  lab.wait(100_us);  // five bitmaps for which no frame is available
  EXPECT_THAT(lab.said(), IsEmpty());
  for (const FrameId id : taken) lab.context.frames().release(id);
  lab.wait(10_ms);
  EXPECT_THAT(lab.said(), SizeIs(16)) << "[BFC-B-6]";
}

}  // namespace
}  // namespace weir::bfc::bfc_pauses_test
