// BFC in a switch: which queue a flow gets, who is paused, and what a pause does.
#include "schemes/bfc/bfc_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr std::int64_t kFrame = 1066;
/// 2 us and twice 1,086 bytes at 100 Gbit/s, in bytes.
constexpr std::int64_t kProduct = 25'000 + 2 * 1086;

// ---- queues for flows ----

TEST(BfcQueues, GiveEachFlowAnEmptyOne) {
  Lab lab({{"queues", std::int64_t{8}}});
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 8; ++flow) numbers.insert(lab.number(lab.arrive(flow)));
  EXPECT_THAT(numbers, SizeIs(8)) << "[BFC-Q-3]";
}

TEST(BfcQueues, KeepAFlowWhereItIs) {
  Lab lab;
  Frame& first = lab.arrive(1);
  lab.arrive(2);
  lab.wait(1_ms);
  EXPECT_EQ(lab.queue(lab.arrive(1)), lab.queue(first)) << "[BFC-Q-2]";
}

TEST(BfcQueues, AreSharedAtRandomWhenAllAreTaken) {
  Lab lab({{"queues", std::int64_t{4}}});
  for (std::uint16_t flow = 0; flow < 4; ++flow) lab.arrive(flow);
  // One flow, again and again after its entry was forgotten: neither its hash nor whose turn it is says where.
  constexpr int kTimes = 400;
  std::map<std::size_t, int> times_in;
  int as_before = 0;
  std::size_t before = 4;
  for (int i = 0; i < kTimes; ++i) {
    Frame& frame = lab.arrive(10);
    const std::size_t number = lab.number(frame);
    ++times_in[number];
    as_before += number == before ? 1 : 0;
    before = number;
    lab.depart(frame);
    lab.wait(1_ms);
  }
  constexpr int kSpread = 40;  // over four standard deviations
  ASSERT_THAT(times_in, SizeIs(4)) << "[BFC-Q-4]";
  for (const auto& [number, times] : times_in) EXPECT_NEAR(times, kTimes / 4, kSpread) << "[BFC-Q-4] " << number;
  EXPECT_NEAR(as_before, kTimes / 4, kSpread) << "[BFC-Q-4] not in turn";
}

TEST(BfcQueues, AreOfTheFlowsEgress) {
  Lab lab({{"queues", std::int64_t{1}}});
  const QueueId one = lab.queue(lab.arrive(1, kIn, kOut));
  const QueueId other = lab.queue(lab.arrive(1, kIn, kOut2));
  EXPECT_EQ(lab.context.queue(one).port, kOut);
  EXPECT_EQ(lab.context.queue(other).port, kOut2);
}

TEST(BfcQueues, StickToAnIdleFlowForTwoRoundTrips) {
  Lab lab({{"hop_round_trip", 2_us}});
  Frame& frame = lab.arrive(1);
  const std::size_t number = lab.number(frame);
  lab.depart(frame);
  lab.wait(4_us);
  Frame& soon = lab.arrive(1);
  EXPECT_EQ(lab.number(soon), number) << "[BFC-Q-5] not older than the threshold";
  lab.depart(soon);
  lab.wait(4_us + 1_ps);
  EXPECT_NE(lab.number(lab.arrive(1)), number) << "the search goes on where it ended";
}

TEST(BfcQueues, CountStickinessFromTheLastFrameOutToo) {
  Lab lab({{"hop_round_trip", 2_us}});
  Frame& frame = lab.arrive(1);
  const std::size_t number = lab.number(frame);
  lab.wait(100_us);
  lab.depart(frame);
  lab.wait(3_us);
  EXPECT_EQ(lab.number(lab.arrive(1)), number) << "[BFC-Q-5]";
}

TEST(BfcQueues, AreGivenAwayOnceEmptyThoughTheirFlowIsSticky) {
  Lab lab({{"queues", std::int64_t{2}}});
  Frame& one = lab.arrive(1);
  const std::size_t freed = lab.number(one);
  EXPECT_NE(lab.number(lab.arrive(2)), freed);
  lab.depart(one);
  for (std::uint16_t flow = 3; flow < 13; ++flow) {  // each of them sticks to it too
    Frame& frame = lab.arrive(flow);
    EXPECT_EQ(lab.number(frame), freed) << "[BFC-Q-3] empty is what counts";
    lab.depart(frame);
  }
}

