// SPDX-License-Identifier: Apache-2.0
#include "schemes/perfect_retransmission/perfect_retransmission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/packet_bitmap.h"
#include "policy/testing/fake_nic.h"
#include "policy/testing/fake_switch.h"
#include "schemes/test_loss_recovery.h"

namespace weir::perfect_retransmission::perfect_retransmission_test {
namespace {

using namespace literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ---- the switch ----

struct AtASwitch {
  Frame& lost() {
    Frame& frame = context.new_frame(PortId(1), PortId(0), 3);
    frame.source = HostId(5);
    frame.destination = HostId(9);
    frame.queue_pair = QueuePairId(77);
    frame.entropy = 0xabc;
    frame.sequence = 4'711;
    return frame;
  }
  FakeSwitch context{2};
  std::unique_ptr<CongestionPoint> policy = scheme.congestion_point(Parameters(scheme.parameters));
};

TEST(PerfectRetransmission, TheSwitchTellsTheSenderOfEachFrameItDrops) {
  AtASwitch setting;
  EXPECT_TRUE(setting.policy->hooks().drop);
  setting.policy->on_drop(setting.context, QueueId::none(), setting.lost(), DropReason::egress_threshold);
  ASSERT_THAT(setting.context.sent(), SizeIs(1));  // [PERFECT-S-1]
  const auto& sent = setting.context.sent().front();
  EXPECT_FALSE(sent.port.exists());  // by the ordinary routes
  EXPECT_EQ(sent.frame.kind, FrameKind::host_control);
  EXPECT_EQ(sent.frame.protocol, kProtocol);
  EXPECT_EQ(sent.frame.destination, HostId(5));
  EXPECT_EQ(sent.frame.source, HostId(9));
  EXPECT_EQ(sent.frame.queue_pair, QueuePairId(77));
  EXPECT_EQ(sent.frame.sequence, 4'711u);
  EXPECT_EQ(sent.frame.frame_bytes, 66);
  EXPECT_EQ(sent.frame.priority, 7);  // [PERFECT-S-3]
  EXPECT_EQ(sent.frame.ecn(), Ecn::not_capable);
}

TEST(PerfectRetransmission, TheSwitchTellsOfWhatItHadNoBufferFor) {
  using enum DropReason;
  for (const DropReason reason : {egress_threshold, buffer_full, policy, no_route, corrupt, link_down, no_frame}) {
    AtASwitch setting;
    setting.policy->on_drop(setting.context, QueueId::none(), setting.lost(), reason);
    const bool told = reason == egress_threshold || reason == buffer_full || reason == policy;
    EXPECT_THAT(setting.context.sent(), SizeIs(told ? 1 : 0));  // [PERFECT-S-2]
  }
  for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp, FrameKind::host_control}) {
    AtASwitch setting;
    Frame& frame = setting.lost();
    frame.kind = kind;
    setting.policy->on_drop(setting.context, QueueId::none(), frame, buffer_full);
    EXPECT_THAT(setting.context.sent(), IsEmpty());
  }
}

TEST(PerfectRetransmission, TheSwitchIsSilentWhenThePoolIsEmpty) {
  AtASwitch setting;
  Frame& frame = setting.lost();
  while (setting.context.frames().allocate().exists()) {
  }
  setting.policy->on_drop(setting.context, QueueId::none(), frame, DropReason::buffer_full);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [PERFECT-S-1]
}

// ---- the NIC ----

class AtANic : public testing_scheme::LossRecoveryTest {
 protected:
  AtANic() : LossRecoveryTest(scheme.loss_recovery(Parameters(scheme.parameters))) { in_flight(10, 20, 80); }

  bool notice(std::uint32_t sequence, std::uint8_t protocol = kProtocol) {
    Frame frame = frame_of(FrameKind::host_control, sequence);
    frame.protocol = protocol;
    frame.source = sender.remote;
    frame.queue_pair = sender.remote_number;
    return policy->on_feedback(nic, frame);
  }
};

TEST_F(AtANic, SendsAgainExactlyWhatANoticeNames) {  // [PERFECT-H-1]
  EXPECT_TRUE(notice(14));
  EXPECT_TRUE(notice(12));
  EXPECT_THAT(resent(), ElementsAre(12, 14));
  EXPECT_TRUE(notice(14));  // the retransmission was dropped too
  EXPECT_THAT(resent(), ElementsAre(14));
  EXPECT_EQ(sender.next, 20u);
}

TEST_F(AtANic, LeavesOthersFramesToOthers) {  // [PERFECT-H-1]
  EXPECT_FALSE(notice(12, kProtocol + 1));
  EXPECT_FALSE(sender.resend);
}

TEST_F(AtANic, IgnoresNoticesOfWhatIsNotInFlight) {  // [PERFECT-H-1]
  for (const std::uint32_t sequence : {9u, 20u, 0u, 0x8000'0000u, 0xffff'ffffu}) EXPECT_TRUE(notice(sequence));
  EXPECT_FALSE(sender.resend);
  nic.close_sender(sender);
  EXPECT_TRUE(notice(12));
  EXPECT_FALSE(sender.resend);
}

TEST_F(AtANic, SendsNothingAgainThatHasCome) {  // [PERFECT-H-2]
  notice(12);
  notice(15);
  ack(14);
  EXPECT_THAT(resent(), ElementsAre(15));
  notice(16);
  ack(20);
  EXPECT_FALSE(sender.resend);
  ack(21);  // never sent
  EXPECT_EQ(sender.unacknowledged, 20u);
}

TEST_F(AtANic, KeepsWhatComesEarly) {  // [PERFECT-H-2]
  EXPECT_EQ(data(1, true).reply, Reply::ack);
  EXPECT_TRUE(data(2).accepted);
  EXPECT_FALSE(data(2).accepted);
  EXPECT_EQ(receiver.expected, 0u);
  const Reception filled = data(0, true);
  EXPECT_EQ(filled.completed_messages, 2u);
  EXPECT_EQ(receiver.expected, 3u);
  EXPECT_EQ(data(receiver.expected + PacketBitmap::kSpan).reply, Reply::none);
}

TEST_F(AtANic, ATimeoutSendsAgainAllThatIsInFlight) {  // [PERFECT-H-3]
  sender.next = 13;
  notice(11);
  policy->on_timeout(nic, sender);
  EXPECT_THAT(resent(), ElementsAre(10, 11, 12));
  EXPECT_EQ(policy->timeout(nic, sender), 1_ms);
  Parameters parameters(scheme.parameters);
  parameters.set("timeout", Duration());
  EXPECT_EQ(scheme.loss_recovery(parameters)->timeout(nic, sender), Duration::max());
}

TEST_F(AtANic, HasNoMoreInFlightThanTheReceiverCanKeep) {  // [PERFECT-H-4]
  EXPECT_EQ(sender.packet_limit, PacketBitmap::kSpan);
}

}  // namespace
}  // namespace weir::perfect_retransmission::perfect_retransmission_test
