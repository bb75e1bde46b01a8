// SPDX-License-Identifier: Apache-2.0
// Queues that precede the scheduled ones: stages served at the port's rate, queues released by a policy, order markers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::stage_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

using Left = std::tuple<QueueId, std::uint32_t, Time>;

/// 1,230 + 20 bytes last 100 ns at 100 Gbit/s.
constexpr std::int64_t kBytes = 1'230;

Time at_time(Duration since_start) {
  return Time() + since_start;
}

/// At port 1, two queues of stage 2 precede one of stage 1, which precedes the default queue. frame.tag selects the
/// stage-2 queue of a frame.
struct TwoStages {
  TwoStages()
      : at(config_of(), [this](QueueContext& context) {
          const auto staged = [&](std::uint8_t stage) {
            return context.new_queue(
                {.port = PortId(1), .priority = kLossless, .stage = stage, .service = Service::at_rate});
          };
          far = {staged(2), staged(2)};
          near = staged(1);
        }) {
    at.script->classify_to = [this](const Frame& frame) { return far[frame.tag]; };
    at.script->leave_to = [this](QueueId queue, const Frame&) { return queue == near ? at.queue(1, kLossless) : near; };
  }
  void receive(std::uint32_t sequence, std::uint16_t queue = 0, std::int64_t bytes = kBytes) {
    const FrameId id = at.make(1, kLossless, bytes, sequence);
    at.pool[id].tag = queue;
    at.receive(0, id);
  }
  std::array<QueueId, 2> far;
  QueueId near;
  TestSwitch at;
};

TEST(SwitchStages, ServeAtTheRateOfThePort) {
  TwoStages port;
  for (std::uint32_t sequence = 0; sequence < 3; ++sequence) port.receive(sequence);
  EXPECT_EQ(port.at.script->left.size(), 2u);  // an idle stage starts immediately
  EXPECT_EQ(port.at.node->next_deadline(), at_time(100_ns));
  port.at.run_until(at_time(350_ns));
  // A stage serves a frame when the time of the previous one has passed; the frame moves on immediately.
  EXPECT_THAT(port.at.script->left,
              ElementsAre(Left(port.far[0], 0, Time()), Left(port.near, 0, Time()),
                          Left(port.far[0], 1, at_time(100_ns)), Left(port.near, 1, at_time(100_ns)),
                          Left(port.far[0], 2, at_time(200_ns)), Left(port.near, 2, at_time(200_ns))));
  EXPECT_EQ(port.at.node->next_deadline(), Time::never());
  EXPECT_THAT(port.at.drain(1), ElementsAre(0, 1, 2));
  port.at.expect_empty();
}

TEST(SwitchStages, SendNothingOntoTheWireThemselves) {
  TwoStages port;
  port.at.node->set_gate(port.near, port.at.script->owner, false);
  port.receive(0);
  port.at.run_until(at_time(1_us));
  EXPECT_FALSE(port.at.became_ready(1));
  EXPECT_EQ(port.at.next(1), -1);
  EXPECT_EQ(port.at.node->queue(port.near).frames, 1u);
  EXPECT_EQ(port.at.node->port(PortId(1)).active_queues, 0u);
  EXPECT_EQ(port.at.node->port(PortId(1)).queued_bytes, kBytes);  // it waits for this port nevertheless
  port.at.node->set_gate(port.near, port.at.script->owner, true);
  port.at.run_for(Duration());
  EXPECT_TRUE(port.at.became_ready(1));
  EXPECT_EQ(port.at.next(1), 0);
}

TEST(SwitchStages, StayBusyForTheirLastFrame) {
  TwoStages port;
  port.receive(0);
  port.at.run_until(at_time(30_ns));
  port.receive(1);  // the stage's queue is empty, but the stage is busy until 100 ns
  port.at.run_until(at_time(99_ns));
  EXPECT_EQ(port.at.script->left.size(), 2u);
  port.at.run_until(at_time(100_ns));
  EXPECT_EQ(port.at.script->left.size(), 4u);
  port.at.run_until(at_time(500_ns));
  port.receive(2);
  port.at.run_for(Duration());
  EXPECT_EQ(port.at.script->left.size(), 6u);
}

