// SPDX-License-Identifier: Apache-2.0
// The sender half: the retransmission timer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_timer_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(NicTimer, FiresWhenNothingProgresses) {
  TestNic host;
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(10_us - 1_ps));
  EXPECT_THAT(host.recovery->timeouts, IsEmpty());
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1));
  host.run_until(at_time(11_us));
  EXPECT_THAT(host.recovery->timeouts, ElementsAre(at_time(10_us)));  // since the first packet
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1));
  EXPECT_EQ(host.congestion->losses, 1);
  host.run_until(at_time(21_us));
  EXPECT_THAT(host.recovery->timeouts, SizeIs(2));
  host.acknowledge(number, 2);
  host.run_until(at_time(1_ms));
  EXPECT_THAT(host.recovery->timeouts, SizeIs(2));
}

TEST(NicTimer, StartsAgainWithProgress) {
  TestNic host;
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open();
  host.post_packets(number, 3);
  for (std::uint32_t next = 1; next < 3; ++next) {
    host.run_until(at_time(static_cast<std::int64_t>(next) * 8_us));
    host.acknowledge(number, next);
  }
  host.run_until(at_time(26_us - 1_ps));
  EXPECT_THAT(host.recovery->timeouts, IsEmpty());
  host.sent.clear();
  host.run_until(at_time(26_us));
  EXPECT_THAT(host.recovery->timeouts, ElementsAre(at_time(26_us)));
  EXPECT_THAT(host.sequences(), ElementsAre(2));
}

TEST(NicTimer, RestsWhenNothingIsInFlight) {
  TestNic host;
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open();
  host.post_packets(number, 1);
  host.run_until(at_time(1_us));
  host.acknowledge(number, 1);
  host.run_until(at_time(100_us));
  host.post_packets(number, 1);
  host.run_until(at_time(110_us - 1_ps));
  EXPECT_THAT(host.recovery->timeouts, IsEmpty());
  host.run_until(at_time(110_us));
  EXPECT_THAT(host.recovery->timeouts, ElementsAre(at_time(110_us)));
}

/// When called at expiry, a policy may return a longer timeout because more is in flight now.
TEST(NicTimer, RunsOnWhenMoreIsInFlightThanAtItsStart) {
  TestNic host;
  host.recovery->timer_of = [](const SendState& sender) { return sender.packets_in_flight() > 1 ? 30_us : 10_us; };
  host.post_packets(host.open(), 2);
  host.run_until(at_time(30_us - 1_ps));
  EXPECT_THAT(host.recovery->timeouts, IsEmpty());
  EXPECT_EQ(host.congestion->losses, 0);
  host.run_until(at_time(30_us));
  EXPECT_THAT(host.recovery->timeouts, ElementsAre(at_time(30_us)));
}

TEST(NicTimer, StartsAgainWithANackWhenThePolicySaysSo) {
  for (const bool restarts : {false, true}) {
    TestNic host;
    host.recovery->timer = 10_us;
    host.recovery->restarts_on_nack = restarts;
    const QueuePairId number = host.open();
    host.post_packets(number, 3);
    host.run_until(at_time(8_us));
    host.receive(FrameKind::nack, number, 0);
    host.run_until(at_time(18_us - 1_ps));
    EXPECT_THAT(host.recovery->timeouts, SizeIs(restarts ? 0 : 1));
    host.run_until(at_time(18_us));
    EXPECT_THAT(host.recovery->timeouts, SizeIs(1));
  }
}

TEST(NicTimer, EndsWhenThePolicyWantsNoneAnyMore) {
  TestNic host;
  host.recovery->timer = 10_us;
  host.recovery->after_timeout = [&] { host.recovery->timer = Duration::max(); };
  host.post_packets(host.open(), 1);
  host.run_until(at_time(1_ms));
  EXPECT_THAT(host.recovery->timeouts, SizeIs(1));
  EXPECT_EQ(host.sequences().size(), 2u);
}

}  // namespace
}  // namespace weir::testing_nic::nic_timer_test
