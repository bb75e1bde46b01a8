// SPDX-License-Identifier: Apache-2.0
// The sender half: packets, and the frames that carry them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/test_nic.h"

namespace weir::testing_nic::nic_send_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

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

/// A later queue pair that reuses the same state is not an incast.
TEST(NicSend, TellsItsPoliciesThatTheApplicationCallsItAnIncast) {
  TestNic host;
  std::vector<bool> opened;
  std::vector<bool> behind_gates;
  std::vector<bool> sent;
  host.congestion->opening = [&](const SendState& sender) { opened.push_back(sender.incast); };
  host.congestion->sent = [&](const SendState& sender, Frame&) { sent.push_back(sender.incast); };
  host.flow_control[0]->behind = [&](const SendState& sender) {
    behind_gates.push_back(sender.incast);
    return 0;
  };
  for (const bool incast : {true, false}) {
    OpenSender spec = sending();
    spec.incast = incast;
    const QueuePairId number = host.open(spec);
    host.post_packets(number, 1);
    host.run_for(1_us);
    host.acknowledge(number, 1);
    host.nic->close_sender(host.now, number);
  }
  EXPECT_THAT(opened, ElementsAre(true, false));
  EXPECT_THAT(behind_gates, ElementsAre(true, false));
  EXPECT_THAT(sent, ElementsAre(true, false));
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
  EXPECT_TRUE(host.nic->became_ready());
  host.run_until(at_time(1_us));
  EXPECT_THAT(host.times(), ElementsAre(Time(), at_time(kPacketTime), at_time(2 * kPacketTime)));
  EXPECT_FALSE(host.nic->has_ready());
  EXPECT_EQ(host.nic->next_deadline(), Time::never());
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

}  // namespace
}  // namespace weir::testing_nic::nic_send_test
