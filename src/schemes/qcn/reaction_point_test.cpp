// SPDX-License-Identifier: Apache-2.0
#include "schemes/qcn/reaction_point.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace weir::qcn::reaction_point_test {
namespace {

using namespace literals;

/// A rate limiter with 802.1Qau's parameters, but without jitter.
struct Limiter {
  Limiter() { point.open(10_Gbps); }
  void notify(std::uint32_t feedback) { point.on_notification(settings, feedback, random); }
  void sent(Bytes bytes) { point.on_sent(settings, bytes, random); }
  void time() { point.on_timer(settings); }
  ReactionPointSettings settings{.decrease_gain = 1.0 / 128,
                                 .least_factor = 0.5,
                                 .recovery_cycles = 5,
                                 .byte_counter = Bytes(150'000),
                                 .timer = 15_ms,
                                 .jitter = 0,
                                 .active_increase = 5_Mbps,
                                 .hyper_increase = 50_Mbps,
                                 .minimum_rate = 10_Mbps};
  RandomStream random{1, 0, 0};
  ReactionPoint point;
};

TEST(QcnReactionPoint, IsNotAtWorkBeforeTheFirstNotification) {
  Limiter limiter;
  limiter.sent(Bytes(10'000'000));
  limiter.time();
  EXPECT_FALSE(limiter.point.active());  // [QCN-RP-1]
  EXPECT_EQ(limiter.point.current(), 10_Gbps);
  limiter.notify(1);
  EXPECT_TRUE(limiter.point.active());
}

TEST(QcnReactionPoint, CutsByTheFeedback) {
  Limiter limiter;
  limiter.notify(32);
  EXPECT_EQ(limiter.point.current(), 7'500_Mbps);  // [QCN-RP-2]
  EXPECT_EQ(limiter.point.target(), 10_Gbps);
  limiter.settings.decrease_gain = 1;
  limiter.notify(63);  // by at most half
  EXPECT_EQ(limiter.point.current(), 3'750_Mbps);
  for (int i = 0; i < 20; ++i) limiter.notify(63);
  EXPECT_EQ(limiter.point.current(), 10_Mbps);
}

TEST(QcnReactionPoint, RecoversToTheRateBeforeTheFirstOfSeveralCuts) {
  Limiter limiter;
  limiter.notify(32);
  limiter.sent(Bytes(100'000));
  limiter.notify(32);
  EXPECT_EQ(limiter.point.target(), 10_Gbps);  // [QCN-RP-2] no cycle ended between the two
  limiter.sent(Bytes(50'000));                 // the byte counter continued
  const BitRate recovering = limiter.point.current();
  limiter.notify(32);
  EXPECT_EQ(limiter.point.target(), recovering);
}

TEST(QcnReactionPoint, HalvesTheDistanceInFastRecovery) {
  Limiter limiter;
  limiter.notify(32);
  std::int64_t current = 7'500'000'000;
  for (int cycle = 1; cycle <= 5; ++cycle) {
    limiter.sent(Bytes(149'999));
    EXPECT_EQ(limiter.point.current(), BitRate(current));
    limiter.sent(Bytes(1));  // [QCN-RP-3]
    current = (current + 10'000'000'000 + 1) / 2;
    EXPECT_EQ(limiter.point.current(), BitRate(current)) << cycle;  // [QCN-RP-5]
    EXPECT_EQ(limiter.point.target(), 10_Gbps);
  }
}

/// Far below line rate, so that the limit has no effect.
struct LowLimiter : Limiter {
  LowLimiter() {
    point.open(10_Gbps);
    for (int i = 0; i < 3; ++i) {
      notify(63);
      time();
      sent(Bytes(150'000));
    }
    notify(1);
    target = point.target();
  }
  BitRate target;
};

TEST(QcnReactionPoint, ThenTheTargetRisesByOneCounter) {
  LowLimiter limiter;
  for (int cycle = 1; cycle <= 5; ++cycle) limiter.sent(Bytes(150'000));
  EXPECT_EQ(limiter.point.target(), limiter.target);
  limiter.sent(Bytes(75'000));                                 // [QCN-RP-3] half a cycle
  EXPECT_EQ(limiter.point.target(), limiter.target + 5_Mbps);  // [QCN-RP-6]
  limiter.time();
  EXPECT_EQ(limiter.point.target(), limiter.target + 10_Mbps);  // still only one of them has passed the limit
}

TEST(QcnReactionPoint, AndByMoreWhenBothCountersAreBeyond) {
  LowLimiter limiter;
  for (int cycle = 1; cycle <= 6; ++cycle) limiter.sent(Bytes(150'000));
  BitRate target = limiter.point.target();
  for (int cycle = 1; cycle <= 5; ++cycle) limiter.time();
  target = target + 5 * 5_Mbps;
  EXPECT_EQ(limiter.point.target(), target);
  limiter.time();                                       // both are one past it
  EXPECT_EQ(limiter.point.target(), target + 50_Mbps);  // [QCN-RP-7]
  limiter.sent(Bytes(75'000));                          // the smaller is still one past it
  EXPECT_EQ(limiter.point.target(), target + 100_Mbps);
  limiter.time();  // two
  EXPECT_EQ(limiter.point.target(), target + 200_Mbps);
}

TEST(QcnReactionPoint, TheTimerIsHalvedAfterFastRecovery) {
  LowLimiter limiter;
  for (int cycle = 0; cycle < 5; ++cycle) {
    EXPECT_EQ(limiter.point.timer_period(limiter.settings), 15_ms);
    limiter.time();
  }
  EXPECT_EQ(limiter.point.timer_period(limiter.settings), 7'500_us);  // [QCN-RP-4]
  limiter.notify(1);
  EXPECT_EQ(limiter.point.timer_period(limiter.settings), 15_ms);
}

TEST(QcnReactionPoint, GivesUpATargetFarAbove) {
  Limiter limiter;
  for (int i = 0; i < 5; ++i) limiter.notify(63);
  ASSERT_GT(limiter.point.target(), 10 * limiter.point.current());
  limiter.time();
  EXPECT_EQ(limiter.point.target(), 1'250_Mbps);  // [QCN-RP-8] an eighth
  limiter.time();
  EXPECT_EQ(limiter.point.target(), 1'250_Mbps);
}

TEST(QcnReactionPoint, RestsAtLineRate) {
  Limiter limiter;
  limiter.notify(1);
  for (int cycle = 0; cycle < 40 && limiter.point.active(); ++cycle) limiter.time();
  EXPECT_FALSE(limiter.point.active());  // [QCN-RP-1]
  EXPECT_EQ(limiter.point.current(), 10_Gbps);
  limiter.notify(32);
  EXPECT_EQ(limiter.point.target(), 10_Gbps);
}

TEST(QcnReactionPoint, JitterMovesTheByteCounter) {
  std::int64_t least = 1'000'000;
  std::int64_t most = 0;
  Limiter limiter;
  limiter.settings.jitter = 0.15;
  for (int i = 0; i < 200; ++i) {
    limiter.point.open(10_Gbps);
    limiter.notify(1);
    const BitRate cut = limiter.point.current();
    std::int64_t sent = 0;
    while (limiter.point.current() == cut) {
      limiter.sent(Bytes(1'000));
      sent += 1'000;
    }
    least = std::min(least, sent);
    most = std::max(most, sent);
    while (limiter.point.active()) limiter.time();
  }
  EXPECT_GE(least, 127'000);  // [QCN-RP-3]
  EXPECT_LE(most, 173'000);
  EXPECT_GT(most - least, 30'000);
}

}  // namespace
}  // namespace weir::qcn::reaction_point_test
