// SPDX-License-Identifier: Apache-2.0
// Gates of queues and priorities: their owners, timed closings, and the behaviour of a blocked queue.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::gate_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;

Time at_time(Duration since_start) {
  return Time() + since_start;
}

/// A frame waits at port 1, and no port has been reported as ready.
struct Waiting {
  Waiting() {
    at.receive(1, kLossless);
    at.node->clear_ready();
  }
  void gate(GateOwner owner, bool open) { at.node->set_gate(queue, owner, open); }
  [[nodiscard]] bool sends() {
    const std::int64_t sequence = at.next(1);
    if (sequence >= 0) at.receive(1, kLossless);  // keeps the queue filled
    at.node->clear_ready();
    return sequence >= 0;
  }
  TestSwitch at;
  QueueId queue = at.queue(1, kLossless);
  GateOwner mine = at.script->owner;
  GateOwner other = at.neighbour->owner;
};

TEST(SwitchGates, AClosedQueueSendsNothing) {
  Waiting waiting;
  waiting.gate(waiting.mine, false);
  EXPECT_FALSE(waiting.sends());
  waiting.at.receive(1, kLossless);
  EXPECT_FALSE(waiting.at.became_ready(1));
  EXPECT_FALSE(waiting.sends());
  waiting.gate(waiting.mine, true);
  EXPECT_TRUE(waiting.at.became_ready(1));
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, EveryOwnerMustOpen) {
  Waiting waiting;
  waiting.gate(waiting.mine, false);
  waiting.gate(waiting.other, false);
  waiting.gate(waiting.mine, true);
  EXPECT_FALSE(waiting.at.became_ready(1));
  EXPECT_FALSE(waiting.sends());
  waiting.gate(waiting.mine, true);  // a second time: must not open the other owner's gate
  EXPECT_FALSE(waiting.sends());
  waiting.gate(waiting.other, true);
  EXPECT_TRUE(waiting.at.became_ready(1));
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, QueueAndPriorityMustBothBeOpen) {
  Waiting waiting;
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.mine, false);
  waiting.gate(waiting.mine, false);
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.mine, true);
  EXPECT_FALSE(waiting.sends());
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.other, false);
  waiting.gate(waiting.mine, true);
  EXPECT_FALSE(waiting.sends());
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.other, true);
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, HoldOnePriorityOfOnePort) {
  TestSwitch at;
  at.node->set_priority_gate(PortId(1), kLossless, at.script->owner, false);
  at.receive(1, kLossless);
  at.receive(1, kLossy);
  at.receive(2, kLossless);
  EXPECT_THAT(at.drain(1), ElementsAre(1));
  EXPECT_THAT(at.drain(2), ElementsAre(2));
}

TEST(SwitchGates, NeverHoldControlFrames) {
  Waiting waiting;
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.mine, false);
  const FrameId id = waiting.at.make(1, kLossless, 64, 99);
  waiting.at.pool[id].kind = FrameKind::pfc;
  waiting.at.node->send(PortId(1), id);
  EXPECT_TRUE(waiting.at.became_ready(1));
  EXPECT_THAT(waiting.at.drain(1), ElementsAre(99));
}

TEST(SwitchGates, LetNothingOutWhileHeldThatCameLater) {
  Waiting waiting;
  waiting.gate(waiting.mine, false);
  for (int i = 0; i < 3; ++i) waiting.at.receive(1, kLossless);
  waiting.gate(waiting.mine, true);
  EXPECT_THAT(waiting.at.drain(1), ElementsAre(0, 1, 2, 3));
}

TEST(SwitchGates, OpenByThemselvesAtTheirInstant) {
  Waiting waiting;
  waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(10_ns));
  EXPECT_EQ(waiting.at.node->next_deadline(), at_time(10_ns));
  waiting.at.run_until(at_time(10_ns - 1_ps));
  EXPECT_FALSE(waiting.sends());
  waiting.at.run_until(at_time(10_ns));
  EXPECT_TRUE(waiting.at.became_ready(1));
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, OpenEvenWhenTheDriverLooksLate) {
  Waiting waiting;
  waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(10_ns));
  waiting.at.now = at_time(25_ns);
  EXPECT_TRUE(waiting.sends());  // transmit() itself detects that the time has passed
}

TEST(SwitchGates, TakeALaterInstantForAnEarlierOne) {
  Waiting waiting;
  for (const Duration until : {10_ns, 30_ns, 20_ns}) {
    waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(until));
  }
  waiting.at.run_until(at_time(20_ns - 1_ps));
  EXPECT_FALSE(waiting.sends());
  waiting.at.run_until(at_time(20_ns));
  EXPECT_TRUE(waiting.sends());
  EXPECT_EQ(waiting.at.node->next_deadline(), Time::never());
}

TEST(SwitchGates, AnEarlyOpeningEndsTheTime) {
  Waiting waiting;
  waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(10_ns));
  waiting.gate(waiting.mine, true);
  EXPECT_TRUE(waiting.sends());
  EXPECT_EQ(waiting.at.node->next_deadline(), Time::never());
}

