// The sender half: packets, pacing, windows, messages and their ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "host/test_nic.h"
#include "units/packet_limit.h"

namespace weir::testing_nic {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

Time at_time(Duration since_start) {
  return Time() + since_start;
}

// ---- packets ----

TEST(NicSend, CutsAMessageIntoPackets) {
  TestNic host;
  OpenSender spec;
  spec.remote = HostId(5);
  spec.entropy = 0xc123;
  spec.priority = kPriority;
  const QueuePairId number = host.open(spec);
  host.post(number, 2'300);
  host.run_until(at_time(1_us));
  ASSERT_THAT(host.sent, SizeIs(3));
  for (std::size_t i = 0; i < 3; ++i) {
    const Frame& frame = host.sent[i].frame;
    EXPECT_EQ(frame.kind, FrameKind::data);
    EXPECT_EQ(frame.source, HostId(0));
    EXPECT_EQ(frame.destination, HostId(5));
    EXPECT_EQ(frame.queue_pair, QueuePairId(1'001));
    EXPECT_EQ(frame.entropy, 0xc123);
    EXPECT_EQ(frame.priority, kPriority);
    EXPECT_EQ(frame.sequence, i);
    EXPECT_EQ(frame.ecn(), Ecn::capable);
    EXPECT_EQ(frame.payload_bytes, i < 2 ? 1'000 : 300);
    EXPECT_EQ(frame.frame_bytes, frame.payload_bytes + 66);
    EXPECT_EQ(frame.ends_message(), i == 2);
    EXPECT_TRUE(frame.wants_ack());
    EXPECT_FALSE(frame.retransmitted());
    EXPECT_EQ(frame.tag, 7);  // of the flow control's on_sent
  }
  EXPECT_EQ(host.nic->data_sent(), 3u);
  EXPECT_EQ(host.pool.in_use(), 0u);
}

TEST(NicSend, PadsATinyMessage) {
  NicConfig config = config_of();
  config.framing.minimum_frame = 100;
  TestNic host(config);
  host.post(host.open(), 1);
  host.run_until(at_time(1_us));
  ASSERT_THAT(host.sent, SizeIs(1));
  EXPECT_EQ(host.sent[0].frame.payload_bytes, 1);
  EXPECT_EQ(host.sent[0].frame.frame_bytes, 100);
}

TEST(NicSend, SendsBackToBackAtLineRate) {
  TestNic host;
  host.post_packets(host.open(), 3);
  EXPECT_TRUE(host.nic->kicked());
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(kPacketTime), at_time(2 * kPacketTime)));
  EXPECT_FALSE(host.nic->has_ready());
  EXPECT_EQ(host.nic->next_deadline(), Time::never());
}

// ---- pacing ----

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
  host.run_until(at_time(500_ns));  // the next packet would go at 8,688 ns
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

// As a poll loop drives it: every 200 ns, and each time the wire is given frames for the time until the next look.
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
  host.receive(FrameKind::host_control, QueuePairId(1'002));  // the other one's
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

// ---- windows ----

TEST(NicWindow, HoldsAtTheWindowAndGoesOnWithAcknowledgements) {
  TestNic host;
  const QueuePairId number = host.open(sending(2'500));
  host.post_packets(number, 6);
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));  // while fewer than 2,500 bytes are in flight
  EXPECT_EQ(host.sender(number).in_flight(), 3'000);
  host.acknowledge(number, 1);
  EXPECT_TRUE(host.nic->kicked());
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
  EXPECT_TRUE(host.nic->kicked());
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
  host.post(number, 100, 13);  // the queue pair goes on
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
  host.acknowledge(number, 4);  // was on its way already
  host.sent.clear();
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(4));
  EXPECT_EQ(host.sender(number).in_flight(), 1'000);
}

// A drop notice of a switch moves `next` as a NACK does.
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

// What is sent again is in flight already: a window that is full of a loss would hold its repair for ever.
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
  host.nic->stop(host.now, number);  // again: nothing
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

// ---- asking for acknowledgements ----

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
  EXPECT_THAT(host.sent, SizeIs(1));  // for all that is in flight
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

/// What an acknowledgement of every n-th packet must not change: that all that can be sent is sent, whatever the window
/// does, with no timer.
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

// ---- no frame left ----

TEST(NicFrames, GoesOnWhenFramesComeFree) {
  TestNic host(config_of(), 8);
  const QueuePairId number = host.open();
  host.post_packets(number, 3);
  std::vector<FrameId> taken;
  while (host.pool.in_use() < host.pool.capacity()) taken.push_back(host.pool.allocate());
  host.run_for(10_us);
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_GT(host.pool.refused(), 0u);
  for (const FrameId id : taken) host.pool.release(id);
  host.run_for(10_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1, 2));
  EXPECT_EQ(host.nic->next_deadline(), Time::never());
}

// ---- closing ----

TEST(NicClose, LeavesNobodyForLateFrames) {
  TestNic host;
  const QueuePairId number = host.open();
  host.act().arm(*host.nic->sender(number), at_time(5_us));
  host.post_packets(number, 100);
  host.run_until(at_time(500_ns));
  host.nic->close_sender(host.now, number);
  host.sent.clear();
  EXPECT_THAT(host.flow_control[0]->closed, ElementsAre(number));
  EXPECT_EQ(host.nic->open_senders(), 0u);
  EXPECT_EQ(host.nic->sender(number), nullptr);
  EXPECT_EQ(host.nic->sender_to(HostId(1), QueuePairId(1'001)), nullptr);
  host.acknowledge(number, 3);
  host.receive(FrameKind::nack, number, 3);
  host.receive(FrameKind::cnp, number);
  EXPECT_EQ(host.nic->strays(), 3u);
  host.run_until(at_time(20_us));
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_THAT(host.congestion->timers, IsEmpty());
  EXPECT_EQ(host.nic->next_deadline(), Time::never());
}

TEST(NicClose, GivesTheNextQueuePairAnotherNumber) {
  TestNic host;
  const QueuePairId first = host.open();
  host.post_packets(first, 3);
  host.run_until(at_time(1_us));
  host.nic->close_sender(host.now, first);
  const QueuePairId second = host.open();
  EXPECT_NE(first, second);
  host.post_packets(second, 3);
  host.run_for(1_us);
  host.acknowledge(first, 3);  // of the old one
  EXPECT_EQ(host.nic->strays(), 1u);
  EXPECT_EQ(host.sender(second).unacknowledged, 0u);
  EXPECT_THAT(host.completions(), IsEmpty());
}

TEST(NicClose, StartsTheNextQueuePairAfresh) {
  TestNic host;
  host.congestion->cnp = [](SendState& sender) { sender.rate = 1_Mbps; };
  const QueuePairId first = host.open(sending(1'000));
  host.post_packets(first, 3);
  host.run_until(at_time(100_ns));
  host.receive(FrameKind::cnp, first);
  host.nic->close_sender(host.now, first);
  host.sent.clear();
  const QueuePairId second = host.open();
  host.post_packets(second, 2);
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(0, 1));
  EXPECT_EQ(host.sender(second).rate, 100_Gbps);
}

// ---- the retransmission timer ----

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

/// Asked when its time is over, a policy may say that more is in flight now and that it takes longer.
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
}  // namespace weir::testing_nic
