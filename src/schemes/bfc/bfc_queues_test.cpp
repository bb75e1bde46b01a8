// SPDX-License-Identifier: Apache-2.0
// BFC in a switch: assignment of queues to flows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc::bfc_queues_test {
namespace {

using namespace literals;
using testing::SizeIs;

/// The values with a deterministic choice of the empty queue.
Values in_turn(Values values = {}) {
  values.emplace_back("empty_queue", std::string("rotating"));
  return values;
}

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
  // One flow, repeatedly, after its entry was forgotten: neither its hash nor a rotation determines the queue.
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
  constexpr int kSpread = 40;  // more than four standard deviations
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
  Lab lab(in_turn({{"hop_round_trip", 2_us}}));
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
  for (std::uint16_t flow = 3; flow < 13; ++flow) {  // each of them sticks to the queue too
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

// All eight queues are used in rotation, whichever flow finds the entry free.
TEST(BfcQueues, AreAllUsedInTurnByOneEntry) {
  Lab lab(in_turn({{"flow_table_entries", std::int64_t{1}}, {"queues", std::int64_t{8}}}));
  std::set<std::size_t> numbers;
  for (std::uint16_t flow = 0; flow < 8; ++flow) {
    Frame& frame = lab.arrive(flow);
    numbers.insert(lab.number(frame));
    lab.depart(frame);
    lab.wait(1_ms);
  }
  EXPECT_THAT(numbers, SizeIs(8)) << "[BFC-Q-8]";
}

/// How often each of `queues` empty queues is assigned to one flow whose entry is forgotten each time.
std::vector<int> times_given(const Values& values, std::size_t queues, int times) {
  Lab lab(values);
  std::vector<int> given(queues);
  for (int i = 0; i < times; ++i) {
    Frame& frame = lab.arrive(1);
    ++given[lab.number(frame)];
    lab.depart(frame);
    lab.wait(1_ms);
  }
  return given;
}

TEST(BfcQueues, AreTheFirstFromARandomNumberUpwards) {
  constexpr int kTimes = 4'000;
  constexpr int kSpread = 130;  // more than four standard deviations
  const std::vector<int> alike = times_given({{"queues", std::int64_t{4}}}, 4, kTimes);
  for (const int times : alike) EXPECT_NEAR(times, kTimes / 4, kSpread) << "[BFC-Q-8]";

  const std::vector<int> with_others =
      times_given({{"queues", std::int64_t{4}}, {"scan_beside", std::int64_t{4}}}, 4, kTimes);
  EXPECT_NEAR(with_others[0], kTimes * 5 / 8, kSpread) << "[BFC-Q-8] five of eight numbers lead to the first";
  for (std::size_t queue = 1; queue < 4; ++queue) EXPECT_NEAR(with_others[queue], kTimes / 8, kSpread) << queue;
}

/// Queues 0 to 4 of eight are in use. Returns how often each other queue is assigned to one flow whose entry is
/// forgotten each time.
std::vector<int> times_given_of_last_three(const std::string& choice, int times) {
  Lab lab({{"queues", std::int64_t{8}}, {"empty_queue", choice}});
  std::vector<Frame*> all;
  for (std::uint16_t flow = 0; flow < 8; ++flow) all.push_back(&lab.arrive(flow));
  for (Frame* frame : all) {
    if (lab.number(*frame) >= 5) lab.depart(*frame);
  }
  std::vector<int> given(8);
  for (int i = 0; i < times; ++i) {
    lab.wait(1_ms);
    Frame& frame = lab.arrive(100);
    ++given[lab.number(frame)];
    lab.depart(frame);
  }
  return given;
}

TEST(BfcQueues, AreChosenAsTold) {
  constexpr int kTimes = 4'000;
  constexpr int kSpread = 130;
  const std::vector<int> scan = times_given_of_last_three("scan", kTimes);
  EXPECT_NEAR(scan[5], kTimes * 6 / 8, kSpread) << "[BFC-Q-8] behind five that are taken";
  EXPECT_NEAR(scan[6], kTimes / 8, kSpread);
  EXPECT_NEAR(scan[7], kTimes / 8, kSpread);
  const std::vector<int> random = times_given_of_last_three("random", kTimes);
  for (std::size_t queue = 5; queue < 8; ++queue) EXPECT_NEAR(random[queue], kTimes / 3, kSpread) << "[BFC-Q-8]";
  const std::vector<int> lowest = times_given_of_last_three("lowest", kTimes);
  EXPECT_EQ(lowest[5], kTimes) << "[BFC-Q-8]";
  const std::vector<int> rotating = times_given_of_last_three("rotating", kTimes);
  for (std::size_t queue = 5; queue < 8; ++queue) EXPECT_NEAR(rotating[queue], kTimes / 3, 1) << "[BFC-Q-8]";
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
  // Ports 0 and 1 belong to one pipeline, 2 and 3 to the other: a flow has one entry per pipeline by which it arrives.
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
  Lab lab(in_turn({{"queues", std::int64_t{8}}, {"empty_refresh", 10_us}, {"pipelines", std::int64_t{4}}}));
  std::set<std::size_t> numbers;
  for (std::uint16_t port = 0; port < 4; ++port) {
    numbers.insert(lab.number(lab.arrive(static_cast<std::uint16_t>(port + 1), PortId(port), kOut)));
  }
  EXPECT_THAT(numbers, SizeIs(4)) << "[BFC-Q-6]";
}

/// Four queues that have all held a frame and are empty again; the search starts at the first, and every pipeline has
/// read that they are empty.
void use_all_once(Lab& lab) {
  std::vector<Frame*> frames;
  for (std::uint16_t flow = 1; flow <= 4; ++flow) {
    frames.push_back(&lab.arrive(flow));
    ASSERT_EQ(lab.number(*frames.back()), flow - 1u);
  }
  for (Frame* frame : frames) lab.depart(*frame);
  lab.wait(20_us);
}

TEST(BfcQueues, AreLookedAtAgainWhenAStickyFlowHasRefilledOne) {
  Lab lab(in_turn({{"queues", std::int64_t{4}}, {"empty_refresh", 10_us}, {"sticky", 100.0}}));
  use_all_once(lab);
  ASSERT_EQ(lab.number(lab.arrive(1)), 0u) << "[BFC-Q-5] it is given no queue: it has one";
  lab.wait(10_us);
  EXPECT_EQ(lab.number(lab.arrive(5)), 1u) << "[BFC-Q-6]";
}

TEST(BfcQueues, AreLookedAtAgainWhenAnEmptyOneIsPaused) {
  Lab lab(in_turn({{"queues", std::int64_t{4}}, {"empty_refresh", 10_us}, {"assign_paused", false}}));
  use_all_once(lab);
  lab.hear(kOut, true, 0);
  lab.wait(10_us);
  EXPECT_EQ(lab.number(lab.arrive(5)), 1u) << "[BFC-Q-6] [BFC-Q-7]";
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
  Lab by_frames({{"order", std::string("by_frames")}});
  EXPECT_EQ(by_frames.context.discipline(kPriority), Discipline::round_robin) << "[BFC-P-4]";
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

TEST(BfcQueues, AreForDatagrams) {
  Lab lab;
  Frame& frame = lab.context.new_frame(kIn, kOut, kPriority);
  frame.kind = FrameKind::datagram;
  lab.enter(frame);
  EXPECT_NE(lab.policy.classify(lab.context, frame), lab.context.default_queue(kOut, kPriority)) << "[BFC-P-2]";
}

TEST(BfcQueues, AreForAcknowledgementsOnRequest) {
  Lab lab({{"acknowledgements", std::string("flows")}, {"queues", std::int64_t{1}}});
  for (const FrameKind kind : {FrameKind::ack, FrameKind::nack}) {
    Frame& frame = lab.context.new_frame(kIn, kOut, kPriority);
    frame.kind = kind;
    lab.enter(frame);
    EXPECT_EQ(lab.number(frame), 0u) << "[BFC-P-5]";
  }
  EXPECT_EQ(lab.policy.flows().frames(), 2u) << "[BFC-P-5] a flow's as another's";
  Frame& high = lab.context.new_frame(kIn, kOut, 7);
  high.kind = FrameKind::ack;
  EXPECT_EQ(lab.policy.classify(lab.context, high), lab.context.default_queue(kOut, 7)) << "of another priority";
  Frame& notification = lab.context.new_frame(kIn, kOut, kPriority);
  notification.kind = FrameKind::cnp;
  EXPECT_EQ(lab.policy.classify(lab.context, notification), lab.context.default_queue(kOut, kPriority));
}

// The switch puts an acknowledgement that a full buffer refuses into a reserve, and charges it to no ingress.
TEST(BfcQueues, AreForAcknowledgementsOfNoIngressTooWhichPauseNobody) {
  for (const char* assignment : {"dynamic", "stochastic", "single"}) {
    SCOPED_TRACE(assignment);
    Lab lab({{"acknowledgements", std::string("flows")},
             {"assignment", std::string(assignment)},
             {"queues", std::int64_t{1}},
             {"pipelines", std::int64_t{2}}});
    std::vector<Frame*> frames;
    for (std::size_t i = 0; i < 300; ++i) {
      Frame& frame = lab.context.new_frame(PortId::none(), kOut, kPriority);
      frame.kind = FrameKind::ack;
      frame.tag = tag_of(0);
      frames.push_back(&lab.enter(frame));
      EXPECT_EQ(lab.number(frame), 0u) << "[BFC-P-5]";
    }
    EXPECT_THAT(lab.context.sent(), testing::IsEmpty()) << "[BFC-P-5]";
    for (Frame* frame : frames) lab.depart(*frame);
    EXPECT_EQ(lab.policy.flows().frames(), 0u);
  }
}

}  // namespace
}  // namespace weir::bfc::bfc_queues_test
