// SPDX-License-Identifier: Apache-2.0
// The order of service: strict levels, and the three disciplines within a level.
#include "switch/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <map>

#include "switch/test_switch.h"

namespace weir::testing_switch::scheduler_test {
namespace {

using testing::ElementsAre;

/// Three queues of the lossless priority at port 1, with these weights; frame.tag selects a frame's queue.
struct ThreeQueues {
  explicit ThreeQueues(Discipline discipline, std::array<std::uint32_t, 3> weights = {1, 1, 1})
      : at(config_of(), [this, discipline, weights](QueueContext& context) {
          for (std::size_t i = 0; i < 3; ++i) {
            queues[i] = context.new_queue({.port = PortId(1), .priority = kLossless, .weight = weights[i]});
          }
          context.set_discipline(kLossless, discipline);
        }) {
    at.script->classify_to = [this](const Frame& frame) { return queues[frame.tag]; };
  }
  void receive(std::uint16_t queue, std::int64_t bytes = 1'000, std::uint32_t rank = 0) {
    const FrameId id = at.make(1, kLossless, bytes, queue);
    at.pool[id].tag = queue;
    at.pool[id].tag_value = rank;
    at.receive(0, id);
  }
  std::array<QueueId, 3> queues;
  TestSwitch at;
};

TEST(Scheduler, ServesTheHigherPriorityFirst) {
  TestSwitch at;
  for (const Priority priority : std::initializer_list<Priority>{0, 5, 7, 3}) at.receive(1, priority);
  EXPECT_THAT(at.drain(1), ElementsAre(2, 1, 3, 0));
}

TEST(Scheduler, ServesLevelsAsConfigured) {
  SwitchConfig config = config_of();
  config.level_of_priority = {0, 1, 2, 3, 4, 5, 6, 7};
  TestSwitch at(config);
  for (const Priority priority : std::initializer_list<Priority>{7, 0, 3}) at.receive(1, priority);
  EXPECT_THAT(at.drain(1), ElementsAre(1, 2, 0));
}

TEST(Scheduler, LetsPrioritiesShareALevel) {
  SwitchConfig config = config_of();
  config.level_of_priority = {7, 3, 2, 3, 4, 5, 6, 1};  // the lossy and the lossless priority
  TestSwitch at(config);
  for (int i = 0; i < 3; ++i) at.receive(1, kLossless);
  for (int i = 0; i < 3; ++i) at.receive(1, kLossy);
  EXPECT_THAT(at.drain(1), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Scheduler, ControlFramesGoAheadOfAllQueues) {
  TestSwitch at;
  at.receive(1, 7);
  for (const std::uint32_t sequence : {100u, 101u}) {
    const FrameId id = at.make(1, 0, 64, sequence);
    at.pool[id].kind = FrameKind::hop_control;
    at.node->send(PortId(1), id);
  }
  EXPECT_THAT(at.drain(1), ElementsAre(100, 101, 0));
}

TEST(Scheduler, TakesTurnsByFrame) {
  ThreeQueues port(Discipline::round_robin);
  for (int i = 0; i < 3; ++i) port.receive(0, 100);
  for (int i = 0; i < 2; ++i) port.receive(1, 1'000);
  port.receive(2, 500);
  EXPECT_THAT(port.at.drain(1), ElementsAre(0, 1, 2, 0, 1, 0));
}

TEST(Scheduler, PutsALateQueueBehindTheOthers) {
  ThreeQueues port(Discipline::round_robin);
  for (int i = 0; i < 3; ++i) port.receive(0);
  for (int i = 0; i < 3; ++i) port.receive(1);
  EXPECT_EQ(port.at.next(1), 0);
  port.receive(2);  // served after 1 and 0
  EXPECT_THAT(port.at.drain(1), ElementsAre(1, 0, 2, 1, 0, 1));
}

TEST(Scheduler, ServesALateQueueInItsFirstRound) {
  ThreeQueues port(Discipline::deficit_round_robin);
  for (int i = 0; i < 3; ++i) port.receive(0, 1'000);
  for (int i = 0; i < 3; ++i) port.receive(1, 1'000);
  EXPECT_EQ(port.at.next(1), 0);
  port.receive(2, 1'000);  // at most one frame of each of the others precedes it
  EXPECT_THAT(port.at.drain(1), ElementsAre(1, 2, 0, 1, 0, 1));
}

TEST(Scheduler, SharesByBytesWhateverTheFrameSizes) {
  ThreeQueues port(Discipline::deficit_round_robin);
  for (int i = 0; i < 400; ++i) port.receive(0, 1'000);
  for (int i = 0; i < 1'000; ++i) port.receive(1, 200);
  for (int i = 0; i < 400; ++i) port.receive(2, 700);
  std::map<std::uint32_t, std::int64_t> bytes;
  for (int i = 0; i < 700; ++i) {
    const std::optional<Frame> frame = port.at.transmit(1);
    bytes[frame->sequence] += frame->frame_bytes;
  }
  EXPECT_NEAR(static_cast<double>(bytes[0]), static_cast<double>(bytes[1]), 2 * 1'066);
  EXPECT_NEAR(static_cast<double>(bytes[0]), static_cast<double>(bytes[2]), 2 * 1'066);
}

RC_GTEST_PROP(Scheduler, SharesByWeight, ()) {
  const std::array<std::uint32_t, 3> weights = {*rc::gen::inRange(1u, 6u), *rc::gen::inRange(1u, 6u),
                                                *rc::gen::inRange(1u, 6u)};
  ThreeQueues port(Discipline::deficit_round_robin, weights);
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  std::array<std::int64_t, 3> bytes{};
  for (std::uint16_t queue = 0; queue < 3; ++queue) {
    for (int i = 0; i < 5; ++i) port.receive(queue, 64 + static_cast<std::int64_t>(random.below(1'003)));
  }
  for (int i = 0; i < 600; ++i) {  // each departing frame is replaced, so no queue becomes empty
    const std::optional<Frame> frame = port.at.transmit(1);
    bytes[frame->sequence] += frame->frame_bytes;
    port.receive(static_cast<std::uint16_t>(frame->sequence), 64 + static_cast<std::int64_t>(random.below(1'003)));
  }
  // Shreedhar and Varghese: the service of backlogged queues deviates from their weights' shares by at most one quantum
  // each and one frame.
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double a = static_cast<double>(bytes[i]) / weights[i];
      const double b = static_cast<double>(bytes[j]) / weights[j];
      RC_ASSERT(std::abs(a - b) <= 2.0 * 1'066 + 1'066);
    }
  }
}

TEST(Scheduler, LetsTheLowestRankGoFirst) {
  ThreeQueues port(Discipline::rank);
  port.receive(0, 1'000, 50);
  port.receive(0, 1'000, 1);  // not at the head: does not count yet
  port.receive(1, 1'000, 40);
  port.receive(1, 1'000, 60);
  port.receive(2, 1'000, 45);
  EXPECT_THAT(port.at.drain(1), ElementsAre(1, 2, 0, 0, 1));
}

TEST(Scheduler, BreaksTiesOfRankByQueue) {
  ThreeQueues port(Discipline::rank);
  for (const std::uint16_t queue : std::initializer_list<std::uint16_t>{2, 0, 1}) port.receive(queue, 1'000, 7);
  EXPECT_THAT(port.at.drain(1), ElementsAre(0, 1, 2));
}

TEST(Scheduler, CountsActiveQueues) {
  ThreeQueues port(Discipline::deficit_round_robin);
  const auto active = [&] { return port.at.node->port(PortId(1)).active_queues; };
  EXPECT_EQ(active(), 0u);
  port.receive(0);
  port.receive(0);
  port.receive(1);
  EXPECT_EQ(active(), 2u);
  port.at.node->set_gate(port.queues[1], port.at.script->owner, false);
  EXPECT_EQ(active(), 1u);
  port.receive(2);
  EXPECT_EQ(active(), 2u);
  port.at.node->set_gate(port.queues[1], port.at.script->owner, true);
  EXPECT_EQ(active(), 3u);
  port.at.drain(1);
  EXPECT_EQ(active(), 0u);
}

/// A queue that is requested while frames wait (by an ideal scheme) is served, and can be blocked, like any other.
TEST(Scheduler, TakesAQueueThatIsMadeLate) {
  TestSwitch at;
  std::vector<QueueId> made;
  at.script->classify_to = [&](const Frame& frame) {
    if (frame.sequence % 2 == 0) made.push_back(at.node->new_queue({.port = PortId(1), .priority = kLossless}));
    return made.back();
  };
  for (int frame = 0; frame < 400; ++frame) at.receive(1, kLossless);
  ASSERT_EQ(made.size(), 200u);
  const Time until = Time::picoseconds(1'000);
  at.node->close_gate_until(made[1], at.script->owner, until);
  EXPECT_EQ(at.next(1), 0);
  EXPECT_EQ(at.next(1), 4);  // not of the blocked queue
  at.run_until(until);
  EXPECT_EQ(at.drain(1).size(), 398u);
  at.expect_empty();
}

/// When notified that frames were lost with their link, a policy may send a frame that gets its own queue.
TEST(Scheduler, TakesAQueueThatIsMadeWhileALinkFails) {
  TestSwitch at;
  at.script->classify_to = [&](const Frame&) { return at.node->new_queue({.port = PortId(1), .priority = kLossless}); };
  for (int frame = 0; frame < 50; ++frame) at.receive(1, kLossless);
  at.script->classify_to = [&](const Frame&) { return at.node->new_queue({.port = PortId(2), .priority = kLossless}); };
  at.script->drop = [&](SwitchContext& context, const Frame&) { context.send_to_host(at.make(2, kLossless)); };
  at.link(1, false);
  EXPECT_EQ(at.script->dropped.size(), 50u);
  EXPECT_EQ(at.drain(2).size(), 50u);
  at.expect_empty();
}

}  // namespace
}  // namespace weir::testing_switch::scheduler_test