TEST(SwitchStages, ShareTheirRateAmongQueues) {
  TwoStages port;
  for (std::uint32_t i = 0; i < 3; ++i) port.receive(i, 0);
  for (std::uint32_t i = 10; i < 13; ++i) port.receive(i, 1);
  port.at.run_until(at_time(550_ns));
  EXPECT_THAT(port.at.drain(1), ElementsAre(0, 1, 10, 2, 11, 12));  // frame 0 arrived alone
  EXPECT_EQ(std::get<Time>(port.at.script->left.back()), at_time(500_ns));
}

TEST(SwitchStages, HoldAClosedQueueAndServeTheOther) {
  TwoStages port;
  port.at.node->set_gate(port.far[0], port.at.script->owner, false);
  port.receive(0, 0);
  port.receive(10, 1);
  port.receive(11, 1);
  port.at.run_until(at_time(1_us));
  EXPECT_THAT(port.at.drain(1), ElementsAre(10, 11));
  port.at.node->set_gate(port.far[0], port.at.script->owner, true);
  EXPECT_EQ(port.at.node->next_deadline(), port.at.now);
  port.at.run_for(Duration());
  EXPECT_THAT(port.at.drain(1), ElementsAre(0));
}

// A pause of the neighbour blocks the scheduled queues; the stages before them continue.
TEST(SwitchStages, GoOnWhileThePriorityIsPaused) {
  TwoStages port;
  port.at.node->set_priority_gate(PortId(1), kLossless, port.at.neighbour->owner, false);
  port.receive(0);
  port.receive(1);
  port.at.run_until(at_time(1_us));
  EXPECT_EQ(port.at.node->queue(port.at.queue(1, kLossless)).frames, 2u);
  EXPECT_EQ(port.at.next(1), -1);
}

TEST(SwitchStages, LeaveTheBufferAccountsAlone) {
  TwoStages port;
  port.receive(0);
  port.at.run_until(at_time(1_us));  // TestSwitch checks the accounts at each step
  EXPECT_EQ(port.at.ingress(0, kLossless).used, kBytes);
  EXPECT_EQ(port.at.node->egress_bytes(PortId(1), kLossless), kBytes);
}

TEST(SwitchStages, TellEachQueueAFrameEnters) {
  TwoStages port;
  port.receive(7);
  port.at.run_until(at_time(1_us));
  EXPECT_THAT(port.at.script->entered, ElementsAre(std::pair(port.far[0], 7u), std::pair(port.near, 7u),
                                                   std::pair(port.at.queue(1, kLossless), 7u)));
}

TEST(SwitchStages, OfOnePortDoNotWaitForAnothers) {
  QueueId first;
  QueueId second;
  TestSwitch at(config_of(), [&](QueueContext& context) {
    first = context.new_queue({.port = PortId(1), .priority = kLossless, .stage = 1, .service = Service::at_rate});
    second = context.new_queue({.port = PortId(2), .priority = kLossless, .stage = 1, .service = Service::at_rate});
  });
  at.script->classify_to = [&](const Frame& frame) { return frame.egress == PortId(1) ? first : second; };
  at.receive(1, kLossless);
  at.receive(2, kLossless);
  at.run_for(Duration());
  EXPECT_THAT(at.drain(1), ElementsAre(0));
  EXPECT_THAT(at.drain(2), ElementsAre(1));
}

// ---- queues that a policy releases ----