TEST(BfcQueues, AreOneForFlowsOfOneEntry) {
  Lab lab({{"flow_table_entries", std::int64_t{1}}, {"queues", std::int64_t{8}}});
  EXPECT_EQ(lab.policy.flows().size(), 4u) << "[BFC-Q-2] one a port";
  Frame& one = lab.arrive(1);
  Frame& two = lab.arrive(2);
  EXPECT_EQ(lab.queue(one), lab.queue(two)) << "[BFC-Q-1] though seven queues are empty";
  EXPECT_NE(lab.queue(lab.arrive(2, kIn, kOut2)), lab.queue(two)) << "[BFC-Q-1] each egress has its own";
  EXPECT_EQ(lab.policy.flows().frames(), 3u);
  lab.depart(one);
  lab.wait(1_ms);
  EXPECT_EQ(lab.queue(lab.arrive(3)), lab.queue(two)) << "[BFC-Q-2] for as long as any of the flows has frames";
  lab.depart(two);
  EXPECT_EQ(lab.policy.flows().frames(), 2u);
}

// All eight queues are taken one after the other, by whichever flow comes when the entry is free.
TEST(BfcQueues, AreAllUsedInTurnByOneEntry) {
  Lab lab({{"flow_table_entries", std::int64_t{1}}, {"queues", std::int64_t{8}}});
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 8; ++flow) {
    Frame& frame = lab.arrive(flow);
    numbers.insert(lab.number(frame));
    lab.depart(frame);
    lab.wait(1_ms);
  }
  EXPECT_THAT(numbers, SizeIs(8)) << "[BFC-Q-3]";
}

TEST(BfcQueues, HaveATableOfSoManyEntriesAsTold) {
  const auto size = [](const Values& values) { return Lab(values).policy.flows().size(); };
  EXPECT_EQ(size({{"flow_table_entries", std::int64_t{76}}}), 4u * 76) << "[BFC-Q-2]";
  EXPECT_EQ(size({{"flow_table_entries", std::int64_t{80}},
                  {"flow_table_factor", std::int64_t{7}},
                  {"pipelines", std::int64_t{4}},
                  {"classes", std::int64_t{2}}}),
            4u * 80);
}

TEST(BfcQueues, MeetInATableTooSmallThoughOthersAreEmpty) {
  Lab lab({{"flow_table_factor", std::int64_t{1}}, {"queues", std::int64_t{2}}});
  std::set<std::size_t> numbers;
  std::size_t shared = 0;
  for (std::uint16_t flow = 0; flow < 40; ++flow) {
    Frame& one = lab.arrive(flow);
    Frame& two = lab.arrive(static_cast<std::uint16_t>(flow + 100));
    shared += lab.queue(one) == lab.queue(two) ? 1 : 0;
    lab.depart(one);
    lab.depart(two);
    lab.wait(100_us);
  }
  EXPECT_GT(shared, 8u) << "[BFC-Q-1] every second pair";
  EXPECT_LT(shared, 32u);
}

TEST(BfcQueues, HaveATableOfAHundredEntriesEach) {
  EXPECT_EQ(Lab().policy.flows().size(), 4u * 32 * 100) << "[BFC-Q-2]";
  EXPECT_EQ(Lab({{"pipelines", std::int64_t{4}}}).policy.flows().size(), 4u * 32 * 100);
  EXPECT_EQ(Lab({{"queues", std::int64_t{15}}, {"control_queue", std::string("beside")}}).policy.flows().size(),
            4u * 15 * 100);
}

TEST(BfcQueues, CountTheControlQueueOnRequest) {
  Lab lab({{"queues", std::int64_t{32}}, {"control_queue", std::string("inside")}});
  EXPECT_EQ(lab.policy.queues().of_port(), 31u) << "[BFC-P-3]";
  EXPECT_EQ(lab.policy.flows().size(), 4u * 32 * 100);
}

TEST(BfcQueues, OfAPipelineAreItsOwnEntries) {
  // Ports 0 and 1 are of one pipeline, 2 and 3 of the other: a flow has an entry in each that it comes in by.
  Lab lab({{"pipelines", std::int64_t{2}}});
  const std::size_t first = lab.number(lab.arrive(1, PortId(0), kOut));
  EXPECT_EQ(lab.number(lab.arrive(1, PortId(1), kOut)), first);
  EXPECT_NE(lab.number(lab.arrive(1, PortId(3), kOut)), first) << "[BFC-Q-2]";
}

