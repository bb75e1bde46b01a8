// SPDX-License-Identifier: Apache-2.0
// The receiver half: acknowledgements, the fields they echo, and counters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_receive_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

void ends_message(Frame& frame) {
  frame.set_ends_message(true);
}
void wants_no_ack(Frame& frame) {
  frame.set_wants_ack(false);
}

TEST(NicReceive, AcknowledgesInOrderData) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0);
  EXPECT_TRUE(host.nic->became_ready());
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(1));
  const Frame& ack = host.sent[0].frame;
  EXPECT_EQ(ack.kind, FrameKind::ack);
  EXPECT_EQ(ack.frame_bytes, 70);
  EXPECT_EQ(ack.source, HostId(0));
  EXPECT_EQ(ack.destination, HostId(1));
  EXPECT_EQ(ack.queue_pair, QueuePairId(2'001));
  EXPECT_EQ(ack.sequence, 1u);
  EXPECT_EQ(ack.entropy, 0xbeef);
  EXPECT_EQ(ack.priority, kPriority);
  EXPECT_EQ(host.nic->data_received(), 1u);
  EXPECT_EQ(host.pool.in_use(), 0u);
}

TEST(NicReceive, AcknowledgesInAPriorityOfItsOwn) {
  NicConfig config = config_of();
  config.acknowledge_priority = 6;
  TestNic host(config);
  host.data(host.open_receiver(), 0);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(1));
  EXPECT_EQ(host.sent[0].frame.priority, 6);
}

TEST(NicReceive, AddsTheHeaderBytesOfItsSchemes) {
  NicConfig config = config_of();
  config.added = {.data = 42, .acknowledgement = 30, .echoed = false, .not_echoed = 42};
  TestNic host(config);
  host.post(host.open(), 1'000);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(1));
  EXPECT_EQ(host.sent[0].frame.frame_bytes, config.framing.data(1'000) + 42);

  // Data of 100 bytes, to which hosts have added 42 and switches 50.
  const auto answer_of = [](const NicConfig& with) {
    TestNic receiver(with);
    receiver.data(receiver.open_receiver(), 0, [&](Frame& frame) {
      frame.payload_bytes = 100;
      frame.frame_bytes = static_cast<std::uint16_t>(with.framing.data(100) + 42 + 50);
    });
    receiver.run_for(1_us);
    return receiver.sent.empty() ? 0 : receiver.sent[0].frame.frame_bytes;
  };
  EXPECT_EQ(answer_of(config), config.framing.acknowledge(30));
  config.added.echoed = true;
  EXPECT_EQ(answer_of(config), config.framing.acknowledge(30 + 50));
  config.added.not_echoed = 0;
  EXPECT_EQ(answer_of(config), config.framing.acknowledge(30 + 42 + 50));
}

TEST(NicReceive, SaysWhatIsMissing) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0);
  host.data(number, 3);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_EQ(host.sent[1].frame.kind, FrameKind::nack);
  EXPECT_EQ(host.sent[1].frame.sequence, 1u);
  EXPECT_EQ(host.sent[1].frame.tag_value, 2u);  // as set by the policy
  EXPECT_EQ(host.sent[0].frame.tag_value, 0u);
}

TEST(NicReceive, CompletesMessages) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0);
  EXPECT_THAT(host.completions(), IsEmpty());
  host.data(number, 1, ends_message);
  ASSERT_THAT(host.nic->completions(), SizeIs(1));
  EXPECT_EQ(host.nic->completions()[0].connection, 9u);
  host.data(number, 2, ends_message);
  host.data(number, 2, ends_message);  // a duplicate ends nothing
  EXPECT_THAT(host.completions(), ElementsAre("received", "received"));
}

TEST(NicReceive, AcknowledgesWhenItIsAsked) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  for (std::uint32_t sequence = 0; sequence < 9; ++sequence) {
    host.data(number, sequence, [&](Frame& frame) { frame.set_wants_ack(sequence == 3 || sequence == 4); });
  }
  host.run_for(1_us);
  EXPECT_THAT(host.sequences(), ElementsAre(4, 5));
}

TEST(NicReceive, DoesNotWaitToBeAskedWhenItIsUrgent) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, wants_no_ack);
  host.data(number, 5, wants_no_ack);  // a gap
  host.data(number, 0, wants_no_ack);  // its acknowledgement may have been lost
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_EQ(host.sent[0].frame.kind, FrameKind::nack);
  EXPECT_EQ(host.sent[1].frame.kind, FrameKind::ack);
}

TEST(NicReceive, ShowsTheCongestionControlEachFrameAndItsReply) {
  TestNic host;
  std::vector<std::pair<std::uint32_t, bool>> seen;
  host.congestion->received = [&](NicContext&, ReceiveState&, Frame& data, Frame* reply) {
    seen.emplace_back(data.sequence, reply != nullptr);
    if (reply != nullptr) reply->set_echoes_congestion(data.ecn() == Ecn::congestion_experienced);
  };
  const QueuePairId number = host.open_receiver();
  for (std::uint32_t sequence = 0; sequence < 4; ++sequence) {
    host.data(number, sequence, [&](Frame& frame) {
      frame.set_ecn(sequence == 3 ? Ecn::congestion_experienced : Ecn::capable);
      frame.set_wants_ack(sequence % 2 == 1);
    });
  }
  host.run_for(1_us);
  EXPECT_THAT(seen, ElementsAre(std::pair(0u, false), std::pair(1u, true), std::pair(2u, false), std::pair(3u, true)));
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_FALSE(host.sent[0].frame.echoes_congestion());
  EXPECT_TRUE(host.sent[1].frame.echoes_congestion());
}

