// SPDX-License-Identifier: Apache-2.0
// The sender half: when the next packet may be sent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_pacing_test {
namespace {

using namespace literals;
using testing::ElementsAre;

TEST(NicPacing, SpacesPacketsByTheirWireTimeAtTheRate) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 10_Gbps; };
  host.post(host.open(), 2'500);
  host.run_until(at_time(10_us));
  // 1,086 bytes at 10 Gbit/s; the short packet is the last.
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(868'800_ps), at_time(2 * 868'800_ps)));
}

TEST(NicPacing, KeepsBelowAFlowsOwnLimit) {
  TestNic host;
  OpenSender spec = sending();
  spec.rate_limit = 50_Gbps;
  const QueuePairId number = host.open(spec);
  EXPECT_EQ(host.sender(number).line_rate, 50_Gbps);
  EXPECT_EQ(host.sender(number).rate, 50_Gbps);
  host.post_packets(number, 3);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(2 * kPacketTime), at_time(4 * kPacketTime)));
}

TEST(NicPacing, AHigherRateBringsTheNextPacketForward) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_Gbps; };
  host.congestion->cnp = [](SendState& sender) { sender.rate = 10_Gbps; };
  const QueuePairId number = host.open();
  host.post_packets(number, 3);
  host.run_until(at_time(500_ns));  // the next packet would be sent at 8,688 ns
  host.receive(FrameKind::cnp, number);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(868'800_ps), at_time(2 * 868'800_ps)));
}

TEST(NicPacing, AHigherRateMayMakeItDueAtOnce) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_Gbps; };
  host.congestion->cnp = [](SendState& sender) { sender.rate = 10_Gbps; };
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(2_us));
  host.receive(FrameKind::cnp, number);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(2_us)));
}

TEST(NicPacing, ALowerRatePutsTheNextPacketOff) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 10_Gbps; };
  host.congestion->cnp = [](SendState& sender) { sender.rate = 5_Gbps; };
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(500_ns));
  host.receive(FrameKind::cnp, number);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(2 * 868'800_ps)));
}

TEST(NicPacing, FollowsWhatATimerSets) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_Gbps; };
  host.congestion->sender_time = [](SendState& sender) { sender.rate = 10_Gbps; };
  const QueuePairId number = host.open();
  host.act().arm(*host.nic->sender(number), at_time(3_us));
  host.post_packets(number, 2);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.congestion->timers, ElementsAre(std::pair(number, at_time(3_us))));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(3_us)));
}

TEST(NicPacing, AsksTheCongestionControlWhenItWants) {
  TestNic host;
  const NicConfig config = config_of();
  NicPolicies policies;
  auto congestion = std::make_unique<TestCongestion>();
  congestion->wanted.next_send = true;
  congestion->gap = 300_ns;
  policies.congestion_control = std::move(congestion);
  policies.loss_recovery = std::make_unique<TestRecovery>();
  host.nic = std::make_unique<Nic>(host.pool, config, std::move(policies));
  host.post_packets(host.open(), 3);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(300_ns), at_time(600_ns)));
}

// As driven by a poll loop: every 200 ns, each time with frames for the wire until the next poll.
TEST(NicPacing, KeepsTheRateWhenTheDriverLooksLate) {
  for (const BitRate rate : {1_Gbps, 30_Gbps, 50_Gbps, 90_Gbps, 100_Gbps}) {
    TestNic host;
    host.congestion->opening = [&](SendState& sender) { sender.rate = rate; };
    host.post_packets(host.open(), 100'000);
    std::int64_t packets = 0;
    Time wire_free;
    for (; host.now < at_time(1_ms); host.now += 200_ns) {
      if (host.nic->next_deadline() <= host.now) host.nic->advance(host.now);
      while (wire_free <= host.now + 200_ns) {
        const FrameId id = host.nic->transmit(host.now);
        if (!id.exists()) break;
        host.pool.release(id);
        wire_free = std::max(wire_free, host.now) + kPacketTime;
        ++packets;
      }
    }
    const double expected = static_cast<double>(rate.bits_per_second()) * 1e-3 / (1'086 * 8);
    EXPECT_NEAR(static_cast<double>(packets), expected, 5) << rate.gigabits_per_second();
  }
}

TEST(NicPacing, FollowsWhatFeedbackSetsThroughTheHeader) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_Gbps; };
  host.congestion->feedback = [](NicContext& context, const Frame& frame) {
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender != nullptr) sender->rate = 10_Gbps;
    return true;
  };
  const QueuePairId number = host.open();
  host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(3_us));
  host.receive(FrameKind::host_control, QueuePairId(1'002));  // of the other queue pair
  host.run_until(at_time(4_us));
  host.receive(FrameKind::host_control, QueuePairId(1'001));
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(4_us)));
}

TEST(NicPacing, FollowsWhatIsSetForAllSenders) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_Gbps; };
  host.congestion->time = [](NicContext& context) {
    context.for_each_sender([](void*, SendState& sender) { sender.rate = 10_Gbps; }, nullptr);
  };
  host.post_packets(host.open(), 2);
  host.act().arm(host.congestion->timer, at_time(4_us));
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(4_us)));
}

}  // namespace
}  // namespace weir::testing_nic::nic_pacing_test