TEST(BfcQueues, AreSeenEmptyWhenLookedAt) {
  Lab lab({{"queues", std::int64_t{2}}, {"empty_refresh", 10_us}});
  Frame& one = lab.arrive(1);
  Frame& two = lab.arrive(2);
  EXPECT_NE(lab.number(one), lab.number(two)) << "[BFC-Q-6] what was given away is known";
  const std::size_t freed = lab.number(one);
  lab.depart(one);
  std::set<std::size_t> before;
  for (std::uint16_t flow = 10; flow < 20; ++flow) {
    Frame& frame = lab.arrive(flow);
    before.insert(lab.number(frame));
    lab.depart(frame);
  }
  EXPECT_THAT(before, SizeIs(2)) << "none is known to be empty";
  lab.wait(10_us);
  EXPECT_EQ(lab.number(lab.arrive(30)), freed);
}

TEST(BfcQueues, AreLookedAtFromDifferentOnesOnByEachPipeline) {
  Lab lab({{"queues", std::int64_t{8}}, {"empty_refresh", 10_us}, {"pipelines", std::int64_t{4}}});
  std::set<std::size_t> numbers;
  for (std::uint16_t port = 0; port < 4; ++port) {
    numbers.insert(lab.number(lab.arrive(static_cast<std::uint16_t>(port + 1), PortId(port), kOut)));
  }
  EXPECT_THAT(numbers, SizeIs(4)) << "[BFC-Q-6]";
}

TEST(BfcQueues, AreNotLookedAtWhileAllAreEmpty) {
  Lab lab({{"empty_refresh", 10_us}});
  lab.depart(lab.arrive(1));
  lab.wait(1_ms);
  for (std::uint32_t timer = 0; timer < lab.context.timers(); ++timer) {
    EXPECT_EQ(lab.context.deadline(TimerId(timer)), Time::never());
  }
}

TEST(BfcQueues, ThatArePausedAreAvoidedOnRequest) {
  Lab lab({{"queues", std::int64_t{2}}, {"assign_paused", false}});
  lab.hear(kOut, true, 0);
  for (std::uint16_t flow = 1; flow < 9; ++flow) {
    Frame& frame = lab.arrive(flow);
    EXPECT_EQ(lab.number(frame), 1u) << "[BFC-Q-7]";
    lab.depart(frame);
  }
  lab.hear(kOut, false, 0);
  EXPECT_EQ(lab.number(lab.arrive(20)), 0u);
}

TEST(BfcQueues, ArePlentyOrFew) {
  for (const std::int64_t queues : {std::int64_t{2}, std::int64_t{1024}}) {
    Lab lab({{"queues", queues}, {"flow_table_factor", std::int64_t{10'000}}});
    std::set<std::size_t> numbers;
    for (std::int64_t flow = 0; flow < queues; ++flow) {
      numbers.insert(lab.number(lab.arrive(static_cast<std::uint16_t>(flow))));
    }
    EXPECT_GE(numbers.size() * 100, static_cast<std::size_t>(queues) * 99) << queues << " queues";
    lab.hear(kOut, true, static_cast<std::size_t>(queues - 1));
    EXPECT_FALSE(lab.open(kOut, static_cast<std::size_t>(queues - 1)));
  }
}

TEST(BfcQueues, TakeTurnsByBytes) {
  Lab lab;
  const QueueState& queue = lab.context.queue(lab.queue(lab.arrive(1)));
  EXPECT_EQ(queue.priority, kPriority);
  EXPECT_EQ(queue.service, Service::scheduled);
  EXPECT_EQ(lab.context.discipline(kPriority), Discipline::deficit_round_robin) << "[BFC-P-1]";
}

TEST(BfcQueues, AreNotForAcknowledgementsOrOtherPriorities) {
  Lab lab;
  Frame& ack = lab.context.new_frame(kIn, kOut, kPriority);
  ack.kind = FrameKind::ack;
  EXPECT_EQ(lab.policy.classify(lab.context, ack), lab.context.default_queue(kOut, kPriority)) << "[BFC-P-2]";
  Frame& other = lab.context.new_frame(kIn, kOut, 5);
  EXPECT_EQ(lab.policy.classify(lab.context, other), lab.context.default_queue(kOut, 5));
  lab.policy.on_depart(lab.context, lab.context.default_queue(kOut, 5), other);
  EXPECT_EQ(other.tag, 0);
}

// ---- pauses ----

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

TEST(BfcPauses, CountNoPausedQueueAsActive) {
  Lab lab;
  for (std::uint16_t flow = 1; flow <= 3; ++flow) lab.hear(kOut, true, lab.number(lab.arrive(flow, kIn2)));
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-1]";
}

TEST(BfcPauses, CountNoAcknowledgementsAsActive) {
  Lab lab;
  Frame& ack = lab.context.new_frame(kIn2, kOut, kPriority);
  ack.kind = FrameKind::ack;
  lab.enter(ack);
  ASSERT_EQ(lab.context.port(kOut).levels[lab.context.queue(lab.queue(ack)).level].active, 1u);
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i < fit; ++i) lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-B-1] their queue is in turn with the data's, and yet";
  lab.arrive(9, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), SizeIs(1));
}

