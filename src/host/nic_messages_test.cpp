// SPDX-License-Identifier: Apache-2.0
// The sender half: messages, retransmission, and stopping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/test_nic.h"
#include "units/packet_limit.h"

namespace weir::testing_nic::nic_messages_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ---- messages ----

TEST(NicMessages, CompleteWhenTheirLastPacketIsAcknowledged) {
  TestNic host;
  const QueuePairId number = host.open();
  host.post(number, 1'500, 10);
  host.post(number, 400, 11);
  host.post(number, 2'000, 12);
  host.run_until(at_time(1_us));
  std::vector<std::int64_t> payloads;
  for (const TestNic::Sent& one : host.sent) payloads.push_back(one.frame.payload_bytes);
  EXPECT_THAT(payloads, ElementsAre(1'000, 500, 400, 1'000, 1'000));  // no packet has bytes of two messages
  host.acknowledge(number, 1);
  EXPECT_THAT(host.completions(), IsEmpty());
  EXPECT_EQ(host.sender(number).acknowledged_bytes, 1'000);
  host.acknowledge(number, 3);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 10", "acknowledged 11"));
  EXPECT_EQ(host.sender(number).acknowledged_bytes, 1'900);
  host.acknowledge(number, 5);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 12"));
  EXPECT_EQ(host.sender(number).remaining(), 0);
  EXPECT_TRUE(host.sender(number).finished());
  host.post(number, 100, 13);  // the queue pair continues
  host.run_for(1_us);
  host.acknowledge(number, 6);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 13"));
}

TEST(NicMessages, GoBackIntoAnEarlierMessage) {
  TestNic host;
  const QueuePairId number = host.open();
  for (std::size_t flow = 0; flow < 4; ++flow) host.post(number, 1'200, flow);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sent, SizeIs(8));
  host.sent.clear();
  host.receive(FrameKind::nack, number, 3);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 0"));
  EXPECT_EQ(host.sender(number).next_bytes, 2'200);
  EXPECT_EQ(host.sender(number).in_flight(), 0);
  host.run_for(2_us);
  ASSERT_THAT(host.sent, SizeIs(5));
  EXPECT_EQ(host.sent[0].frame.sequence, 3u);
  EXPECT_EQ(host.sent[0].frame.payload_bytes, 200);
  EXPECT_TRUE(host.sent[0].frame.ends_message());
  for (const TestNic::Sent& one : host.sent) EXPECT_TRUE(one.frame.retransmitted());
  EXPECT_EQ(host.nic->retransmitted(), 5u);
  EXPECT_EQ(host.sender(number).packets_retransmitted, 5u);
  EXPECT_EQ(host.congestion->losses, 1);
  host.acknowledge(number, 8);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 1", "acknowledged 2", "acknowledged 3"));
  EXPECT_EQ(host.sender(number).in_flight(), 0);
}

TEST(NicMessages, AnAcknowledgementOvertakesGoingBack) {
  TestNic host;
  const QueuePairId number = host.open();
  host.post(number, 5'000, 0);
  host.run_until(at_time(1_us));
  host.receive(FrameKind::nack, number, 1);
  host.acknowledge(number, 4);  // was in flight already
  host.sent.clear();
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(4));
  EXPECT_EQ(host.sender(number).in_flight(), 1'000);
}

// A drop notification of a switch moves `next` as a NACK does.
TEST(NicMessages, GoBackWhenFeedbackSaysSo) {
  TestNic host;
  host.recovery->feedback = [](NicContext& context, const Frame& frame) {
    SendState* sender = context.sender_to(frame.source, frame.queue_pair);
    if (sender != nullptr) sender->next = frame.sequence;
    return true;
  };
  const QueuePairId number = host.open(sending(6'000));
  host.post(number, 2'500, 0);
  host.post(number, 4'000, 1);
  host.run_until(at_time(1_us));
  host.sent.clear();
  host.receive(FrameKind::host_control, QueuePairId(1'001), 2);
  EXPECT_EQ(host.sender(number).next_bytes, 2'000);
  EXPECT_EQ(host.sender(number).in_flight(), 2'000);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(2, 3, 4, 5, 6));
  EXPECT_EQ(host.sender(number).in_flight(), 6'500);
  host.acknowledge(number, 7);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 0", "acknowledged 1"));
}

TEST(NicMessages, ResendWhatThePolicyPicks) {
  TestNic host;
  std::vector<std::uint32_t> lost;
  host.recovery->picks = [&](SendState& sender) {
    const std::uint32_t sequence = lost.back();
    lost.pop_back();
    sender.resend = !lost.empty();
    return LossRecovery::Pick{sequence, false};
  };
  host.recovery->feedback = [&](NicContext& context, const Frame& frame) {
    lost.push_back(frame.sequence);
    context.sender_to(frame.source, frame.queue_pair)->resend = true;
    return true;
  };
  const QueuePairId number = host.open();
  host.post(number, 2'500, 0);
  host.post(number, 1'000, 1);
  host.run_until(at_time(1_us));
  host.sent.clear();
  host.receive(FrameKind::host_control, QueuePairId(1'001), 2);
  host.receive(FrameKind::host_control, QueuePairId(1'001), 0);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_EQ(host.sent[1].frame.sequence, 2u);
  EXPECT_EQ(host.sent[1].frame.payload_bytes, 500);
  EXPECT_TRUE(host.sent[1].frame.retransmitted());
  EXPECT_EQ(host.sender(number).next, 4u);  // it has not moved
  EXPECT_EQ(host.sender(number).in_flight(), 3'500);
}

// Retransmissions are in flight already: a window that is full of a loss would block its repair indefinitely.
TEST(NicMessages, ResendThroughAFullWindow) {
  TestNic host;
  host.recovery->picks = [&](SendState& sender) {
    sender.resend = false;
    return LossRecovery::Pick{0, false};
  };
  host.recovery->feedback = [&](NicContext& context, const Frame& frame) {
    context.sender_to(frame.source, frame.queue_pair)->resend = true;
    return true;
  };
  const QueuePairId number = host.open(sending(3'000));
  host.post_packets(number, 9);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));
  host.receive(FrameKind::host_control, QueuePairId(1'001));
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0));
}

TEST(NicMessages, MayHaveFiveGigabytes) {
  NicConfig config = config_of();
  config.maximum_payload = 9'000;
  TestNic host(config, 16);
  const QueuePairId number = host.open(sending(90'000));
  host.post(number, 700, 0);
  host.post(number, 5'000'000'001, 1);
  std::int64_t bytes = 0;
  while (bytes < 5'000'000'701) {
    host.run_for(10_us);
    ASSERT_FALSE(host.sent.empty());
    for (const TestNic::Sent& one : host.sent) bytes += one.frame.payload_bytes;
    const Frame last = host.sent.back().frame;
    host.sent.clear();
    ASSERT_LE(host.sender(number).in_flight(), 99'000);
    host.acknowledge(number, last.sequence + 1);
    ASSERT_EQ(host.sender(number).acknowledged_bytes, bytes);
    EXPECT_EQ(last.ends_message(), bytes == 5'000'000'701);
  }
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 0", "acknowledged 1"));
  EXPECT_EQ(host.sender(number).packets_sent, 1u + 555'556u);
}

TEST(NicMessages, HaveFewerThanTwoToTheThirtyOnePackets) {
  NicConfig config = config_of();
  config.maximum_payload = 1;
  TestNic host(config);
  const QueuePairId number = host.open();
  host.post(number, kMostPackets - 5);
  host.post(number, 5);
  EXPECT_EQ(host.sender(number).end, 0x7fff'ffffu);
#ifndef NDEBUG
  EXPECT_DEATH(host.post(number, 1), "kMostPackets");
#endif
}

// ---- stopping ----

TEST(NicStop, EndsAMessageWithWhatWasSent) {
  TestNic host;
  const QueuePairId number = host.open();
  host.post(number, 50'000, 3);
  host.run_until(at_time(200_ns));
  EXPECT_EQ(host.sequences().size(), 3u);
  host.nic->stop(host.now, number);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_THAT(host.completions(), IsEmpty());  // what is in flight is still acknowledged
  host.acknowledge(number, 2);
  EXPECT_THAT(host.completions(), IsEmpty());
  host.acknowledge(number, 3);
  EXPECT_THAT(host.completions(), ElementsAre("stopped 3"));
  EXPECT_EQ(host.sender(number).remaining(), 0);
}

TEST(NicStop, EndsWhatNeverBegan) {
  TestNic host;
  const QueuePairId number = host.open(sending(1));
  host.post(number, 500, 0);
  host.post(number, 500, 1);
  host.post(number, 500, 2);
  host.run_until(at_time(1_us));
  host.nic->stop(host.now, number);
  host.acknowledge(number, 1);
  EXPECT_THAT(host.completions(), ElementsAre("acknowledged 0", "stopped 1", "stopped 2"));
  host.nic->stop(host.now, number);  // a second time: no effect
  EXPECT_THAT(host.completions(), IsEmpty());
}

TEST(NicStop, StillSendsAgainWhatIsLost) {
  TestNic host;
  const QueuePairId number = host.open();
  host.post(number, 50'000, 3);
  host.run_until(at_time(200_ns));
  host.nic->stop(host.now, number);
  host.sent.clear();
  host.receive(FrameKind::nack, number, 1);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(1, 2));
  host.acknowledge(number, 3);
  EXPECT_THAT(host.completions(), ElementsAre("stopped 3"));
}

}  // namespace
}  // namespace weir::testing_nic::nic_messages_test