/// A queue of the whole switch for frames to hosts 1 and 2.
struct Voq {
  explicit Voq(std::size_t frames = 64)
      : at(
            config_of(),
            [this](QueueContext& context) {
              queue = context.new_queue({.port = PortId::none(), .priority = kLossless, .service = Service::released});
            },
            frames) {
    at.script->classify_to = [this](const Frame&) { return queue; };
  }
  QueueId queue;
  TestSwitch at;
};

TEST(SwitchRelease, LetsOneFrameGoWhereThePolicySays) {
  Voq voq;
  voq.at.receive(1, kLossless);
  voq.at.receive(2, kLossless);
  EXPECT_THAT(voq.at.node->ready_ports(), IsEmpty());
  EXPECT_EQ(voq.at.next(1), -1);
  EXPECT_EQ(voq.at.node->queue(voq.queue).bytes, 2 * 1066);
  EXPECT_EQ(voq.at.node->egress_bytes(PortId(1), kLossless), 0);  // a VOQ of the switch belongs to no port
  EXPECT_TRUE(voq.at.node->release(voq.queue));
  EXPECT_TRUE(voq.at.became_ready(1));
  EXPECT_FALSE(voq.at.became_ready(2));
  EXPECT_EQ(voq.at.next(1), 0);
  EXPECT_TRUE(voq.at.node->release(voq.queue));
  EXPECT_EQ(voq.at.next(2), 1);
  EXPECT_FALSE(voq.at.node->release(voq.queue));  // empty
  voq.at.expect_empty();
}

// As where a VOQ is released in the step in which a frame joins it.
TEST(SwitchRelease, PassesWhatLeavesAtOnce) {
  Voq voq;
  voq.at.script->enter = [&voq](QueueContext& context, QueueId queue) {
    EXPECT_TRUE(queue != voq.queue || context.release(queue));
  };
  voq.at.node->occupy(PortId(1), Time());
  const FrameId id = voq.at.make(1, kLossless, kBytes, 0);
  EXPECT_EQ(voq.at.node->pass(Time() + 1_us, PortId(0), id), id);
}

TEST(SwitchRelease, DoesNothingForAClosedQueue) {
  Voq voq;
  voq.at.receive(1, kLossless);
  voq.at.node->set_gate(voq.queue, voq.at.script->owner, false);
  EXPECT_FALSE(voq.at.node->release(voq.queue));
  voq.at.node->set_gate(voq.queue, voq.at.script->owner, true);
  EXPECT_THAT(voq.at.node->ready_ports(), IsEmpty());  // opening alone sends nothing
  EXPECT_TRUE(voq.at.node->release(voq.queue));
}

TEST(SwitchRelease, DropsWhatWaitedForALinkThatFailed) {
  Voq voq;
  voq.at.receive(1, kLossless);
  voq.at.receive(2, kLossless);
  voq.at.link(1, false);
  EXPECT_THAT(voq.at.script->dropped, IsEmpty());
  EXPECT_TRUE(voq.at.node->release(voq.queue));
  EXPECT_THAT(voq.at.script->dropped, ElementsAre(Script::Drop{0, 1066, DropReason::link_down}));
  EXPECT_TRUE(voq.at.node->release(voq.queue));
  EXPECT_EQ(voq.at.next(2), 1);
  voq.at.expect_empty();
}

// ---- order markers ----

TEST(SwitchMarkers, FireAtOnceInAnEmptyQueue) {
  Voq voq;
  EXPECT_TRUE(voq.at.node->insert_marker(voq.queue, 5));
  EXPECT_THAT(voq.at.script->markers, ElementsAre(std::pair(5u, Time())));
}