// "Let N_active be the number of active queues at an egress" (3.3.2), of whatever class.
TEST(BfcPauses, CountQueuesOfAllClassesAsActive) {
  for (const bool fifo : {false, true}) {
    SCOPED_TRACE(fifo);
    Lab lab({{"classes", std::int64_t{4}}, {"gate_fifo", Bytes(fifo ? 1 : 0)}});
    for (std::size_t queue = 0; queue < lab.context.queues(); ++queue) {
      QueueState& state = lab.context.queue_state(QueueId(queue));
      state.level = static_cast<std::uint8_t>(7 - state.priority);
    }
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

/// A queue that is over its threshold by one frame; gives the frames in order of arrival.
std::vector<Frame*> overfill(Lab& lab, std::uint16_t flow, PortId ingress, PortId egress, std::uint16_t tag) {
  std::vector<Frame*> frames;
  const auto fit = static_cast<std::size_t>(kProduct / kFrame);
  for (std::size_t i = 0; i <= fit; ++i) frames.push_back(&lab.arrive(flow, ingress, egress, tag));
  return frames;
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
  // The frames still carry what the switch before that neighbour wrote.
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-D-1]";
  EXPECT_THAT(lab.context.hop_pauses(), IsEmpty());
  // That of the other ingress is paused for the same queue, and resumed whatever the first one's frames do.
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
  lab.context.elide(kIn, kOut);
  for (Frame* frame : overfill(lab, 1, kIn, kOut, tag_of(5))) lab.depart(*frame);
  EXPECT_THAT(lab.context.sent(), IsEmpty()) << "[BFC-E-2]";
  overfill(lab, 1, kIn, kOut2, tag_of(5));
  EXPECT_THAT(lab.said(kIn), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "another egress";
  overfill(lab, 2, kIn2, kOut, tag_of(6));
  EXPECT_THAT(lab.said(kIn2), ElementsAre(Pair(Say::pause, ElementsAre(6)))) << "another ingress";
}

TEST(BfcPauses, AreForAsManyQueuesAsANeighbourHas) {
  FakeSwitch context(4, 1 << 16);
  context.port_state(kIn).peer.named_queues = 100;
  BfcSwitch policy(Settings(parameters_with({})));
  policy.attach(context);
  EXPECT_EQ(policy.counters().queues(), 100u) << "[BFC-B-8]";
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

/// The control frame that waits at a port, as the core would have it.
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
  lab.wait(100_us);  // five bitmaps that find no frame
  EXPECT_THAT(lab.said(), IsEmpty());
  for (const FrameId id : taken) lab.context.frames().release(id);
  lab.wait(10_ms);
  EXPECT_THAT(lab.said(), SizeIs(16)) << "[BFC-B-6]";
}

// ---- what is said to neighbours upstream stands in the frames ----

TEST(BfcFrames, NameTheQueueTheyLeave) {
  Lab lab;
  Frame& frame = lab.arrive(1, kIn, kOut, tag_of(9));
  const std::size_t number = lab.number(frame);
  EXPECT_EQ(lab.depart(frame).tag, tag_of(number)) << "[BFC-W-1]";
}

TEST(BfcFrames, KeepWhatTheirSenderSaysOfThem) {
  Lab lab;
  Frame& frame = lab.arrive(1, kIn, kOut, tag_of(9, true));
  const std::size_t number = lab.number(frame);
  EXPECT_EQ(lab.depart(frame).tag, tag_of(number, true));
}

// ---- being paused ----

TEST(BfcGates, CloseAndOpenByQueue) {
  Lab lab;
  lab.hear(kOut, true, 7);
  EXPECT_FALSE(lab.open(kOut, 7)) << "[BFC-R-1]";
  EXPECT_TRUE(lab.open(kOut, 6));
  EXPECT_TRUE(lab.open(kOut2, 7));
  lab.hear(kOut, true, 7);
  lab.hear(kOut, false, 7);
  EXPECT_TRUE(lab.open(kOut, 7)) << "a pause twice is a pause";
}

TEST(BfcGates, FollowABitmapWhateverWasLost) {
  Lab lab;
  lab.hear(kOut, true, 7);  // and its resume is lost, as is the pause of 8
  const std::vector<std::uint64_t> words = {std::uint64_t{1} << 8 | std::uint64_t{1} << 31};
  lab.hear(kOut, make_bitmap(lab.context.frames(), lab.context.framing(), words, 32));
  EXPECT_TRUE(lab.open(kOut, 7)) << "[BFC-R-2]";
  EXPECT_FALSE(lab.open(kOut, 8));
  EXPECT_FALSE(lab.open(kOut, 31));
}

TEST(BfcGates, DoNotFollowNonsense) {
  Lab lab;
  lab.hear(kOut, true, 32);
  lab.hear(kOut, true, 4'000);
  const std::vector<std::uint64_t> words(64, ~std::uint64_t{0});
  lab.hear(kOut2, make_bitmap(lab.context.frames(), lab.context.framing(), words, 4'096));
  for (std::size_t queue = 0; queue < lab.context.queues(); ++queue) {
    const QueueState& state = lab.context.queue(QueueId(queue));
    EXPECT_EQ(state.closed_by != 0, state.port == kOut2 && lab.policy.queues().owns(QueueId(queue))) << "[BFC-W-3]";
  }
  Frame other{};
  other.kind = FrameKind::hop_control;
  other.protocol = kProtocol + 1;
  EXPECT_FALSE(lab.policy.on_control(lab.context, kOut, other));
}

TEST(BfcGates, FollowNoNeighbourThatRunsNoBfc) {
  Lab lab;
  Frame& frame = lab.arrive(1);
  lab.context.port_state(kOut).peer.protocols.numbers.reset(kProtocol);
  lab.hear(kOut, true, lab.number(frame));
  EXPECT_TRUE(lab.open(kOut, lab.number(frame))) << "[BFC-D-2]";
}

// ---- a link that fails ----

TEST(BfcLinks, ThatFailAreForgottenAtTheIngress) {
  Lab lab;
  std::vector<Frame*> before = overfill(lab, 1, kIn, kOut, tag_of(5));
  lab.policy.on_link(lab.context, kIn, false);
  lab.policy.on_link(lab.context, kIn, true);
  ASSERT_THAT(lab.context.hop_pauses(), SizeIs(2)) << "the pause has ended";
  EXPECT_EQ(lab.context.hop_pauses()[1].name, 5u);
  EXPECT_FALSE(lab.context.hop_pauses()[1].paused);
  lab.said();
  lab.wait(1_ms);
  EXPECT_THAT(lab.said(), IsEmpty()) << "[BFC-L-1]";
  Frame& after = lab.arrive(1, kIn, kOut, tag_of(5));
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5))));
  for (Frame* frame : before) lab.depart(*frame);
  EXPECT_THAT(lab.said(), IsEmpty()) << "what came before is not counted any more";
  lab.depart(after);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5))));
}

