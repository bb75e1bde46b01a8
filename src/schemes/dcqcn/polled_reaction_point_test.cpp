// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/polled_reaction_point.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace weir::dcqcn::polled_reaction_point_test {
namespace {

using namespace literals;

constexpr BitRate kLine = 100_Gbps;

/// The values that the simulator's runner sets at 100 Gbit/s, but with a weight whose powers are exact.
Settings simulator() {
  return {.g = 0.25,
          .alpha_timer = 1_us,
          .increase_timer = 300_us,
          .byte_counter = 0_B,
          .fast_recovery_steps = 1,
          .additive_increase = 20_Mbps,
          .hyper_increase = 200_Mbps,
          .minimum_rate = 1_Gbps,
          .clamp_target_rate = false,
          .decrease_interval = 4_us};
}

Time at(Duration since_start) {
  return Time() + since_start;
}

class PolledReactionPointTest : public testing::Test {
 protected:
  PolledReactionPointTest() { rp.open(settings, kLine); }
  BitRate rate_at(Duration since_start) {
    rp.advance(settings, at(since_start));
    return rp.rates().current;
  }

  Settings settings = simulator();
  PolledReactionPoint rp;
};

TEST_F(PolledReactionPointTest, TheFirstNotificationStartsTheTimersAndCutsNothing) {  // [DCQCN-SIM-2]
  rp.advance(settings, at(1_s));
  EXPECT_EQ(rp.rates().current, kLine);
  rp.on_congestion(settings, at(1_s));
  EXPECT_EQ(rp.rates().current, kLine);
  EXPECT_EQ(rp.alpha(), 1);
}

TEST_F(PolledReactionPointTest, AlphaIsUpdatedEveryMicrosecond) {  // [DCQCN-SIM-3]
  rp.on_congestion(settings, at(10_us));
  rp.advance(settings, at(11_us) - 1_ps);
  EXPECT_EQ(rp.alpha(), 1);
  rp.advance(settings, at(11_us));
  EXPECT_EQ(rp.alpha(), 0.75);  // the first notification itself does not count
  rp.on_congestion(settings, at(11'500_ns));
  rp.on_congestion(settings, at(11'600_ns));
  rp.advance(settings, at(12_us));
  EXPECT_EQ(rp.alpha(), 0.75 * 0.75 + 0.25);
  rp.advance(settings, at(13_us));
  EXPECT_EQ(rp.alpha(), 0.75 * (0.75 * 0.75 + 0.25));
}

TEST_F(PolledReactionPointTest, MayStartWithALesserAlpha) {  // [DCQCN-ALPHA-1]
  settings.initial_alpha = 0.125;
  settings.alpha_timer = 1_s;
  rp.open(settings, kLine);
  rp.advance(settings, at(10_s));
  EXPECT_EQ(rp.alpha(), 0.125);
  rp.on_congestion(settings, at(10_s));
  EXPECT_EQ(rate_at(10_s + 4_us), kLine);
  EXPECT_EQ(rate_at(10_s + 4_us + 1_ns), BitRate(93'750'000'000));
}

TEST_F(PolledReactionPointTest, TheFirstCutComesAtTheFirstCheck) {  // [DCQCN-SIM-4]
  rp.on_congestion(settings, at(10_us));
  EXPECT_EQ(rate_at(14_us + 1_ns - 1_ps), kLine);
  EXPECT_EQ(rate_at(14_us + 1_ns), BitRate(100'000'000'000 / 512 * 431));  // alpha = (3/4)^4
  EXPECT_EQ(rp.rates().target, kLine);
}

TEST_F(PolledReactionPointTest, ChecksWithoutANotificationCutNothing) {  // [DCQCN-SIM-4]
  rp.on_congestion(settings, at(10_us));
  const BitRate cut = rate_at(15_us);
  EXPECT_EQ(rate_at(200_us), cut);
  rp.on_congestion(settings, at(200_us));
  EXPECT_EQ(rate_at(202_us), cut);  // the checks are at 10 + 4 n us + 1 ns
  EXPECT_LT(rate_at(202_us + 1_ns), cut);
}

TEST_F(PolledReactionPointTest, ManyNotificationsCutOnce) {  // [DCQCN-SIM-4]
  rp.on_congestion(settings, at(0_us));
  rp.advance(settings, at(5_us));
  settings.g = 0x1.0p-16;  // alpha hardly changes
  const BitRate before = rp.rates().current;
  const double alpha = rp.alpha();
  for (int i = 0; i < 30; ++i) rp.on_congestion(settings, at(5_us + 100_ns * i));
  const double factor =
      static_cast<double>(rate_at(8_us + 1_ns).bits_per_second()) / static_cast<double>(before.bits_per_second());
  EXPECT_NEAR(factor, 1 - alpha / 2, 1e-3);
}

TEST_F(PolledReactionPointTest, RecoversOnceAddsOnceThenHyper) {  // [DCQCN-SIM-5]
  rp.on_congestion(settings, at(0_us));
  rp.advance(settings, at(300_us));
  rp.on_congestion(settings, at(305_us));  // after the increase at 304 us, this one lowers the target
  const BitRate cut = rate_at(308_us + 1_ns);
  const BitRate target = rp.rates().target;
  ASSERT_LT(target, 99_Gbps);
  const Duration start = 308_us + 1_ns;
  EXPECT_EQ(rate_at(start + 300_us - 1_ps), cut);
  EXPECT_EQ(rate_at(start + 300_us), cut + (target - cut + BitRate(1)) / 2);
  EXPECT_EQ(rp.rates().target, target);
  rp.advance(settings, at(start + 600_us));
  EXPECT_EQ(rp.rates().target, target + 20_Mbps);
  rp.advance(settings, at(start + 900_us));
  EXPECT_EQ(rp.rates().target, target + 220_Mbps);
  rp.advance(settings, at(start + 1200_us));
  EXPECT_EQ(rp.rates().target, target + 420_Mbps);
}

TEST_F(PolledReactionPointTest, ACutRestartsTheIncreaseTimer) {  // [DCQCN-SIM-5]
  rp.on_congestion(settings, at(0_us));
  rp.on_congestion(settings, at(100_us));
  const BitRate cut = rate_at(101_us);
  EXPECT_EQ(rate_at(400_us), cut);
  EXPECT_GT(rate_at(400_us + 1_ns), cut);
}

TEST_F(PolledReactionPointTest, AnIncreaseAtTheInstantOfACheckComesFirst) {  // [DCQCN-SIM-6]
  rp.on_congestion(settings, at(0_us));  // cut at 4 us + 1 ns; increase and check both due at 304 us + 1 ns
  const BitRate cut = rate_at(5_us);
  rp.on_congestion(settings, at(301_us));
  rp.advance(settings, at(304_us + 1_ns));
  // The target is therefore the raised rate, and not the line rate that it was before.
  EXPECT_EQ(rp.rates().target, cut + (kLine - cut + BitRate(1)) / 2);
}

TEST_F(PolledReactionPointTest, UnclampedCutsInARowKeepTheTarget) {  // [DCQCN-CLAMP-1]
  rp.on_congestion(settings, at(0_us));
  rp.on_congestion(settings, at(6_us));
  const BitRate cut = rate_at(8_us + 1_ns);
  EXPECT_EQ(rp.rates().target, kLine);
  settings.clamp_target_rate = true;
  rp.on_congestion(settings, at(10_us));
  rp.advance(settings, at(13_us));
  EXPECT_EQ(rp.rates().target, cut);
}

TEST_F(PolledReactionPointTest, ARateChangeDoesNotMoveTheNextSend) {  // [DCQCN-SIM-7]
  rp.on_sent(settings, at(3_us));
  rp.on_congestion(settings, at(0_us));
  rp.advance(settings, at(5_us));
  EXPECT_EQ(rp.next_send(at(3_us), 1'000_B), at(3_us) + 80_ns);
  rp.on_sent(settings, at(5_us));
  EXPECT_EQ(rp.next_send(at(5_us), 1'000_B), at(5_us) + time_to_send(1'000_B, rp.rates().current));
}

/// Reference model: the same rules with an event for everything, ordered by time and then by the order of scheduling.
/// The lazy state must agree with it.
class Stepped {
 public:
  explicit Stepped(const Settings& settings) : alpha(settings.initial_alpha), settings_(settings) {}

  void congestion(Time now) {
    run_until(now);
    marked_ = decrease_ = true;
    if (started_) return;
    started_ = true;
    marked_ = false;
    schedule(now + settings_.alpha_timer, [this] { alpha_tick(); });
    schedule(now + settings_.decrease_interval + 1_ns, [this] { check(); });
  }
  void run_until(Time until) {
    while (!events_.empty() && events_.begin()->first.first <= until) {
      now_ = events_.begin()->first.first;
      const auto event = std::move(events_.begin()->second);
      events_.erase(events_.begin());
      event();
    }
  }

  Rates rates{kLine, kLine, kLine};
  double alpha;

 private:
  using Key = std::pair<Time, std::uint64_t>;

  Key schedule(Time when, std::function<void()> event) {
    const Key key{when, ++scheduled_};
    events_.emplace(key, std::move(event));
    return key;
  }
  void alpha_tick() {
    alpha *= 1 - settings_.g;
    if (marked_) alpha += settings_.g;
    if (alpha < kNegligibleAlpha) alpha = 0;
    marked_ = false;
    schedule(now_ + settings_.alpha_timer, [this] { alpha_tick(); });
  }
  void check() {
    schedule(now_ + settings_.decrease_interval, [this] { check(); });
    if (!decrease_) return;
    decrease_ = false;
    if (settings_.clamp_target_rate || steps_ != 0) rates.target = rates.current;
    rates.cut(alpha, settings_.minimum_rate);
    steps_ = 0;
    events_.erase(increase_);
    increase_ = schedule(now_ + settings_.increase_timer, [this] { increase(); });
  }
  void increase() {
    increase_ = schedule(now_ + settings_.increase_timer, [this] { increase(); });
    if (steps_ < settings_.fast_recovery_steps) {
      rates.raise(BitRate());
    } else if (steps_ == settings_.fast_recovery_steps) {
      rates.raise(settings_.additive_increase);
    } else {
      rates.raise(settings_.hyper_increase);
    }
    ++steps_;
  }

  Settings settings_;
  std::map<Key, std::function<void()>> events_;
  std::uint64_t scheduled_ = 0;
  Key increase_{Time::never(), 0};
  Time now_;
  std::uint32_t steps_ = 0;
  bool started_ = false;
  bool marked_ = false;
  bool decrease_ = false;
};

// [DCQCN-SIM-3] [DCQCN-SIM-4] [DCQCN-SIM-5] [DCQCN-SIM-6]
RC_GTEST_PROP(PolledReactionPointProperty, LazyIsStepped, ()) {
  Settings settings = simulator();
  settings.g = *rc::gen::element(0.25, 1.0 / 16, 1.0 / 256);
  settings.fast_recovery_steps = *rc::gen::inRange(0u, 4u);
  settings.additive_increase = *rc::gen::element(20_Mbps, 5_Gbps);
  settings.clamp_target_rate = *rc::gen::arbitrary<bool>();
  settings.increase_timer = *rc::gen::element(300_us, 900_us, 12_us, 55_us);
  settings.initial_alpha = *rc::gen::element(1.0, 0.02, 0.0);
  PolledReactionPoint looked;  // advanced only when a notification arrives
  PolledReactionPoint watched;
  looked.open(settings, kLine);
  watched.open(settings, kLine);
  Stepped stepped(settings);
  Time now;
  const auto gaps = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::weightedOneOf<std::int64_t>(
      {{3, rc::gen::inRange<std::int64_t>(0, 9'000'000)}, {1, rc::gen::inRange<std::int64_t>(0, 4'000'000'000)}}));
  for (const std::int64_t gap : gaps) {
    const Time then = now + Duration::picoseconds(gap);
    for (; now < then; now = std::min(then, now + 700_ns)) watched.advance(settings, now);
    looked.on_congestion(settings, now);
    watched.on_congestion(settings, now);
    stepped.congestion(now);
    RC_ASSERT(looked == watched);
    RC_ASSERT(looked.rates() == stepped.rates);
    RC_ASSERT(looked.alpha() == stepped.alpha);
  }
  now += 1_ms;
  looked.advance(settings, now);
  stepped.run_until(now);
  RC_ASSERT(looked.rates() == stepped.rates);
  RC_ASSERT(looked.alpha() == stepped.alpha);
}

}  // namespace
}  // namespace weir::dcqcn::polled_reaction_point_test
