// SPDX-License-Identifier: Apache-2.0
// The sender half: how many bytes may be in flight.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"
#include "units/packet_limit.h"

namespace weir::testing_nic::nic_window_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::SizeIs;

TEST(NicWindow, HoldsAtTheWindowAndGoesOnWithAcknowledgements) {
  TestNic host;
  const QueuePairId number = host.open(sending(2'500));
  host.post_packets(number, 6);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));  // while fewer than 2,500 bytes are in flight
  EXPECT_EQ(host.sender(number).in_flight(), 3'000);
  host.acknowledge(number, 1);
  EXPECT_TRUE(host.nic->became_ready());
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(3));
  host.acknowledge(number, 4);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(4, 5));
  EXPECT_THAT(host.congestion->newly_acknowledged, ElementsAre(1'000, 3'000));
}

TEST(NicWindow, ObeysTheSmallerOfTheTwo) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.window = 2'000; };
  host.congestion->ack = [](SendState& sender) { sender.window = 10'000; };
  const QueuePairId number = host.open(sending(4'000));
  host.post_packets(number, 9);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1));
  host.acknowledge(number, 1);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(2, 3, 4));
}

TEST(NicWindow, ObeysTheLimitInPacketsOfTheLossRecovery) {
  TestNic host;
  host.recovery->packet_limit = 3;
  const QueuePairId number = host.open();
  for (int message = 0; message < 6; ++message) host.post(number, 10);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));
  host.acknowledge(number, 1);
  EXPECT_TRUE(host.nic->became_ready());
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(3));
}

TEST(NicWindow, StaysWhateverTheRateWhenFixed) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.rate = 50_Gbps; };
  const QueuePairId number = host.open(sending(4'000));
  host.post_packets(number, 9);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.sent, SizeIs(4));
}

TEST(NicWindow, FollowsTheRateWhenVariable) {
  NicConfig config = config_of();
  config.window_follows_rate = true;
  TestNic host(config);
  host.congestion->opening = [](SendState& sender) { sender.rate = 50_Gbps; };
  host.congestion->cnp = [](SendState& sender) { sender.rate = 100_Gbps; };
  const QueuePairId number = host.open(sending(4'000));
  host.post_packets(number, 9);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.sent, SizeIs(2));
  host.receive(FrameKind::cnp, number);
  host.run_for(10_us);
  EXPECT_THAT(host.sent, SizeIs(4));
}

TEST(NicWindow, LetsOnePacketGoHoweverSmall) {
  NicConfig config = config_of();
  config.window_follows_rate = true;
  TestNic host(config);
  host.congestion->opening = [](SendState& sender) { sender.rate = 1_bps; };
  host.post_packets(host.open(sending(4'000)), 9);
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.sent, SizeIs(1));
}

TEST(NicWindow, FollowsWhatIsSetForAllSenders) {
  TestNic host;
  host.congestion->opening = [](SendState& sender) { sender.window = 1; };
  host.congestion->time = [](NicContext& context) {
    context.for_each_sender([](void*, SendState& sender) { sender.window = kUnlimited; }, nullptr);
  };
  host.post_packets(host.open(), 3);
  host.act().arm(host.congestion->timer, at_time(1_us));
  host.run_until(at_time(10_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace weir::testing_nic::nic_window_test