TEST(BfcLinks, ThatFlapWhileTheirQueueIsPausedStartAgain) {
  Lab lab({{"queues", std::int64_t{2}}});
  lab.hear(kOut, true, 0);
  lab.hear(kOut, true, 1);
  std::vector<Frame*> frames = {&lab.arrive(1), &lab.arrive(2)};
  for (const bool up : {false, true}) {
    for (std::size_t number = 0; number < 2; ++number)
      lab.context.set_gate(lab.policy.queues().id(kOut, number), 0, true);
    for (Frame* frame : frames) lab.drop(*frame);
    frames.clear();
    lab.policy.on_link(lab.context, kOut, up);
  }
  EXPECT_EQ(lab.policy.flows().frames(), 0u);
  lab.wait(1_ms);
  EXPECT_NE(lab.number(lab.arrive(1)), lab.number(lab.arrive(2))) << "[BFC-L-1] both are empty again";
}

// ---- variants ----

TEST(BfcVariants, PutAllFlowsIntoOneQueue) {
  Lab lab({{"assignment", std::string("single")}});
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 20; ++flow) numbers.insert(lab.number(lab.arrive(flow)));
  EXPECT_THAT(numbers, SizeIs(1)) << "[BFC-V-1]";
}

TEST(BfcVariants, PutFlowsWhereTheirHashSays) {
  const Values values = {{"assignment", std::string("stochastic")}};
  Lab lab(values);
  Lab other(values, SwitchId(7));
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 32; ++flow) {
    Frame& frame = lab.arrive(flow);
    numbers.insert(lab.number(frame));
    EXPECT_EQ(lab.number(frame), other.number(other.arrive(flow))) << "[BFC-V-2] at every switch alike";
  }
  EXPECT_GT(numbers.size(), 12u);
  EXPECT_LT(numbers.size(), 28u) << "birthdays";
}

