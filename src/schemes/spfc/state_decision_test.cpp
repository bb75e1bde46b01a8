// SPDX-License-Identifier: Apache-2.0
#include "schemes/spfc/state_decision.h"

#include <gtest/gtest.h>

namespace weir::spfc::state_decision_test {
namespace {

constexpr std::int64_t kNumber = 3;

void count(StateDecision& at, int frames) {
  for (int i = 0; i < frames; ++i) at.count(1);
}

// The truth table of figure 10, row by row (spfc.md has it): "making the port normal" while reset is active,
// "regardless of the IRC's output" (V.A); otherwise a victim port if the counter's output is set or the holder was set
// in the last interval.
struct Row {
  bool reset;
  bool counter;
  bool held;
  bool victim;
};
constexpr Row kTruthTable[] = {
    {.reset = true, .counter = true, .held = true, .victim = false},
    {.reset = true, .counter = true, .held = false, .victim = false},
    {.reset = true, .counter = false, .held = true, .victim = false},
    {.reset = true, .counter = false, .held = false, .victim = false},
    {.reset = false, .counter = true, .held = true, .victim = true},
    {.reset = false, .counter = true, .held = false, .victim = true},
    {.reset = false, .counter = false, .held = true, .victim = true},
    {.reset = false, .counter = false, .held = false, .victim = false},
};

TEST(StateDecision, FollowsTheTruthTable) {
  for (const Row& row : kTruthTable) {
    SCOPED_TRACE(testing::Message() << "reset " << row.reset << ", counter " << row.counter << ", held " << row.held);
    StateDecision at(kNumber);
    if (row.held) count(at, kNumber);
    at.end_interval();
    EXPECT_EQ(at.held(), row.held);
    if (row.counter) count(at, kNumber);
    EXPECT_EQ(at.counter_output(), row.counter);
    if (row.reset) at.pause(3, true);
    EXPECT_EQ(at.reset(), row.reset);
    EXPECT_EQ(at.victim(), row.victim);  // [SPFC-SH-1] [SPFC-SH-2]
  }
}

// "When PFC PAUSE is triggered, the reset button is activated" (V.A): the holder is empty from then on, whatever
// follows.
TEST(StateDecision, HoldsNothingWhileItIsReset) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.end_interval();
  ASSERT_TRUE(at.held());
  at.pause(3, true);
  EXPECT_FALSE(at.held());  // [SPFC-SH-2]
  count(at, kNumber);
  at.end_interval();
  EXPECT_FALSE(at.held());  // [SPFC-SH-2]
}

TEST(StateDecision, IsNormalAtFirst) {
  EXPECT_FALSE(StateDecision(kNumber).victim());
}

TEST(StateDecision, IsVictimAsSoonAsTheCounterComesToItsNumber) {
  StateDecision at(kNumber);
  EXPECT_FALSE(at.count(1));
  EXPECT_FALSE(at.count(1));
  EXPECT_FALSE(at.victim());
  EXPECT_TRUE(at.count(1));  // [SPFC-IRC-1] [SPFC-IRC-2]
  EXPECT_TRUE(at.victim());
  EXPECT_FALSE(at.count(1));  // already reported
  EXPECT_TRUE(at.victim());
}

TEST(StateDecision, SaysItOnceThoughTheNumberIsPassedOver) {
  StateDecision at(1'000);
  EXPECT_FALSE(at.count(999));
  EXPECT_TRUE(at.count(1'500));  // [SPFC-IRC-1]
  EXPECT_FALSE(at.count(1));
}

TEST(StateDecision, HoldsForOneIntervalMore) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.end_interval();
  EXPECT_FALSE(at.counter_output());  // [SPFC-TC-2] the counter restarts
  EXPECT_TRUE(at.victim());           // [SPFC-SH-1]
  count(at, kNumber - 1);
  EXPECT_TRUE(at.victim());
  at.end_interval();
  EXPECT_FALSE(at.victim());  // the past interval had too few departures
}

TEST(StateDecision, DoesNotAddIntervalsUp) {
  StateDecision at(kNumber);
  for (int i = 0; i < 10; ++i) {
    count(at, kNumber - 1);
    at.end_interval();
    EXPECT_FALSE(at.victim());  // [SPFC-TC-2]
  }
}

TEST(StateDecision, IsNormalFromThePauseToTheResumeWhateverTheCounterSays) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.pause(3, true);
  EXPECT_FALSE(at.victim());  // [SPFC-SH-2]
  for (int i = 0; i < 5; ++i) {
    at.end_interval();
    count(at, 2 * kNumber);
    EXPECT_FALSE(at.victim());
  }
  at.pause(3, false);
  EXPECT_TRUE(at.victim());  // [SPFC-SH-3] the counter is effective again
}

TEST(StateDecision, HoldsNothingFromBeforeThePause) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.end_interval();
  at.pause(3, true);
  at.pause(3, false);
  EXPECT_FALSE(at.victim());  // [SPFC-SH-3] the holder was reset, and nothing has left in this interval
  count(at, kNumber);
  EXPECT_TRUE(at.victim());
}

TEST(StateDecision, HoldsNothingOfAnIntervalThatEndedInAPause) {
  StateDecision at(kNumber);
  at.pause(3, true);
  count(at, kNumber);
  at.end_interval();
  at.pause(3, false);
  EXPECT_FALSE(at.victim());  // [SPFC-SH-1]
}

TEST(StateDecision, WaitsForTheResumeOfEveryPriority) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.pause(3, true);
  at.pause(5, true);
  at.pause(3, false);
  EXPECT_FALSE(at.victim());  // [SPFC-SH-3]
  at.pause(5, false);
  EXPECT_TRUE(at.victim());
}

TEST(StateDecision, ForgetsWithTheLink) {
  StateDecision at(kNumber);
  count(at, kNumber);
  at.end_interval();
  count(at, kNumber - 1);
  at.pause(3, true);
  at.forget();  // [SPFC-LINK-1]
  EXPECT_FALSE(at.reset());
  EXPECT_FALSE(at.victim());
  count(at, 1);
  EXPECT_FALSE(at.victim());
}

}  // namespace
}  // namespace weir::spfc::state_decision_test
