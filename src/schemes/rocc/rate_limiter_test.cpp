// SPDX-License-Identifier: Apache-2.0
#include "schemes/rocc/rate_limiter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weir::rocc::rate_limiter_test {
namespace {

using namespace literals;

constexpr BitRate kLine(40'000'000'000);
constexpr Duration kInterval = Duration::picoseconds(200'000'000);

Time at(Duration after) {
  return Time() + after;
}

class RateLimiterTest : public testing::Test {
 protected:
  RateLimiterTest() { limiter.open(kLine); }
  bool hear(Duration when, std::uint32_t point, BitRate rate) {
    return limiter.on_feedback(kInterval, at(when), point, rate);
  }
  RateLimiter limiter;
};

TEST_F(RateLimiterTest, ThereIsNoneBeforeTheFirstCnp) {  // [ROCC-RP-1]
  EXPECT_FALSE(limiter.installed());
  EXPECT_EQ(limiter.rate(), kLine);
  limiter.advance(kInterval, at(1_s));
  EXPECT_EQ(limiter.rate(), kLine);
  EXPECT_EQ(limiter.next_send(kInterval, at(1_us), 1'000_B), at(1_us) + 200_ns);
}

TEST_F(RateLimiterTest, TheFirstCnpInstallsIt) {  // [ROCC-RP-1] [ROCC-RP-3]
  EXPECT_TRUE(hear(0_us, 1, 4_Gbps));
  EXPECT_TRUE(limiter.installed());
  EXPECT_EQ(limiter.rate(), 4_Gbps);
}

TEST_F(RateLimiterTest, TakesALowerRateFromAnyPoint) {  // [ROCC-RP-2]
  hear(0_us, 1, 4_Gbps);
  EXPECT_TRUE(hear(10_us, 2, 3_Gbps));
  EXPECT_EQ(limiter.rate(), 3_Gbps);
  EXPECT_TRUE(hear(20_us, 3, 3_Gbps));   // not above
  EXPECT_FALSE(hear(30_us, 2, 4_Gbps));  // no longer the current one
}

TEST_F(RateLimiterTest, TakesAHigherRateFromItsPointOnly) {  // [ROCC-RP-2]
  hear(0_us, 1, 4_Gbps);
  EXPECT_FALSE(hear(10_us, 2, 5_Gbps));
  EXPECT_EQ(limiter.rate(), 4_Gbps);
  EXPECT_TRUE(hear(20_us, 1, 5_Gbps));
  EXPECT_EQ(limiter.rate(), 5_Gbps);
}

TEST_F(RateLimiterTest, WithoutALimiterThereIsNoCurrentPoint) {  // [ROCC-RP-2]
  limiter.open(10_Gbps);
  EXPECT_FALSE(hear(0_us, 0, 20_Gbps));
  EXPECT_FALSE(limiter.installed());
}

TEST_F(RateLimiterTest, DoublesWithoutCnps) {  // [ROCC-RP-4]
  hear(0_us, 1, 4_Gbps);
  limiter.advance(kInterval, at(kInterval - 1_ps));
  EXPECT_EQ(limiter.rate(), 4_Gbps);
  limiter.advance(kInterval, at(kInterval));
  EXPECT_EQ(limiter.rate(), 8_Gbps);
  limiter.advance(kInterval, at(kInterval * 3));
  EXPECT_EQ(limiter.rate(), 32_Gbps);
}

TEST_F(RateLimiterTest, AnAcceptedCnpRestartsTheTimer) {  // [ROCC-RP-3] [ROCC-RP-4]
  hear(0_us, 1, 4_Gbps);
  hear(150_us, 1, 4_Gbps);
  limiter.advance(kInterval, at(349_us));
  EXPECT_EQ(limiter.rate(), 4_Gbps);
  EXPECT_FALSE(hear(349_us, 2, 5_Gbps));  // not accepted
  limiter.advance(kInterval, at(350_us));
  EXPECT_EQ(limiter.rate(), 8_Gbps);
}

TEST_F(RateLimiterTest, GoesAtLineRate) {  // [ROCC-RP-5]
  hear(0_us, 1, 4_Gbps);
  limiter.advance(kInterval, at(kInterval * 4));
  EXPECT_EQ(limiter.rate(), kLine);  // not 64 Gbit/s
  EXPECT_FALSE(limiter.installed());
  hear(2_ms, 1, 4_Gbps);
  EXPECT_TRUE(hear(2'010_us, 1, 50_Gbps));
  EXPECT_FALSE(limiter.installed());
  EXPECT_EQ(limiter.rate(), kLine);
}

TEST_F(RateLimiterTest, PacingCountsInTheRecovery) {  // [ROCC-RP-6]
  hear(0_us, 1, 10_Mbps);
  // 1000 bytes take 800 us at 10 Mbit/s and 400 us at 20; from 400 us on, at 40, they would take 200.
  EXPECT_EQ(limiter.next_send(kInterval, at(0_us), 1'000_B), at(400_us));
  EXPECT_EQ(limiter.next_send(kInterval, at(150_us), 1'000_B), at(400_us));
  EXPECT_EQ(limiter.rate(), 10_Mbps);
}

/// A CNP, or only a call of advance(), and its delay after the previous one.
struct Event {
  std::int64_t gap = 0;
  int point = 0;  // 0: advance() only
  std::int64_t rate = 0;
};

std::vector<Event> arbitrary_events() {
  return *rc::gen::container<std::vector<Event>>(
      rc::gen::build<Event>(rc::gen::set(&Event::gap, rc::gen::inRange<std::int64_t>(0, 500'000'000)),
                            rc::gen::set(&Event::point, rc::gen::inRange(0, 3)),
                            rc::gen::set(&Event::rate, rc::gen::inRange<std::int64_t>(1, 45'000))));
}

// Advancing at irregular times gives the same state as advancing every microsecond.
RC_GTEST_PROP(RateLimiterProperty, LazyIsStepped, ()) {  // [ROCC-RP-4]
  RateLimiter lazy;
  RateLimiter stepped;
  lazy.open(kLine);
  stepped.open(kLine);
  Time now;
  for (const Event& event : arbitrary_events()) {
    const Time then = now + Duration::picoseconds(event.gap);
    for (; now < then; now = std::min(then, now + 1_us)) stepped.advance(kInterval, now);
    for (RateLimiter* each : {&lazy, &stepped}) {
      if (event.point == 0) each->advance(kInterval, now);
      if (event.point != 0) {
        each->on_feedback(kInterval, now, static_cast<std::uint32_t>(event.point), 1_Mbps * event.rate);
      }
    }
    RC_ASSERT(lazy == stepped);
    RC_ASSERT(lazy.rate() <= kLine);
    RC_ASSERT(lazy.rate() > BitRate());
  }
}

// The rule holds at next_send(), and does not hold just before it.
RC_GTEST_PROP(RateLimiterProperty, NextSendIsTheEarliest, ()) {  // [ROCC-RP-6]
  RateLimiter limiter;
  limiter.open(kLine);
  Time now;
  for (const Event& event : arbitrary_events()) {
    now += Duration::picoseconds(event.gap);
    limiter.on_feedback(kInterval, now, static_cast<std::uint32_t>(event.point), 1_Mbps * event.rate);
    const Bytes bytes(*rc::gen::inRange(64, 9'000));
    const Time next = limiter.next_send(kInterval, now, bytes);
    const auto allowed = [&](Time when) {
      RateLimiter then = limiter;
      then.advance(kInterval, when);
      return when >= now + time_to_send(bytes, then.rate());
    };
    RC_ASSERT(allowed(next));
    RC_ASSERT(!allowed(next - 1_ps));
  }
}

}  // namespace
}  // namespace weir::rocc::rate_limiter_test