TEST(BfcVariants, PauseWithoutATableToo) {
  for (const char* assignment : {"single", "stochastic"}) {
    Lab lab({{"assignment", std::string(assignment)}});
    std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5));
    EXPECT_THAT(lab.said(), SizeIs(1)) << assignment;
    for (Frame* frame : frames) lab.depart(*frame);
    EXPECT_THAT(lab.said(), SizeIs(1)) << assignment;
  }
}

TEST(BfcVariants, RankByRemainingSize) {
  Lab lab({{"order", std::string("shortest_remaining")}});
  EXPECT_EQ(lab.context.discipline(kPriority), Discipline::rank) << "[BFC-V-3]";
  EXPECT_EQ(lab.context.discipline(2), Discipline::deficit_round_robin);
  Frame& frame = lab.arrive(1);
  frame.tag_value = 4'000'000'000;
  EXPECT_EQ(lab.policy.rank(lab.context, frame), 4'000'000'000u);
  frame.kind = FrameKind::ack;
  EXPECT_EQ(lab.policy.rank(lab.context, frame), 0u);
}

TEST(BfcVariants, RankFramesWithoutASizeLastAndAsTheyCame) {
  Lab lab({{"order", std::string("shortest_remaining")}});
  Frame& none = lab.arrive(1);
  Frame& most = lab.arrive(2);
  most.tag_value = 0xffff'ffff;
  EXPECT_LT(lab.policy.rank(lab.context, most), lab.policy.rank(lab.context, none)) << "[BFC-D-4]";
  Frame& later = lab.arrive(3);
  later.arrival = none.arrival + 1_ps;
  EXPECT_LT(lab.policy.rank(lab.context, none), lab.policy.rank(lab.context, later)) << "[BFC-D-4]";
}

TEST(BfcVariants, DivideQueuesAmongClasses) {
  Lab lab({{"queues", std::int64_t{8}}, {"classes", std::int64_t{4}}});
  EXPECT_EQ(lab.policy.queues().of_port(), 8u);
  for (Priority priority = 0; priority < 4; ++priority) {
    std::set<std::size_t> numbers;
    for (std::uint16_t flow = 0; flow < 6; ++flow) {
      Frame& frame = lab.arrive(flow, kIn, kOut, 0, priority);
      EXPECT_EQ(lab.context.queue(lab.queue(frame)).priority, priority) << "[BFC-V-4]";
      numbers.insert(lab.number(frame));
    }
    EXPECT_THAT(numbers, ElementsAre((3u - priority) * 2, (3u - priority) * 2 + 1));
  }
  EXPECT_EQ(Lab({{"queues", std::int64_t{8}}, {"classes", std::int64_t{4}}, {"queues_of", std::string("class")}})
                .policy.queues()
                .of_port(),
            32u);
}

TEST(BfcVariants, GiveIncastsAQueueOfTheirOwn) {
  Lab lab({{"queues", std::int64_t{4}}, {"incast_label", true}});
  std::set<std::size_t> incast;
  std::set<std::size_t> others;
  for (std::uint16_t flow = 0; flow < 20; ++flow) {
    incast.insert(lab.number(lab.arrive(flow, kIn, kOut, tag_of(flow, true))));
    others.insert(lab.number(lab.arrive(static_cast<std::uint16_t>(flow + 100), kIn, kOut, tag_of(flow))));
  }
  EXPECT_THAT(incast, ElementsAre(3)) << "[BFC-V-5]";
  EXPECT_THAT(others, ElementsAre(0, 1, 2));
}

TEST(BfcVariants, PauseIncastsAsOthers) {
  Lab lab({{"incast_label", true}});
  std::vector<Frame*> frames = overfill(lab, 1, kIn, kOut, tag_of(5, true));
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5))));
  for (Frame* frame : frames) lab.depart(*frame);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5))));
}

TEST(BfcVariants, CountASampleOfFrames) {
  Lab lab({{"sampling", 0.5}});
  std::vector<Frame*> frames;
  for (int i = 0; i < 1'000; ++i) frames.push_back(&lab.arrive(1, kIn, kOut, tag_of(5)));
  EXPECT_GT(lab.policy.flows().frames(), 420u) << "[BFC-V-7]";
  EXPECT_LT(lab.policy.flows().frames(), 580u);
  EXPECT_THAT(lab.said(), SizeIs(1));
  for (Frame* frame : frames) lab.depart(*frame);
  EXPECT_EQ(lab.policy.flows().frames(), 0u);
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5))));
}

// ---- parameters ----

std::size_t complaints(const Values& values) {
  return scheme.complaints(parameters_with(values)).size();
}