TEST(NicReceive, MovesAnExtensionToTheReply) {
  TestNic host;
  host.congestion->received = [](NicContext&, ReceiveState&, Frame& data, Frame* reply) {
    FramePool::move_extension(data, *reply);
    reply->frame_bytes = static_cast<std::uint16_t>(reply->frame_bytes + 8);
  };
  const QueuePairId number = host.open_receiver();
  host.data(number, 0, [&](Frame& frame) { host.pool.extend(frame, 8)[0] = std::byte{42}; });
  const FrameId id = host.nic->transmit(host.now);
  ASSERT_TRUE(id.exists());
  EXPECT_EQ(host.pool[id].frame_bytes, 78);
  ASSERT_FALSE(host.pool.extension(host.pool[id]).empty());
  EXPECT_EQ(host.pool.extension(host.pool[id])[0], std::byte{42});
}

TEST(NicReceive, MaySendANotificationToo) {
  TestNic host;
  host.congestion->received = [](NicContext& context, ReceiveState& receiver, Frame&, Frame*) {
    const FrameId id = context.frames().allocate();
    Frame& cnp = context.frames()[id];
    cnp.kind = FrameKind::cnp;
    cnp.priority = context.notification_priority();
    cnp.frame_bytes = 82;
    cnp.destination = receiver.remote;
    cnp.queue_pair = receiver.remote_number;
    context.send_to_host(id);
  };
  host.data(host.open_receiver(), 0);
  host.run_for(1_us);
  ASSERT_THAT(host.sent, SizeIs(2));
  EXPECT_EQ(host.sent[0].frame.kind, FrameKind::cnp);  // of a higher priority
  EXPECT_EQ(host.sent[1].frame.kind, FrameKind::ack);
}

TEST(NicReceive, AnswersAheadOfData) {
  TestNic host;
  const QueuePairId receiver = host.open_receiver();
  host.post_packets(host.open(), 3);
  host.run_for(10_ns);
  host.data(receiver, 0);
  host.run_for(1_us);
  std::vector<FrameKind> kinds;
  for (const TestNic::Sent& one : host.sent) kinds.push_back(one.frame.kind);
  EXPECT_THAT(kinds, ElementsAre(FrameKind::data, FrameKind::ack, FrameKind::data, FrameKind::data));
}

// ---- counters ----

TEST(NicCounts, PacketsOutOfOrder) {
  TestNic host;
  const QueuePairId number = host.open_receiver();
  host.data(number, 0);
  host.data(number, 2);
  host.data(number, 1);
  EXPECT_EQ(host.nic->out_of_order(), 1u);
  host.data(number, 5);
  host.data(number, 3, [](Frame& frame) { frame.set_retransmitted(true); });  // set by the sender
  EXPECT_EQ(host.nic->out_of_order(), 1u);
  EXPECT_EQ(host.nic->receiver(number)->out_of_order, 1u);
}

TEST(NicCounts, StraysAndDamagedFrames) {
  TestNic host;
  const QueuePairId number = host.open_receiver(HostId(1));
  host.data(number, 0, [](Frame& frame) { frame.source = HostId(2); });
  host.data(QueuePairId(77), 0);
  host.acknowledge(QueuePairId(77), 1);
  EXPECT_EQ(host.nic->strays(), 3u);
  host.data(number, 0, [](Frame& frame) { frame.set_corrupt(true); });
  EXPECT_EQ(host.nic->corrupt(), 1u);
  EXPECT_EQ(host.nic->data_received(), 0u);
  host.nic->close_receiver(host.now, number);
  host.data(number, 0);
  EXPECT_EQ(host.nic->strays(), 4u);
  host.run_for(1_us);
  EXPECT_THAT(host.sent, IsEmpty());
  EXPECT_EQ(host.pool.in_use(), 0u);
}

TEST(NicControl, GoesToTheFirstFlowControlThatTakesIt) {
  TestNic host;
  host.receive(FrameKind::hop_control, QueuePairId::none(), 0, [](Frame& frame) { frame.protocol = 5; });
  EXPECT_THAT(host.flow_control[0]->control, ElementsAre(5));
  EXPECT_THAT(host.flow_control[1]->control, IsEmpty());
  host.receive(FrameKind::pfc, QueuePairId::none());
  EXPECT_THAT(host.flow_control[1]->control, ElementsAre(0));
  EXPECT_EQ(host.flow_control[0]->received, 2);
  EXPECT_EQ(host.pool.in_use(), 0u);
}

TEST(NicControl, FeedbackGoesToCongestionControlThenToLossRecovery) {
  TestNic host;
  std::vector<std::string> asked;
  bool ours = true;
  host.congestion->feedback = [&](NicContext&, const Frame&) {
    asked.emplace_back("congestion control");
    return ours;
  };
  host.recovery->feedback = [&](NicContext&, const Frame&) {
    asked.emplace_back("loss recovery");
    return true;
  };
  host.receive(FrameKind::host_control, QueuePairId(1));
  ours = false;
  host.receive(FrameKind::host_control, QueuePairId(1));
  EXPECT_THAT(asked, ElementsAre("congestion control", "congestion control", "loss recovery"));
}

}  // namespace
}  // namespace weir::testing_nic::nic_receive_test
