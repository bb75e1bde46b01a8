// SPDX-License-Identifier: Apache-2.0
// The measured waiting times of a sender.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_waits_test {
namespace {

using namespace literals;

NicConfig measured() {
  NicConfig config = config_of();
  config.measure_waits = true;
  return config;
}

/// Picoseconds: paused, paced, timed out.
testing::Matcher<std::optional<SenderWaits>> waits(Duration paused, Duration paced, Duration timed_out) {
  return testing::Optional(testing::AllOf(testing::Field("paused", &SenderWaits::paused, paused),
                                          testing::Field("paced", &SenderWaits::paced, paced),
                                          testing::Field("timed_out", &SenderWaits::timed_out, timed_out)));
}

TEST(NicWaits, AreNotKnownUnlessTheyAreAskedFor) {
  TestNic host;
  EXPECT_EQ(host.nic->sender_waits(host.open()), std::nullopt);
  TestNic other(measured());
  EXPECT_EQ(other.nic->sender_waits(QueuePairId(77)), std::nullopt);
}

TEST(NicWaits, AreNothingWhileItSendsAndWhileAllIsSent) {
  TestNic host(measured());
  const QueuePairId number = host.open();
  host.run_until(at_time(5_us));
  host.post_packets(number, 10);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 0_us, 0_us));
  host.acknowledge(number, 10);
  host.run_until(at_time(50_us));
  host.post_packets(number, 1);
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 0_us, 0_us));
}

TEST(NicWaits, CountPausesOfThePriorityWhileThereIsSomethingToSend) {
  TestNic host(measured());
  const QueuePairId number = host.open();
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.run_until(at_time(4_us));
  host.post_packets(number, 2);  // blocked from here on
  host.run_until(at_time(6_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(2_us, 0_us, 0_us));
  // A second owner makes no difference: the gate opens when both have opened it.
  host.act().set_priority_gate(kPriority, host.flow_control[1]->owner, false);
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, true);
  host.run_until(at_time(9_us));
  host.act().set_priority_gate(kPriority, host.flow_control[1]->owner, true);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.sequences(), testing::ElementsAre(0, 1));
  EXPECT_THAT(host.act().sender_waits(number), waits(5_us, 0_us, 0_us));
}

TEST(NicWaits, APausedLinkThatFailsIsPausedNoLonger) {
  TestNic host(measured());
  const QueuePairId number = host.open();
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.post_packets(number, 1);
  host.run_until(at_time(3_us));
  host.nic->link(host.now, false);
  host.run_until(at_time(9_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(3_us, 0_us, 0_us));
}

TEST(NicWaits, CountGatesOfAQueuePair) {
  TestNic host(measured());
  for (TestFlowControl* control : host.flow_control) control->behind = [](const SendState&) { return 0; };
  const QueuePairId number = host.open();
  host.act().set_gate(host.flow_control[0]->gates[0], false);
  host.post_packets(number, 1);
  host.run_until(at_time(7_us));
  host.act().set_gate(host.flow_control[0]->gates[0], true);
  host.run_until(at_time(9_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(7_us, 0_us, 0_us));
}

TEST(NicWaits, CountAFullWindow) {
  TestNic host(measured());
  const QueuePairId number = host.open(sending(1'000));
  host.post_packets(number, 2);
  host.run_until(at_time(10_us));
  host.acknowledge(number, 1);
  host.run_until(at_time(30_us));
  EXPECT_THAT(host.sequences(), testing::ElementsAre(0, 1));
  // From the first packet, which leaves immediately, to its acknowledgement. Then all is sent.
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 10_us, 0_us));
}

/// All had been sent, so nothing waited for a window.
TEST(NicWaits, CountNothingBeforeARepeat) {
  TestNic host(measured());
  const QueuePairId number = host.open();
  host.post_packets(number, 3);
  host.run_until(at_time(10_us));
  host.receive(FrameKind::nack, number, 1);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.sequences(), testing::ElementsAre(0, 1, 2, 1, 2));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 0_us, 0_us));
}

/// A message that is posted while the window is full waits from then on.
TEST(NicWaits, CountFromThePostOn) {
  TestNic host(measured());
  const QueuePairId number = host.open(sending(1'000));
  host.post_packets(number, 1);
  host.run_until(at_time(4_us));
  host.post_packets(number, 1);
  host.run_until(at_time(10_us));
  host.acknowledge(number, 1);
  host.run_until(at_time(30_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 6_us, 0_us));
}

TEST(NicWaits, CountARateBelowThatOfTheLine) {
  TestNic host(measured());
  host.congestion->opening = [](SendState& sender) { sender.rate = BitRate(10'000'000'000); };
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(50_us));
  EXPECT_THAT(host.sequences(), testing::ElementsAre(0, 1));
  // A packet lasts ten times as long at a tenth of the rate.
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, kPacketTime * 10, 0_us));
}

TEST(NicWaits, AFlowsOwnLimitIsNoWait) {
  TestNic host(measured());
  OpenSender spec = sending();
  spec.rate_limit = BitRate(10'000'000'000);
  const QueuePairId number = host.open(spec);
  host.post_packets(number, 3);
  host.run_until(at_time(50_us));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 0_us, 0_us));
}

TEST(NicWaits, CountTimeoutsFromTheLastProgressOn) {
  TestNic host(measured());
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open();
  host.post_packets(number, 2);
  host.run_until(at_time(4_us));
  host.acknowledge(number, 1);
  host.run_until(at_time(14_us));  // the timer, counted from the acknowledgement
  host.acknowledge(number, 2);
  host.run_until(at_time(40_us));
  EXPECT_THAT(host.recovery->timeouts, testing::ElementsAre(at_time(14_us)));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 0_us, 10_us));
}

TEST(NicWaits, ATimeoutEndsTheWaitForAWindow) {
  TestNic host(measured());
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open(sending(1'000));
  host.post_packets(number, 3);
  host.run_until(at_time(2_us));
  host.acknowledge(number, 1);     // it waited 2 us for its window
  host.run_until(at_time(12_us));  // and then for the timer
  EXPECT_THAT(host.recovery->timeouts, testing::ElementsAre(at_time(12_us)));
  EXPECT_THAT(host.act().sender_waits(number), waits(0_us, 2_us, 10_us));
}

TEST(NicWaits, OfAPausedSenderNoTimeoutCounts) {
  TestNic host(measured());
  host.recovery->timer = 10_us;
  const QueuePairId number = host.open();
  host.post_packets(number, 20);
  host.run_until(at_time(1_us));
  host.act().set_priority_gate(kPriority, host.flow_control[0]->owner, false);
  host.run_until(at_time(15_us));
  EXPECT_FALSE(host.recovery->timeouts.empty());
  EXPECT_THAT(host.act().sender_waits(number), waits(14_us, 0_us, 0_us));
}

TEST(NicWaits, BeginAnewWithAQueuePair) {
  TestNic host(measured());
  const QueuePairId first = host.open(sending(1'000));
  host.post_packets(first, 2);
  host.run_until(at_time(10_us));
  host.nic->close_sender(host.now, first);
  host.run_until(at_time(20_us));
  const QueuePairId second = host.open();
  host.run_until(at_time(30_us));
  EXPECT_THAT(host.act().sender_waits(second), waits(0_us, 0_us, 0_us));
}

}  // namespace
}  // namespace weir::testing_nic::nic_waits_test