TEST(BfcParameters, AreRefusedWhenTheyMakeNoSense) {
  EXPECT_EQ(complaints({}), 0u);
  EXPECT_EQ(complaints({{"queues", std::int64_t{3}}, {"classes", std::int64_t{4}}}), 1u);
  EXPECT_EQ(complaints({{"queues", std::int64_t{1}}, {"control_queue", std::string("inside")}}), 1u);
  EXPECT_EQ(
      complaints({{"queues", std::int64_t{2048}}, {"classes", std::int64_t{4}}, {"queues_of", std::string("class")}}),
      1u);
  EXPECT_EQ(complaints({{"classes", std::int64_t{5}}}), 1u) << "priority 3 and four below";
  EXPECT_EQ(complaints({{"queues", std::int64_t{1}}, {"incast_label", true}}), 1u);
  EXPECT_EQ(complaints({{"flow_table_factor", std::int64_t{0}}}), 1u);
  EXPECT_EQ(complaints({{"refresh", Duration()}}), 1u);
  EXPECT_EQ(complaints({{"flow_table_factor", std::int64_t{0}}, {"pause", std::string("flow")}}), 0u);
  EXPECT_EQ(complaints({{"flow_table_factor", std::int64_t{0}}, {"assignment", std::string("single")}}), 0u);
  EXPECT_EQ(complaints({{"flow_table_factor", std::int64_t{0}}, {"assignment", std::string("stochastic")}}), 0u);
  EXPECT_EQ(complaints({{"sampling", 0.5}, {"pause", std::string("flow")}}), 1u);
}

// [BFC-IN-3]
TEST(BfcParameters, AreRefusedWithWhatIsExpected) {
  const auto complaint = [](const Values& values) { return scheme.complaints(parameters_with(values)); };
  const Values inside = {{"queues", std::int64_t{1}}, {"control_queue", std::string("inside")}};
  EXPECT_THAT(complaint(inside),
              ElementsAre("queues = 1 leaves none for some of 1 class, as control_queue = \"inside\" "
                          "takes one; expected at least 2"));
  EXPECT_THAT(complaint({{"queues", std::int64_t{3}}, {"classes", std::int64_t{4}}}),
              ElementsAre("queues = 3 leaves none for some of 4 classes; expected at least 4"));
  EXPECT_THAT(complaint({{"flow_table_factor", std::int64_t{0}}}), ElementsAre(HasSubstr("expected at least 1")));
  EXPECT_THAT(complaint({{"flow_table_entries", std::int64_t{3}}, {"pipelines", std::int64_t{4}}}),
              ElementsAre(HasSubstr("no multiple of 4, the pipelines times the classes; expected 4")));
  EXPECT_THAT(complaint({{"flow_table_entries", std::int64_t{1}}}), IsEmpty());
}

