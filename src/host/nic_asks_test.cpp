// SPDX-License-Identifier: Apache-2.0
// The sender half: which packets request an acknowledgement.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <utility>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_asks_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

NicConfig asking_every(std::uint32_t packets) {
  NicConfig config = config_of();
  config.acknowledge_every = packets;
  return config;
}

TEST(NicAsks, EveryFewPacketsAndAtTheEndOfAMessage) {
  TestNic host(asking_every(4));
  const QueuePairId number = host.open();
  host.post_packets(number, 10);
  host.post_packets(number, 6);
  host.run_until(at_time(2_us));
  EXPECT_THAT(host.asking(), ElementsAre(3, 7, 9, 13, 15));
}

TEST(NicAsks, WithThePacketThatClosesItsWindow) {
  TestNic host(asking_every(64));
  const QueuePairId number = host.open(sending(3'000));
  host.post_packets(number, 20);
  host.run_for(1_us);
  EXPECT_THAT(host.asking(), ElementsAre(2));
  host.acknowledge(number, 3);
  host.run_for(1_us);
  EXPECT_THAT(host.asking(), ElementsAre(5));
}

TEST(NicAsks, WithOnePacketMoreWhenItsWindowShrinks) {
  TestNic host(asking_every(64));
  host.congestion->cnp = [](SendState& sender) { sender.window = 2'000; };
  const QueuePairId number = host.open();
  host.post_packets(number, 20);
  host.run_until(at_time(kPacketTime * 4));
  EXPECT_THAT(host.asking(), IsEmpty());
  host.receive(FrameKind::cnp, number);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, SizeIs(1));  // requests it for all that is in flight
  EXPECT_THAT(host.asking(), SizeIs(1));
}

TEST(NicAsks, WithOnePacketMoreWhenItIsStopped) {
  TestNic host(asking_every(64));
  const QueuePairId number = host.open();
  host.post(number, 50'500, 3);
  host.post(number, 50'000, 4);
  host.run_until(at_time(200_ns));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));
  host.nic->stop(host.now, number);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(1));
  EXPECT_EQ(host.sent[0].frame.payload_bytes, 1'000);
  EXPECT_THAT(host.asking(), ElementsAre(3));
  host.acknowledge(number, 4);
  EXPECT_THAT(host.completions(), ElementsAre("stopped 3", "stopped 4"));
  EXPECT_EQ(host.sender(number).remaining(), 0);
}

TEST(NicAsks, NoMoreWhenItIsStoppedHavingAsked) {
  TestNic host(asking_every(3));
  const QueuePairId number = host.open();
  host.post(number, 50'000, 3);
  host.run_until(at_time(200_ns));
  EXPECT_THAT(host.asking(), ElementsAre(2));
  host.nic->stop(host.now, number);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
}

TEST(NicAsks, WithTheLastPacketThatIsSentAgain) {
  TestNic host(asking_every(64));
  const QueuePairId number = host.open();
  host.post_packets(number, 5, 3);
  host.run_for(1_us);
  EXPECT_THAT(host.asking(), ElementsAre(4));
  host.receive(FrameKind::nack, number, 2);
  host.run_for(1_us);
  EXPECT_THAT(host.asking(), ElementsAre(4));
}

TEST(NicAsks, WithEveryPacketOutOfTurn) {
  TestNic host(asking_every(64));
  const QueuePairId number = host.open();
  host.post_packets(number, 5);
  host.run_for(1_us);
  host.sent.clear();
  std::uint32_t picked = 1;
  host.recovery->picks = [&](SendState& sender) {
    sender.resend = picked < 2;
    return LossRecovery::Pick{picked++, false};
  };
  host.nic->sender(number)->resend = true;
  host.acknowledge(number, 1);
  host.run_for(1_us);
  EXPECT_THAT(host.asking(), ElementsAre(1, 2));
}

/// With an acknowledgement of every n-th packet, everything that can be sent is still sent, however the window changes,
/// without a timer.
RC_GTEST_PROP(NicAsks, NeverWaitsForATimer, ()) {
  const auto every = *rc::gen::inRange<std::uint32_t>(1, 70);
  const auto window = *rc::gen::inRange<std::int64_t>(1, 70'000);
  const auto packets = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto shrink_after = *rc::gen::inRange<std::int64_t>(0, 100);
  const auto stop_after = *rc::gen::inRange<std::int64_t>(0, 300);
  TestNic host(asking_every(every));
  host.congestion->cnp = [](SendState& sender) { sender.window = 1; };
  const QueuePairId number = host.open(sending(window));
  host.post_packets(number, packets);
  std::uint32_t received = 0;
  for (std::int64_t step = 0; step < 1'000 && !host.sender(number).finished(); ++step) {
    if (step == shrink_after) host.receive(FrameKind::cnp, number);
    if (step == stop_after) host.nic->stop(host.now, number);
    host.run_for(kPacketTime);
    bool asked = false;
    for (const TestNic::Sent& one : std::exchange(host.sent, {})) {
      RC_ASSERT(one.frame.sequence == received);
      ++received;
      asked = asked || one.frame.wants_ack();
    }
    if (asked) host.acknowledge(number, received);
  }
  RC_ASSERT(host.sender(number).finished());
}

}  // namespace
}  // namespace weir::testing_nic::nic_asks_test
