// SPDX-License-Identifier: Apache-2.0
// Queues of one priority at different strict levels: headers above data, frames of an incast behind all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::shape_levels_test {
namespace {

using testing::ElementsAre;

/// A queue of the lossy priority as specified; frames with a tag use it.
struct Lab {
  explicit Lab(QueueSpec spec, const SwitchConfig& config = config_of())
      : at(config, [this, spec](QueueContext& context) { other = context.new_queue(spec); }) {
    at.script->classify_to = [this](const Frame& frame) {
      return frame.tag != 0 ? other : at.node->default_queue(frame.egress, frame.priority);
    };
  }
  void receive(Priority priority, std::uint16_t tag, std::uint32_t sequence) {
    const FrameId id = at.make(1, priority, 1'000, sequence);
    at.pool[id].tag = tag;
    at.receive(0, id);
  }
  QueueId other;
  TestSwitch at;
};

TEST(ShapeLevels, AQueueGoesAboveItsPriority) {
  Lab lab({.port = PortId(1), .priority = kLossy, .level = std::uint8_t{0}});
  lab.receive(kLossy, 0, 0);
  lab.receive(3, 0, 1);
  lab.receive(kLossy, 1, 2);
  lab.receive(kLossy, 1, 3);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(2, 3, 1, 0));
}

TEST(ShapeLevels, AQueueGoesBehindThoseOfItsLevelAndBeforeTheNext) {
  Lab lab({.port = PortId(1), .priority = kLossy, .behind = true});
  lab.receive(kLossy, 1, 0);
  lab.receive(0, 0, 1);  // the level behind that of the lossy priority
  lab.receive(kLossy, 0, 2);
  lab.receive(kLossy, 1, 3);
  lab.receive(kLossy, 0, 4);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(2, 4, 0, 3, 1));
}

TEST(ShapeLevels, TheLastLevelHasOneBehindItToo) {
  Lab lab({.port = PortId(1), .priority = 0, .behind = true});
  lab.receive(0, 1, 0);
  lab.receive(0, 0, 1);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(1, 0));
}

TEST(ShapeLevels, APauseOfThePriorityHoldsAllItsLevels) {
  Lab lab({.port = PortId(1), .priority = kLossy, .behind = true});
  lab.receive(kLossy, 1, 0);
  lab.receive(kLossy, 0, 1);
  lab.at.node->set_priority_gate(PortId(1), kLossy, lab.at.script->owner, false);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.node->set_priority_gate(PortId(1), kLossy, lab.at.script->owner, true);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(1, 0));
}

TEST(ShapeLevels, TheLevelOfAPriorityIsWhatIsConfigured) {
  SwitchConfig config = config_of();
  config.level_of_priority = {0, 1, 2, 3, 4, 5, 6, 7};
  Lab lab({.port = PortId(1), .priority = kLossy, .behind = true}, config);
  EXPECT_EQ(lab.at.node->level(kLossy), 1);
  lab.receive(2, 0, 0);
  lab.receive(kLossy, 1, 1);
  lab.receive(0, 0, 2);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(2, 1, 0));
}

TEST(ShapeLevels, QueuesOfOneLevelAreServedByFramesAndWeight) {
  QueueId heavy;
  QueueId light;
  TestSwitch at(config_of(), [&](QueueContext& context) {
    heavy = context.new_queue({.port = PortId(1), .priority = kLossy, .weight = 3});
    light = context.new_queue({.port = PortId(1), .priority = kLossy});
    context.set_discipline(kLossy, Discipline::weighted_round_robin);
  });
  at.script->classify_to = [&](const Frame& frame) { return frame.frame_bytes == 64 ? heavy : light; };
  for (std::uint32_t i = 0; i < 7; ++i) at.receive(0, at.make(1, kLossy, 64, i));
  for (std::uint32_t i = 10; i < 13; ++i) at.receive(0, at.make(1, kLossy, 1'000, i));
  EXPECT_THAT(at.drain(1), ElementsAre(0, 1, 2, 10, 3, 4, 5, 11, 6, 12));
}

}  // namespace
}  // namespace weir::testing_switch::shape_levels_test