TEST(BfcParameters, AreRefusedWhereNoPortIsSoFast) {
  const SchemePlace place = {.ports = {BitRate(40'000'000'000), BitRate(100'000'000'000)}, .hosts = 4};
  const auto refusals = [&](const Values& values) { return scheme.refusals(parameters_with(values), place); };
  // 84 bytes at 100 Gbit/s
  EXPECT_THAT(refusals({{"refresh", 1_ps}}), ElementsAre(HasSubstr("a bitmap every 6.72 ns"))) << "[BFC-IN-1]";
  EXPECT_THAT(refusals({{"refresh", 6'719_ps}}), SizeIs(1));
  EXPECT_THAT(refusals({{"refresh", 6'720_ps}}), IsEmpty());
  EXPECT_THAT(refusals({{"empty_refresh", 1_ps}}), ElementsAre(HasSubstr("empty_refresh"))) << "[BFC-IN-1]";
  EXPECT_THAT(refusals({{"empty_refresh", 6'720_ps}}), IsEmpty());
  EXPECT_THAT(refusals({}), IsEmpty());
}

/// A network that suits the defaults: its hosts run BFC, and what its options ask of them.
SchemeSurroundings suitable() {
  SchemeSurroundings around = {
      .longest_round_trip = 8_us, .slowest_link = BitRate(100'000'000'000), .fastest_link = BitRate(100'000'000'000)};
  around.offered = {kPriority};
  around.switch_ports = 384;
  around.capped = around.shortest_first = true;
  return around;
}

std::vector<std::string> warnings(const Values& values, const std::vector<Parameters>& at_hosts,
                                  bool some_without = false) {
  SchemeSurroundings around = suitable();
  for (const Parameters& parameters : at_hosts) around.at_hosts.push_back(&parameters);
  if (some_without) around.at_hosts.push_back(nullptr);
  return scheme.warnings(parameters_with(values), around);
}

TEST(BfcParameters, AreWarnedOfWhereHostsWriteNoSizeOrLabel) {
  const Values srf = {{"order", std::string("shortest_remaining")}};
  const Values label = {{"incast_label", true}};
  EXPECT_THAT(warnings(srf, {parameters_with(srf)}), IsEmpty());
  EXPECT_THAT(warnings({}, {}, true), IsEmpty());
  EXPECT_THAT(warnings(srf, {parameters_with(srf)}, true), ElementsAre(HasSubstr("no remaining size"))) << "[BFC-D-4]";
  EXPECT_THAT(warnings(srf, {parameters_with({})}), SizeIs(1)) << "it runs BFC, and writes none";
  EXPECT_THAT(warnings(label, {parameters_with(label)}, true), ElementsAre(HasSubstr("no label")));
  EXPECT_THAT(warnings(label, {parameters_with(srf)}), SizeIs(1));
}

// [BFC-IN-2]
TEST(BfcParameters, AreWarnedOfWhatIsHardlyMeant) {
  const auto of = [](const Values& values, auto change) {
    SchemeSurroundings around = suitable();
    const Parameters parameters = parameters_with(values);
    around.at_hosts = {&parameters};
    change(around);
    return scheme.warnings(parameters, around);
  };
  const auto as_is = [](SchemeSurroundings&) {};
  EXPECT_THAT(of({}, as_is), IsEmpty());
  EXPECT_THAT(of({{"priority", std::int64_t{5}}}, as_is),
              ElementsAre("no data is of its priorities (5), so it does nothing: data is of 3; expected priority = 3"));
  EXPECT_THAT(of({{"priority", std::int64_t{5}}, {"classes", std::int64_t{4}}}, as_is), IsEmpty());
  EXPECT_THAT(of({{"priority", std::int64_t{5}}}, [](auto& around) { around.offered.clear(); }), IsEmpty());
  EXPECT_THAT(of({{"queues", std::int64_t{10}}, {"classes", std::int64_t{4}}}, as_is),
              ElementsAre("2 of a port's queues are of no class: 4 classes have 2 each; expected queues = 8 or 12"));
  EXPECT_THAT(
      of({{"queues", std::int64_t{9}}, {"classes", std::int64_t{4}}, {"control_queue", std::string("inside")}}, as_is),
      IsEmpty());
  EXPECT_THAT(of({{"hop_round_trip", 1_s}}, as_is), ElementsAre(HasSubstr("that of the longest whole path is 8 us")));
  EXPECT_THAT(of({{"hop_round_trip", 8_us}}, as_is), IsEmpty());
  EXPECT_THAT(of({{"refresh", 67_ns}}, as_is), ElementsAre(HasSubstr("expected refresh at least 67.2 ns")));
  EXPECT_THAT(of({{"refresh", 68_ns}}, as_is), IsEmpty());
  const Values srf = {{"order", std::string("shortest_remaining")}};
  EXPECT_THAT(of(srf, as_is), IsEmpty());
  EXPECT_THAT(of(srf, [](auto& around) { around.shortest_first = false; }),
              ElementsAre(HasSubstr("expected host.shortest_remaining_first")));
  const Values deaf = {{"nic_backpressure", false}};
  EXPECT_THAT(of(deaf, as_is), IsEmpty());
  EXPECT_THAT(of(deaf, [](auto& around) { around.capped = false; }), ElementsAre(HasSubstr("expected a window")));
  EXPECT_THAT(of({{"flow_table_factor", std::int64_t{10'000}}}, as_is),
              ElementsAre(HasSubstr("expected at most 162760 entries a port")))
      << "1 GB of 16 B at 384 ports";
  EXPECT_THAT(of({{"flow_table_factor", std::int64_t{10'000}}, {"assignment", std::string("single")}}, as_is),
              IsEmpty());
}

TEST(BfcParameters, AreWarnedOfLinksThatDamageWhatTheIdealSaysOnce) {
  SchemeSurroundings around = suitable();
  const Parameters ideal = parameters_with({{"pause", std::string("flow")}});
  EXPECT_THAT(scheme.warnings(ideal, around), IsEmpty());
  around.damages = true;
  EXPECT_THAT(scheme.warnings(ideal, around), ElementsAre(HasSubstr("holds its flow for good"))) << "[BFC-V-8]";
  EXPECT_THAT(scheme.warnings(parameters_with({}), around), IsEmpty());
}

}  // namespace
}  // namespace weir::bfc