TEST(SwitchMarkers, FireWhenAllBeforeThemHaveLeft) {
  TestSwitch at;
  const QueueId queue = at.queue(1, kLossless);
  at.receive(1, kLossless);
  at.receive(1, kLossless);
  EXPECT_TRUE(at.node->insert_marker(queue, 5));
  EXPECT_TRUE(at.node->insert_marker(queue, 6));
  at.receive(1, kLossless);
  EXPECT_TRUE(at.node->insert_marker(queue, 7));
  EXPECT_EQ(at.node->queue(queue).frames, 3u);  // a marker is not a frame and has no bytes
  EXPECT_EQ(at.node->queue(queue).bytes, 3 * 1066);
  EXPECT_EQ(at.node->frames_held(), 3u);
  at.now = at_time(10_ns);
  EXPECT_EQ(at.next(1), 0);
  EXPECT_THAT(at.script->markers, IsEmpty());
  at.now = at_time(20_ns);
  EXPECT_EQ(at.next(1), 1);
  EXPECT_THAT(at.script->markers, ElementsAre(std::pair(5u, at.now), std::pair(6u, at.now)));
  at.now = at_time(30_ns);
  EXPECT_EQ(at.next(1), 2);
  EXPECT_EQ(at.script->markers.back(), std::pair(7u, at.now));
  EXPECT_EQ(at.next(1), -1);
  at.expect_empty();
}

TEST(SwitchMarkers, NeedAFrameOfThePool) {
  Voq voq(2);
  voq.at.receive(1, kLossless);
  EXPECT_TRUE(voq.at.node->insert_marker(voq.queue, 1));
  EXPECT_FALSE(voq.at.node->insert_marker(voq.queue, 2));
  EXPECT_TRUE(voq.at.node->release(voq.queue));
  EXPECT_THAT(voq.at.script->markers, ElementsAre(std::pair(1u, Time())));
}

// Frames that a marker releases must follow the frames before the marker, in the queue where they meet.
TEST(SwitchMarkers, FireBehindTheFrameTheyFollow) {
  QueueId early;
  QueueId late;
  TestSwitch at(config_of(), [&](QueueContext& context) {
    early = context.new_queue({.port = PortId::none(), .priority = kLossless, .service = Service::released});
    late = context.new_queue({.port = PortId::none(), .priority = kLossless, .service = Service::released});
  });
  bool marked = false;
  at.script->classify_to = [&](const Frame&) { return marked ? late : early; };
  at.script->marker = [&](QueueContext& context, QueueId, std::uint32_t) {
    while (context.release(late)) {
    }
  };
  at.receive(1, kLossless);
  at.receive(1, kLossless);
  at.node->insert_marker(early, 1);
  marked = true;
  at.receive(1, kLossless);
  EXPECT_TRUE(at.node->release(early));
  EXPECT_TRUE(at.node->release(early));
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1, 2));
}

TEST(SwitchMarkers, FireBehindTheFrameTheyFollowInAStage) {
  QueueId staged;
  QueueId late;
  TestSwitch at(config_of(), [&](QueueContext& context) {
    staged = context.new_queue({.port = PortId(1), .priority = kLossless, .stage = 1, .service = Service::at_rate});
    late = context.new_queue({.port = PortId(1), .priority = kLossless, .stage = 1, .service = Service::released});
  });
  bool marked = false;
  at.script->classify_to = [&](const Frame&) { return marked ? late : staged; };
  at.script->marker = [&](QueueContext& context, QueueId, std::uint32_t) {
    while (context.release(late)) {
    }
  };
  at.node->set_gate(staged, at.script->owner, false);
  at.receive(1, kLossless);
  at.node->insert_marker(staged, 1);
  marked = true;
  at.receive(1, kLossless);
  at.node->set_gate(staged, at.script->owner, true);
  at.run_for(Duration());
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1));
}

TEST(SwitchMarkers, AreToldWhenTheirQueueIsFlushed) {
  TestSwitch at;
  at.receive(1, kLossless);
  at.node->insert_marker(at.queue(1, kLossless), 9);
  at.receive(1, kLossless);
  at.link(1, false);
  EXPECT_THAT(at.script->markers, ElementsAre(std::pair(9u, Time())));
  at.expect_empty();
}

}  // namespace
}  // namespace weir::testing_switch::stage_test
