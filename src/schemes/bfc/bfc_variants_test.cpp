// SPDX-License-Identifier: Apache-2.0
// BFC in a switch: its variants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "schemes/bfc/test_switch.h"

namespace weir::bfc::bfc_variants_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

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

// Frames of ten flows in one queue, one frame per flow, until the queue is far over the threshold.
TEST(BfcVariants, CountFramesOfAFlowWhateverTheAssignment) {
  for (const char* assignment : {"single", "stochastic", "dynamic"}) {
    Lab lab({{"assignment", std::string(assignment)},
             {"pause_from", std::int64_t{2}},
             {"queues", std::int64_t{1}},
             {"nic_queues", std::int64_t{32}},
             {"flow_table_entries", std::int64_t{100'000}}});
    std::vector<Frame*> frames;
    for (std::uint16_t flow = 0; flow < 60; ++flow) frames.push_back(&lab.arrive(flow, kIn, kOut, tag_of(5)));
    EXPECT_THAT(lab.said(), SizeIs(0)) << "[BFC-B-9] " << assignment;
    frames.push_back(&lab.arrive(59, kIn, kOut, tag_of(5)));
    EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "[BFC-B-9] " << assignment;
    EXPECT_EQ(lab.policy.flows().frames(), 61u) << assignment;
    for (Frame* frame : frames) lab.depart(*frame);
    EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::resume, ElementsAre(5)))) << assignment;
    EXPECT_EQ(lab.policy.flows().frames(), 0u) << assignment;
  }
}

TEST(BfcVariants, PauseForLabelledFramesFromTheFirstOn) {
  Lab lab({{"incast_label", true}, {"pause_from", std::int64_t{2}}});
  for (std::uint16_t flow = 0; flow < 60; ++flow) lab.arrive(flow, kIn, kOut, tag_of(5, true));
  EXPECT_THAT(lab.said(), ElementsAre(Pair(Say::pause, ElementsAre(5)))) << "[BFC-B-9] no entry counts them";
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

}  // namespace
}  // namespace weir::bfc::bfc_variants_test
