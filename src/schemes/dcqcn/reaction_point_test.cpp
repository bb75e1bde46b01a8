// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/reaction_point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace weir::dcqcn::reaction_point_test {
namespace {

using namespace literals;

constexpr BitRate kLine = 100_Gbps;

/// The values of the paper, but with a weight whose powers are exact.
Settings paper() {
  return {.g = 0.25,
          .alpha_timer = 55_us,
          .increase_timer = 55_us,
          .byte_counter = 10_MB,
          .fast_recovery_steps = 5,
          .additive_increase = 40_Mbps,
          .hyper_increase = 200_Mbps,
          .minimum_rate = 100_Mbps,
          .clamp_target_rate = true,
          .decrease_interval = 4_us};
}

Time at(Duration since_start) {
  return Time() + since_start;
}

class ReactionPointTest : public testing::Test {
 protected:
  ReactionPointTest() { rp.open(settings, kLine); }

  Settings settings = paper();
  ReactionPoint rp;
};

TEST_F(ReactionPointTest, StartsAtLineRateWithoutALimiter) {  // [DCQCN-RP-1]
  EXPECT_EQ(rp.rates().current, kLine);
  EXPECT_EQ(rp.alpha(), 1);
  const ReactionPoint opened = rp;
  rp.on_sent(settings, at(1_ms), 100_MB);
  rp.advance(settings, at(10_s));
  EXPECT_EQ(rp, opened);
}

TEST_F(ReactionPointTest, TheFirstCutHalves) {  // [DCQCN-RP-2]
  rp.on_cnp(settings, at(1_us));
  EXPECT_EQ(rp.rates().current, 50_Gbps);
  EXPECT_EQ(rp.rates().target, kLine);
  EXPECT_EQ(rp.alpha(), 1);  // (1 - g) 1 + g
}

TEST_F(ReactionPointTest, CutsByHalfOfAlphaAsItWas) {  // [DCQCN-RP-2]
  settings.increase_timer = 1_s;
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(120_us));  // alpha has decayed twice, to 9/16
  EXPECT_EQ(rp.rates().target, 50_Gbps);
  EXPECT_EQ(rp.rates().current, BitRate(50'000'000'000 / 32 * 23));
  EXPECT_EQ(rp.alpha(), 0.75 * (9.0 / 16) + 0.25);
}

TEST_F(ReactionPointTest, MayStartWithALesserAlpha) {  // [DCQCN-ALPHA-1]
  settings.initial_alpha = 0.125;
  rp.open(settings, kLine);
  rp.advance(settings, at(1_s));
  EXPECT_EQ(rp.alpha(), 0.125);  // no timer runs yet
  rp.on_cnp(settings, at(1_s));
  EXPECT_EQ(rp.rates().current, BitRate(93'750'000'000));
  EXPECT_EQ(rp.alpha(), 0.75 * 0.125 + 0.25);
  rp.advance(settings, at(1_s + 55_us));
  EXPECT_EQ(rp.alpha(), 0.75 * (0.75 * 0.125 + 0.25));
}

TEST_F(ReactionPointTest, AnAlphaOfZeroMakesTheFirstNotificationCutNothing) {  // [DCQCN-ALPHA-1]
  settings.initial_alpha = 0;
  rp.open(settings, kLine);
  rp.on_cnp(settings, at(1_us));
  EXPECT_TRUE(rp.rates().unlimited());
  EXPECT_EQ(rp.alpha(), 0.25);
  rp.on_cnp(settings, at(2_us));
  EXPECT_EQ(rp.rates().current, BitRate(87'500'000'000));
}

TEST_F(ReactionPointTest, AlphaDecaysGeometrically) {  // [DCQCN-RP-3]
  rp.on_cnp(settings, at(7_us));
  double expected = 1;
  for (int n = 1; n <= 20; ++n) {
    rp.advance(settings, at(7_us + 55_us * n) - 1_ps);
    EXPECT_EQ(rp.alpha(), expected);
    rp.advance(settings, at(7_us + 55_us * n));
    expected *= 0.75;
    EXPECT_EQ(rp.alpha(), expected);
  }
}

TEST_F(ReactionPointTest, AlphaRunsOut) {  // [DCQCN-RP-3]
  rp.on_cnp(settings, at(0_us));
  rp.advance(settings, at(1_s));
  EXPECT_EQ(rp.alpha(), 0);
  rp.on_cnp(settings, at(1_s));
  EXPECT_EQ(rp.alpha(), 0.25);
}

TEST_F(ReactionPointTest, ANotificationRestartsTheAlphaTimer) {  // [DCQCN-RP-4]
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(54_us));
  rp.advance(settings, at(108_us));
  EXPECT_EQ(rp.alpha(), 1);
  rp.advance(settings, at(109_us));
  EXPECT_EQ(rp.alpha(), 0.75);
}

TEST_F(ReactionPointTest, FastRecoveryHalvesTheDistanceFiveTimes) {  // [DCQCN-RP-5] [DCQCN-RP-6]
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(0_us));
  ASSERT_EQ(rp.rates().current, 25_Gbps);
  for (int step = 1; step <= 5; ++step) {
    rp.advance(settings, at(55_us * step) - 1_ps);
    EXPECT_EQ(rp.rates().current, 50_Gbps - BitRate(25'000'000'000 >> (step - 1)));
    rp.advance(settings, at(55_us * step));
    EXPECT_EQ(rp.rates().current, 50_Gbps - BitRate(25'000'000'000 >> step));
    EXPECT_EQ(rp.rates().target, 50_Gbps);
  }
}

TEST_F(ReactionPointTest, ThenTheTargetRisesToo) {  // [DCQCN-RP-7]
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(0_us));
  rp.advance(settings, at(55_us * 6));
  EXPECT_EQ(rp.rates().target, 50'040_Mbps);
  EXPECT_EQ(rp.rates().current, BitRate((49'218'750'000 + 50'040'000'000) / 2));
  rp.advance(settings, at(55_us * 56));
  EXPECT_EQ(rp.rates().target, 50_Gbps + 51 * 40_Mbps);
}

TEST_F(ReactionPointTest, BytesDoWhatTimeDoes) {  // [DCQCN-RP-5]
  settings.increase_timer = 1_s;
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(0_us));
  for (int frame = 0; frame < 9'999; ++frame) rp.on_sent(settings, at(1_us), 1_KB);
  EXPECT_EQ(rp.rates().current, 25_Gbps);
  rp.on_sent(settings, at(1_us), 1_KB);
  EXPECT_EQ(rp.rates().current, 37'500_Mbps);
  rp.on_sent(settings, at(1_us), 50_MB);
  EXPECT_EQ(rp.rates().target, 50'040_Mbps);  // the sixth
}

TEST_F(ReactionPointTest, TheByteCounterCanBeSwitchedOff) {  // [DCQCN-RP-5]
  settings.byte_counter = 0_B;
  rp.on_cnp(settings, at(0_us));
  rp.on_sent(settings, at(1_us), 100_MB);
  EXPECT_EQ(rp.rates().current, 50_Gbps);
}

TEST_F(ReactionPointTest, EitherCounterEndsFastRecovery) {  // [DCQCN-RP-7]
  settings.fast_recovery_steps = 2;
  settings.minimum_rate = 1_Gbps;
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(0_us));
  rp.advance(settings, at(110_us));  // T = 2, BC = 0
  EXPECT_EQ(rp.rates().target, 50_Gbps);
  rp.on_sent(settings, at(111_us), 10_MB);
  EXPECT_EQ(rp.rates().target, 50'040_Mbps);
}

TEST_F(ReactionPointTest, HyperIncreaseWhenBothCountersArePast) {  // [DCQCN-RP-8]
  settings.fast_recovery_steps = 1;
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(0_us));
  rp.advance(settings, at(110_us));         // T = 2: one recovery, one addition
  rp.on_sent(settings, at(111_us), 20_MB);  // BC = 2: two more
  EXPECT_EQ(rp.rates().target, 50_Gbps + 3 * 40_Mbps);
  rp.advance(settings, at(165_us));  // min(2, 2) - 1
  EXPECT_EQ(rp.rates().target, 50_Gbps + 3 * 40_Mbps + 200_Mbps);
  rp.on_sent(settings, at(166_us), 10_MB);  // min(3, 2) - 1
  EXPECT_EQ(rp.rates().target, 50_Gbps + 3 * 40_Mbps + 2 * 200_Mbps);
  rp.advance(settings, at(220_us));  // min(3, 3) - 1
  EXPECT_EQ(rp.rates().target, 50_Gbps + 3 * 40_Mbps + 4 * 200_Mbps);
}

TEST_F(ReactionPointTest, ANotificationStartsRecoveryAnew) {  // [DCQCN-RP-4]
  rp.on_cnp(settings, at(0_us));
  rp.on_sent(settings, at(1_us), 9'999_KB);
  rp.advance(settings, at(55_us * 7));
  const Time second = at(55_us * 7 + 30_us);
  rp.on_cnp(settings, second);
  const BitRate cut = rp.rates().current;
  const BitRate target = rp.rates().target;
  rp.on_sent(settings, second, 9'999_KB);
  rp.advance(settings, second + 55_us - 1_ps);
  EXPECT_EQ(rp.rates().current, cut);
  rp.advance(settings, second + 55_us * 5);
  EXPECT_EQ(rp.rates().target, target);
  rp.advance(settings, second + 55_us * 6);
  EXPECT_EQ(rp.rates().target, std::min(kLine, target + 40_Mbps));
}

TEST_F(ReactionPointTest, ANotificationForgetsBothCounters) {  // [DCQCN-RP-4]
  settings.fast_recovery_steps = 1;
  rp.on_cnp(settings, at(0_us));
  rp.on_sent(settings, at(1_us), 20_MB);
  rp.on_cnp(settings, at(2_us));
  const BitRate target = rp.rates().target;
  rp.on_sent(settings, at(3_us), 10_MB);
  EXPECT_EQ(rp.rates().target, target);  // fast recovery
  rp.advance(settings, at(57_us));       // T = 0, BC = 1
  EXPECT_EQ(rp.rates().target, target + 40_Mbps);
}

TEST_F(ReactionPointTest, StaysBetweenMinimumAndLineRate) {  // [DCQCN-RP-9]
  for (int cut = 0; cut < 50; ++cut) rp.on_cnp(settings, at(1_us * cut));
  EXPECT_EQ(rp.rates().current, 100_Mbps);
  rp.advance(settings, at(1_s));
  EXPECT_EQ(rp.rates().current, kLine);
  EXPECT_EQ(rp.rates().target, kLine);
}

TEST_F(ReactionPointTest, AFlowSlowerThanTheMinimumStaysAtItsOwnRate) {  // [DCQCN-RP-9]
  rp.open(settings, 10_Mbps);
  rp.on_cnp(settings, at(1_us));
  EXPECT_EQ(rp.rates().current, 10_Mbps);
}

TEST_F(ReactionPointTest, UnclampedCutsInARowKeepTheTarget) {  // [DCQCN-CLAMP-1]
  settings.clamp_target_rate = false;
  rp.on_cnp(settings, at(0_us));
  rp.on_cnp(settings, at(50_us));
  EXPECT_EQ(rp.rates().target, kLine);
  rp.on_cnp(settings, at(110_us));  // an increase at 105 us
  EXPECT_EQ(rp.rates().target, 62'500_Mbps);
}

TEST_F(ReactionPointTest, PacesByTheRate) {  // [DCQCN-RP-10]
  EXPECT_EQ(rp.next_send(settings, at(1_us), 1'000_B), at(1_us) + 80_ns);
  rp.on_cnp(settings, at(1_us));
  EXPECT_EQ(rp.next_send(settings, at(1_us), 1'000_B), at(1_us) + 160_ns);
}

TEST_F(ReactionPointTest, PacingCountsInTheIncreasesToCome) {  // [DCQCN-RP-10]
  for (int cut = 0; cut < 20; ++cut) rp.on_cnp(settings, at(0_us));
  ASSERT_EQ(rp.rates().current, 100_Mbps);  // target 100 Mbit/s too
  settings.additive_increase = 10_Gbps;
  settings.fast_recovery_steps = 0;
  // 1000 bytes take 80 us at 100 Mbit/s; from 55 us on the rate is 5.1 Gbit/s, at which they take 1.57 us.
  EXPECT_EQ(rp.next_send(settings, at(0_us), 1'000_B), at(55_us));
  EXPECT_EQ(rp.next_send(settings, at(54_us), 1'000_B), at(54_us) + time_to_send(1'000_B, 5'100_Mbps));
  EXPECT_EQ(rp.rates().current, 100_Mbps);
}

/// An event at a reaction point, and its delay after the previous one.
struct Event {
  Duration gap;
  int kind = 0;  // advance, notification, frame
};

Settings arbitrary_settings() {
  Settings settings = paper();
  settings.g = *rc::gen::element(0.25, 1.0 / 16, 1.0 / 256, 0.3);
  settings.alpha_timer = *rc::gen::element(55_us, 1_us, 7'300_ns);
  settings.increase_timer = *rc::gen::element(55_us, 300_us, 9'100_ns);
  settings.byte_counter = *rc::gen::element(10_MB, 30_KB, 0_B);
  settings.fast_recovery_steps = *rc::gen::inRange(0u, 7u);
  settings.additive_increase = *rc::gen::element(40_Mbps, 7_Gbps);
  settings.clamp_target_rate = *rc::gen::arbitrary<bool>();
  settings.initial_alpha = *rc::gen::element(1.0, 0.02, 0.0);
  return settings;
}

std::vector<Event> arbitrary_events() {
  return *rc::gen::container<std::vector<Event>>(rc::gen::build<Event>(
      rc::gen::set(&Event::gap, rc::gen::map(rc::gen::weightedOneOf<std::int64_t>(
                                                 {{3, rc::gen::inRange<std::int64_t>(0, 60'000'000)},
                                                  {1, rc::gen::inRange<std::int64_t>(0, 3'000'000'000)}}),
                                             [](std::int64_t count) { return Duration::picoseconds(count); })),
      rc::gen::set(&Event::kind, rc::gen::inRange(0, 3))));
}

void apply(ReactionPoint& rp, const Settings& settings, Time now, int kind) {
  if (kind == 0) rp.advance(settings, now);
  if (kind == 1) rp.on_cnp(settings, now);
  if (kind == 2) rp.on_sent(settings, now, 20_KB);
}

// Advancing at irregular times gives the same state, bit for bit, as advancing every microsecond.
RC_GTEST_PROP(ReactionPointProperty, LazyIsStepped, ()) {  // [DCQCN-RP-3] [DCQCN-RP-5]
  const Settings settings = arbitrary_settings();
  ReactionPoint lazy;
  ReactionPoint stepped;
  lazy.open(settings, kLine);
  stepped.open(settings, kLine);
  Time now;
  for (const Event& event : arbitrary_events()) {
    const Time then = now + event.gap;
    for (; now < then; now = std::min(then, now + 1_us)) stepped.advance(settings, now);
    apply(lazy, settings, now, event.kind);
    apply(stepped, settings, now, event.kind);
    RC_ASSERT(lazy == stepped);
    RC_ASSERT(lazy.rates().current <= lazy.rates().target);
    RC_ASSERT(lazy.rates().target <= kLine);
    RC_ASSERT(lazy.rates().current >= settings.minimum_rate);
  }
}

// The rule holds at next_send(), and does not hold just before it.
RC_GTEST_PROP(ReactionPointProperty, NextSendIsTheEarliest, ()) {  // [DCQCN-RP-10]
  const Settings settings = arbitrary_settings();
  ReactionPoint rp;
  rp.open(settings, kLine);
  Time now;
  for (const Event& event : arbitrary_events()) {
    now += event.gap;
    apply(rp, settings, now, event.kind);
    const Bytes bytes(*rc::gen::inRange(64, 9'000));
    const Time next = rp.next_send(settings, now, bytes);
    const auto allowed = [&](Time when) {
      ReactionPoint then = rp;
      then.advance(settings, when);
      return when >= now + time_to_send(bytes, then.rates().current);
    };
    RC_ASSERT(allowed(next));
    RC_ASSERT(!allowed(next - 1_ps));
  }
}

}  // namespace
}  // namespace weir::dcqcn::reaction_point_test
