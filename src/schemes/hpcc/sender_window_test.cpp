// SPDX-License-Identifier: Apache-2.0
#include "schemes/hpcc/sender_window.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace weir::hpcc::sender_window_test {
namespace {

using namespace literals;

constexpr BitRate kLine = BitRate(100'000'000'000);
constexpr Duration kRoundTrip = Duration::picoseconds(8'000'000);
constexpr double kStart = 100'000;  // bytes in 8 us at 100 Gbit/s
constexpr double kIncrease = 50;    // 50 Mbit/s over 8 us

Settings paper() {
  return {.eta = 0.95,
          .max_stage = 5,
          .additive_increase = 50_Mbps,
          .minimum_rate = 100_Mbps,
          .round_trip = kRoundTrip,
          .per_ack = true};
}

class SenderWindowTest : public testing::Test {
 protected:
  SenderWindowTest() { window.open(settings, kLine, kRoundTrip); }

  /// A link of 100 Gbit/s that has sent `sent` bytes by `time` and has `queue` bytes queued.
  static LinkRecord link(Duration time, std::int64_t sent, std::int64_t queue = 0) {
    return LinkRecord::of(Time() + time, kLine, queue, sent);
  }
  /// An acknowledgement with the records of these links arrives.
  bool ack(const std::vector<LinkRecord>& links, std::int64_t acknowledged, std::int64_t next, std::uint32_t node = 1) {
    std::array<std::byte, FramePool::kShortExtension> block{};
    Telemetry telemetry(block);
    for (const LinkRecord& record : links) telemetry.add(SwitchId(node++), record);
    return window.on_ack(settings, telemetry, acknowledged, next);
  }

  Settings settings = paper();
  SenderWindow window;
};

TEST_F(SenderWindowTest, StartsWithWhatTheLineCarriesInARoundTrip) {  // [HPCC-W-1]
  EXPECT_DOUBLE_EQ(window.window(), kStart);
  EXPECT_EQ(window.rate(), kLine);
}

TEST_F(SenderWindowTest, TheHeadroomOfNFlowsIsWhatTheyAdd) {  // [HPCC-W-6]
  settings.concurrent_flows = 10;
  for (const std::int64_t gigabits : {100, 40}) {
    window = SenderWindow();
    window.open(settings, BitRate(gigabits * 1'000'000'000), kRoundTrip);
    ack({link(0_us, 0, 90'000)}, 1'000, 100'000);
    ack({link(8_us, 100'000, 90'000)}, 2'000, 100'000);  // a load of 1.9: twice eta
    const double start = kStart * static_cast<double>(gigabits) / 100;
    EXPECT_NEAR(window.window(), start / 2 + start * 0.05 / 10, 1e-6);
  }
}

TEST_F(SenderWindowTest, TheFirstAcknowledgementIsOnlyRemembered) {  // [HPCC-INT-3]
  EXPECT_FALSE(ack({link(1_us, 0, 500'000)}, 1'000, 50'000));
  EXPECT_DOUBLE_EQ(window.window(), kStart);
}

TEST_F(SenderWindowTest, MeasuresWhatIsSentAndWhatIsQueued) {  // [HPCC-U-1]
  ack({link(0_us, 0, 30'000)}, 1'000, 100'000);
  // An interval of one round trip has full weight: 60 % of the link sent, and 30 % of a bandwidth-delay product queued.
  EXPECT_TRUE(ack({link(8_us, 60'000, 30'000)}, 2'000, 100'000));
  EXPECT_NEAR(window.utilisation(), 0.9, 1e-12);
}

TEST_F(SenderWindowTest, CountsTheLesserOfTwoQueues) {  // [HPCC-U-2]
  ack({link(0_us, 0, 80'000)}, 1'000, 100'000);
  ack({link(8_us, 50'000, 10'000)}, 2'000, 100'000);
  EXPECT_NEAR(window.utilisation(), 0.6, 1e-12);
  ack({link(16_us, 100'000, 90'000)}, 3'000, 100'000);
  EXPECT_NEAR(window.utilisation(), 0.6, 1e-12);
}

TEST_F(SenderWindowTest, TheBusiestLinkCounts) {  // [HPCC-U-1]
  ack({link(0_us, 0), link(0_us, 5'000), link(1_us, 0)}, 1'000, 100'000);
  ack({link(8_us, 40'000), link(8_us, 85'000), link(9_us, 10'000)}, 2'000, 100'000);
  EXPECT_NEAR(window.utilisation(), 0.8, 1e-12);
}

TEST_F(SenderWindowTest, WeighsByThePartOfARoundTrip) {  // [HPCC-U-3]
  ack({link(0_us, 0)}, 1'000, 100'000);
  ack({link(2_us, 0)}, 2'000, 100'000);  // a quarter of a round trip without load, from U = 1
  EXPECT_NEAR(window.utilisation(), 0.75, 1e-12);
  ack({link(2'080_ns, 500)}, 2'500, 100'000);  // integer division would lose such a small part
  EXPECT_NEAR(window.utilisation(), 0.99 * 0.75 + 0.01 * 0.5, 1e-12);
  ack({link(90_us, 500)}, 3'000, 100'000);  // intervals longer than a round trip count as one
  EXPECT_NEAR(window.utilisation(), 0, 1e-12);
}

TEST_F(SenderWindowTest, AnOverloadedLinkDividesTheWindow) {  // [HPCC-W-2]
  ack({link(0_us, 0, 90'000)}, 1'000, 100'000);
  ack({link(8_us, 100'000, 90'000)}, 101'000, 200'000);  // U = 1.9
  EXPECT_NEAR(window.window(), kStart * 0.95 / 1.9 + kIncrease, 1e-9);
  EXPECT_NEAR(window.reference(), window.window(), 0);
  EXPECT_EQ(window.stage(), 0u);
}

/// Acknowledgements one round trip apart, for a link with utilisation `part`.
class SenderWindowRounds : public SenderWindowTest {
 protected:
  void round(double part) {
    now += kRoundTrip;
    sent += static_cast<std::int64_t>(part * 100'000);
    acknowledged += 100'000;
    ack({link(now, sent)}, acknowledged, acknowledged + 99'000);
  }
  Duration now;
  std::int64_t sent = 0;
  std::int64_t acknowledged = 0;
};

TEST_F(SenderWindowRounds, AFreeLinkAddsAndAfterFiveStagesMultiplies) {  // [HPCC-W-2] [HPCC-W-3]
  round(0);
  round(1.9);  // down to half
  double expected = kStart * 0.95 / 1.9 + kIncrease;
  for (std::uint32_t stage = 1; stage <= 5; ++stage) {
    round(0.5);
    expected += kIncrease;
    EXPECT_NEAR(window.window(), expected, 1e-6);
    EXPECT_EQ(window.stage(), stage);
  }
  round(0.76);
  EXPECT_NEAR(window.window(), expected / 0.8 + kIncrease, 1e-6);
  EXPECT_EQ(window.stage(), 0u);
}

TEST_F(SenderWindowRounds, AtTheTargetTheWindowStays) {  // [HPCC-W-2]
  settings.additive_increase = 0_bps;
  window.open(settings, kLine, kRoundTrip);
  round(0);
  round(1.9);
  const double reached = window.window();
  for (int i = 0; i < 20; ++i) round(0.95);
  EXPECT_NEAR(window.window(), reached, 1e-6 * reached);
}

TEST_F(SenderWindowTest, AcknowledgementsOfOneRoundTripStartFromOneReference) {  // [HPCC-W-4]
  ack({link(0_us, 0, 90'000)}, 1'000, 100'000);
  ack({link(8_us, 100'000, 90'000)}, 100'000, 150'000);  // still from the first round trip
  const double once = window.window();
  EXPECT_NEAR(once, kStart / 2 + kIncrease, 1e-6);
  EXPECT_DOUBLE_EQ(window.reference(), kStart);
  ack({link(16_us, 200'000, 90'000)}, 100'000, 150'000);
  EXPECT_NEAR(window.window(), once, 1e-6);  // not halved again
  ack({link(24_us, 300'000, 90'000)}, 101'000, 200'000);
  EXPECT_DOUBLE_EQ(window.reference(), window.window());
  ack({link(32_us, 400'000, 90'000)}, 102'000, 200'000);
  EXPECT_NEAR(window.window(), once / 2 + kIncrease, 50);
}

TEST_F(SenderWindowTest, MayReactToOneAcknowledgementARoundTripOnly) {  // [HPCC-W-4]
  settings.per_ack = false;
  ack({link(0_us, 0, 90'000)}, 1'000, 100'000);
  EXPECT_FALSE(ack({link(8_us, 100'000, 90'000)}, 100'000, 150'000));
  EXPECT_DOUBLE_EQ(window.window(), kStart);
  EXPECT_TRUE(ack({link(16_us, 200'000, 90'000)}, 100'001, 150'000));
  EXPECT_NEAR(window.window(), kStart / 2 + kIncrease, 1e-6);
}

TEST_F(SenderWindowRounds, StaysBetweenItsLimits) {  // [HPCC-W-5]
  round(0);
  for (int i = 0; i < 20; ++i) round(0);
  EXPECT_DOUBLE_EQ(window.window(), kStart);
  for (int i = 0; i < 40; ++i) round(40);
  EXPECT_NEAR(window.window(), 100, 60);  // 100 Mbit/s over 8 us, plus the increase
  EXPECT_GE(window.window(), 100);
  settings.minimum_rate = 300_Gbps;
  window.open(settings, kLine, kRoundTrip);
  EXPECT_EQ(window.rate(), kLine);
}

TEST_F(SenderWindowTest, AnotherPathIsLearnedAnew) {  // [HPCC-INT-3]
  ack({link(0_us, 0)}, 1'000, 100'000, 1);
  EXPECT_FALSE(ack({link(8_us, 99'000)}, 2'000, 100'000, 2));
  EXPECT_FALSE(ack({link(9_us, 99'000), link(9_us, 0)}, 3'000, 100'000, 2));
  EXPECT_DOUBLE_EQ(window.utilisation(), 1);
  EXPECT_TRUE(ack({link(17_us, 99'000), link(17_us, 50'000)}, 4'000, 100'000, 2));
  EXPECT_NEAR(window.utilisation(), 0.5, 1e-12);
}

TEST_F(SenderWindowTest, CountersMayWrap) {  // [HPCC-U-1]
  const std::int64_t wrap_time = std::int64_t{1} << LinkRecord::kTimeBits;
  const std::int64_t wrap_sent = std::int64_t{1} << LinkRecord::kSentBits;
  ack({link(Duration::picoseconds(wrap_time) - 2_us, wrap_sent - 10'000)}, 1'000, 100'000);
  ack({link(Duration::picoseconds(wrap_time) + 6_us, wrap_sent + 40'000)}, 2'000, 100'000);
  EXPECT_NEAR(window.utilisation(), 0.5, 1e-12);
}

// Of two records more than half the counter's range apart, the later one appears earlier.
TEST_F(SenderWindowTest, MeasuresAgainAfterALongPause) {  // [HPCC-INT-4]
  const Duration half = Duration::picoseconds(std::int64_t{1} << (LinkRecord::kTimeBits - 1));
  const Duration later = half + 1_s;
  ack({link(1_us, 0)}, 1'000, 100'000);
  EXPECT_FALSE(ack({link(later, 500'000)}, 101'000, 200'000));  // the first of a round: the new starting point
  EXPECT_TRUE(ack({link(later + 8_us, 550'000)}, 102'000, 200'000));
  EXPECT_NEAR(window.utilisation(), 0.5, 1e-12);
  EXPECT_FALSE(ack({link(later + 4_us, 525'000)}, 103'000, 200'000));  // overtaken on the path, and not stored
  EXPECT_TRUE(ack({link(later + 16_us, 600'000)}, 104'000, 200'000));
  EXPECT_NEAR(window.utilisation(), 0.5, 1e-12);
}

TEST_F(SenderWindowTest, RecordsThatSayNothingAreNotBelieved) {  // [HPCC-INT-4]
  EXPECT_FALSE(ack({}, 1'000, 100'000));
  ack({link(8_us, 0)}, 2'000, 100'000);
  EXPECT_FALSE(ack({link(8_us, 1'000)}, 3'000, 100'000));                                 // no time has passed
  EXPECT_FALSE(ack({link(7_us, 1'000)}, 3'000, 100'000));                                 // time has gone back
  EXPECT_FALSE(ack({LinkRecord::of(Time() + 16_us, BitRate(1), 0, 5)}, 3'000, 100'000));  // a link without a rate
  EXPECT_DOUBLE_EQ(window.window(), kStart);
  EXPECT_TRUE(ack({link(16_us, 50'000)}, 4'000, 100'000));  // rejected records are not stored
  EXPECT_NEAR(window.utilisation(), 0.5, 1e-12);
}

TEST(Telemetry, HoldsWhatIsPutIn) {  // [HPCC-INT-1]
  std::array<std::byte, FramePool::kShortExtension> block{};
  Telemetry telemetry(block);
  std::vector<LinkRecord> records;
  for (std::uint32_t i = 0; i < Telemetry::kMostLinks; ++i) {
    records.push_back(LinkRecord::of(Time() + 1_ms * (i + 1), 400_Gbps, 1'000'000 * i, 123'456'789'012 + i));
    telemetry.add(SwitchId(i), records.back());
  }
  ASSERT_EQ(telemetry.links(), Telemetry::kMostLinks);
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(telemetry.link(i), records[i]) << i;
  const auto before = block;
  telemetry.add(SwitchId(9), records.front());  // [HPCC-INT-4] no room
  EXPECT_EQ(block, before);
  block[0] = std::byte{255};
  EXPECT_EQ(telemetry.links(), Telemetry::kMostLinks);
}

TEST(Telemetry, TellsTheRateOfAnyLink) {  // [HPCC-INT-1]
  for (const BitRate rate : {1_Mbps, 10_Gbps, 400_Gbps, 524'287_Mbps, 800_Gbps, 1'600_Gbps, 51'200_Gbps}) {
    std::array<std::byte, FramePool::kShortExtension> block{};
    Telemetry telemetry(block);
    const LinkRecord record = LinkRecord::of(Time() + 3_us, rate, 1'000, 2'000);
    EXPECT_EQ(record.rate * 1'000'000, static_cast<std::uint64_t>(rate.bits_per_second()));
    telemetry.add(SwitchId(1), record);
    EXPECT_EQ(telemetry.link(0), record) << rate.gigabits_per_second();
  }
  // Above 524 Gbit/s the unit is Gbit/s; links faster than the largest code are represented by it.
  EXPECT_EQ(LinkRecord::of(Time(), 1'600'700_Mbps, 0, 0).rate, 1'600'000u);
  EXPECT_EQ(LinkRecord::of(Time(), 2'000'000_Gbps, 0, 0).rate, 524'287'000u);
}

TEST(Telemetry, SaysNoMoreOfAQueueThanItCan) {  // [HPCC-INT-1]
  EXPECT_EQ(LinkRecord::of(Time(), kLine, std::int64_t{1} << 40, 0).queue, LinkRecord::mask(LinkRecord::kQueueBits));
  EXPECT_EQ(LinkRecord::of(Time(), kLine, -5, 0).queue, 0u);
}

// For any input from the wire, the sender's window stays usable.
RC_GTEST_PROP(SenderWindowProperty, AnyTelemetryLeavesAUsableWindow, ()) {  // [HPCC-INT-4] [HPCC-W-5]
  const Settings settings = paper();
  SenderWindow window;
  window.open(settings, kLine, kRoundTrip);
  std::int64_t acknowledged = 0;
  for (int i = 0; i < 30; ++i) {
    auto block = *rc::gen::container<std::array<std::byte, FramePool::kShortExtension>>(
        rc::gen::map(rc::gen::arbitrary<std::uint8_t>(), [](std::uint8_t byte) { return std::byte{byte}; }));
    block[0] = std::byte{2};
    block[2] = block[3] = std::byte{0};
    acknowledged += *rc::gen::inRange(0, 100'000);
    window.on_ack(settings, Telemetry(block), acknowledged, acknowledged + 50'000);
    RC_ASSERT(window.window() >= 100);
    RC_ASSERT(window.window() <= kStart);
    RC_ASSERT(window.utilisation() >= 0);
  }
}

}  // namespace
}  // namespace weir::hpcc::sender_window_test