TEST(SwitchGates, AnotherOwnersOpeningDoesNotEndTheTime) {
  Waiting waiting;
  waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(10_ns));
  waiting.gate(waiting.other, false);
  waiting.gate(waiting.other, true);
  EXPECT_FALSE(waiting.sends());
  waiting.gate(waiting.other, false);
  waiting.at.run_until(at_time(10_ns));
  EXPECT_FALSE(waiting.sends());  // the other owner still blocks it
  waiting.gate(waiting.other, true);
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, APlainClosingOutlastsAnEarlierTime) {
  Waiting waiting;
  waiting.at.node->close_gate_until(waiting.queue, waiting.mine, at_time(10_ns));
  waiting.gate(waiting.mine, false);
  waiting.at.run_until(at_time(50_ns));
  EXPECT_FALSE(waiting.sends());
  waiting.gate(waiting.mine, true);
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, APlainClosingOfAPriorityOutlastsAnEarlierTime) {
  Waiting waiting;
  waiting.at.node->close_priority_gate_until(PortId(1), kLossless, waiting.mine, at_time(10_ns));
  waiting.at.node->set_priority_gate(PortId(1), kLossless, waiting.mine, false);
  waiting.at.run_until(at_time(50_ns));
  EXPECT_FALSE(waiting.sends());
}

TEST(SwitchGates, PrioritiesOpenByThemselves) {
  Waiting waiting;
  waiting.at.node->close_priority_gate_until(PortId(1), kLossless, waiting.mine, at_time(10_ns));
  EXPECT_FALSE(waiting.at.node->priority_gate_open(PortId(1), kLossless));
  waiting.at.node->close_priority_gate_until(PortId(1), kLossless, waiting.mine, at_time(15_ns));
  waiting.at.run_until(at_time(15_ns - 1_ps));
  EXPECT_FALSE(waiting.sends());
  waiting.at.run_until(at_time(15_ns));
  EXPECT_TRUE(waiting.at.node->priority_gate_open(PortId(1), kLossless));
  EXPECT_TRUE(waiting.at.became_ready(1));
  EXPECT_TRUE(waiting.sends());
}

TEST(SwitchGates, AnEmptyQueueReportsNoReadyPort) {
  TestSwitch at;
  at.node->set_gate(at.queue(1, kLossless), at.script->owner, false);
  at.node->set_gate(at.queue(1, kLossless), at.script->owner, true);
  at.node->set_priority_gate(PortId(1), kLossless, at.script->owner, false);
  at.node->set_priority_gate(PortId(1), kLossless, at.script->owner, true);
  EXPECT_THAT(at.node->ready_ports(), IsEmpty());
}

TEST(SwitchGates, MayBeSetWhileAttaching) {
  TestSwitch at(config_of(), [](SwitchContext& context) {
    for (const bool open : {false, true, false}) context.set_gate(context.default_queue(PortId(1), kLossless), 0, open);
    for (const bool open : {false, true}) context.set_priority_gate(PortId(2), kLossless, 0, open);
  });
  at.receive(1, kLossless);
  at.receive(2, kLossless);
  EXPECT_EQ(at.next(1), -1);
  EXPECT_EQ(at.next(2), 1);
  at.node->set_gate(at.queue(1, kLossless), 0, true);
  EXPECT_EQ(at.next(1), 0);
}

// Two owners, queue and priority gates: a frame leaves if and only if all four are open, and waiting frames are served
// in order.
RC_GTEST_PROP(SwitchGates, AFrameLeavesExactlyWhenAllAreOpen, ()) {
  Waiting waiting;
  RandomStream random(*rc::gen::arbitrary<std::uint64_t>(), 0, 0);
  std::array<Time, 4> closed_until{};  // never: until opened
  for (int i = 0; i < 300; ++i) {
    const std::size_t which = random.below(4);
    const GateOwner owner = which % 2 == 0 ? waiting.mine : waiting.other;
    const bool queue = which < 2;
    // Only one owner per gate may close it for a time.
    const std::uint64_t action = random.below(owner == waiting.mine ? 3 : 2);
    const Time until = waiting.at.now + Duration::picoseconds(1 + static_cast<std::int64_t>(random.below(5'000)));
    if (action < 2) {
      if (queue) {
        waiting.gate(owner, action == 1);
      } else {
        waiting.at.node->set_priority_gate(PortId(1), kLossless, owner, action == 1);
      }
      closed_until[which] = action == 1 ? Time() : Time::never();
    } else {
      if (queue) {
        waiting.at.node->close_gate_until(waiting.queue, owner, until);
      } else {
        waiting.at.node->close_priority_gate_until(PortId(1), kLossless, owner, until);
      }
      closed_until[which] = until;
    }
    waiting.at.run_for(Duration::picoseconds(static_cast<std::int64_t>(random.below(3'000))));
    const bool open =
        std::all_of(closed_until.begin(), closed_until.end(), [&](Time until_) { return until_ <= waiting.at.now; });
    RC_ASSERT(waiting.sends() == open);
  }
}

}  // namespace
}  // namespace weir::testing_switch::gate_test
