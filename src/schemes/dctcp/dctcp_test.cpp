// SPDX-License-Identifier: Apache-2.0
#include "schemes/dctcp/dctcp.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "policy/testing/fake_nic.h"

namespace weir::dctcp::dctcp_test {
namespace {

using namespace literals;

class DctcpTest : public testing::Test {
 protected:
  DctcpTest() { make(Parameters(scheme.parameters)); }

  void make(const Parameters& parameters) {
    policy = scheme.congestion_control(parameters);
    sender.base_round_trip = 4_us;
    policy->open(nic, sender);
    policy->open(nic, receiver);
  }
  /// Packet `expected` arrives in order and is acknowledged or not. Returns the echo of the acknowledgement.
  bool data(bool marked, bool answered) {
    Frame frame{};
    frame.kind = FrameKind::data;
    frame.sequence = receiver.expected++;
    frame.set_ecn(marked ? Ecn::congestion_experienced : Ecn::capable);
    Frame reply{};
    policy->on_data(nic, receiver, frame, answered ? &reply : nullptr);
    return reply.echoes_congestion();
  }
  void ack(bool echo) {
    Frame frame{};
    frame.kind = FrameKind::ack;
    frame.set_echoes_congestion(echo);
    sender.acknowledged_bytes += 1'000;
    sender.next_bytes = sender.acknowledged_bytes + 49'000;
    policy->on_ack(nic, sender, {frame, 1'000});
  }

  FakeNic nic;
  SendState& sender = nic.open_sender(HostId(7), 3);
  ReceiveState& receiver = nic.open_receiver(HostId(7), 3);
  std::unique_ptr<CongestionControl> policy;
};

TEST_F(DctcpTest, StartsAtLineRateWithOneBandwidthDelayProduct) {  // [DCTCP-START-1]
  EXPECT_EQ(sender.window, 50'000);
  EXPECT_EQ(sender.rate, 100_Gbps);
}

TEST_F(DctcpTest, MayStartWithTenPackets) {  // [DCTCP-START-2]
  Parameters parameters(scheme.parameters);
  parameters.set("start", std::string("slow_start"));
  make(parameters);
  EXPECT_EQ(sender.window, 10'000);
  sender.acknowledged_bytes = 1'000;
  sender.next_bytes = 10'000;
  Frame frame{};
  policy->on_ack(nic, sender, {frame, 1'000});
  EXPECT_EQ(sender.window, 11'000);
}

TEST_F(DctcpTest, PacesItsWindowOverTheRoundTripOnRequest) {  // [DCTCP-PACE-1]
  Parameters parameters(scheme.parameters);
  parameters.set("paced", true);
  make(parameters);
  EXPECT_EQ(sender.rate, 100_Gbps);  // one window per round trip at line rate
  ack(true);
  EXPECT_EQ(sender.rate, 50_Gbps);
  parameters.set("start", std::string("slow_start"));
  make(parameters);
  EXPECT_EQ(sender.rate, 20_Gbps);
}

TEST_F(DctcpTest, KeepsLineRateWithALargerWindowThanTheProduct) {  // [DCTCP-PACE-1]
  Parameters parameters(scheme.parameters);
  parameters.set("paced", true);
  parameters.set("start", std::string("slow_start"));
  parameters.set("initial_window", Bytes(80'000));
  make(parameters);
  EXPECT_EQ(sender.window, 80'000);
  EXPECT_EQ(sender.rate, 100_Gbps);
}

TEST_F(DctcpTest, AnEchoCutsTheWindow) {  // [DCTCP-CUT-1]
  ack(true);
  EXPECT_EQ(sender.window, 25'000);
  EXPECT_EQ(sender.rate, 100_Gbps);
}

TEST_F(DctcpTest, ALossCutsTheWindow) {  // [DCTCP-LOSS-1]
  ack(false);
  policy->on_loss(nic, sender);
  EXPECT_NEAR(static_cast<double>(sender.window), 25'000, 20);
}

TEST_F(DctcpTest, EachAnswerEchoesItsPacket) {  // [DCTCP-ECHO-1]
  EXPECT_FALSE(data(false, true));
  EXPECT_TRUE(data(true, true));
  EXPECT_FALSE(data(false, true));
  EXPECT_TRUE(nic.sent().empty());
}

TEST_F(DctcpTest, AChangeOfMarksIsAnsweredAtOnce) {  // [DCTCP-ECHO-2]
  data(false, false);
  data(false, false);
  EXPECT_TRUE(nic.sent().empty());
  data(true, false);  // packet 2: the packets before it are acknowledged as unmarked
  ASSERT_EQ(nic.sent().size(), 1u);
  EXPECT_EQ(nic.sent()[0].frame.kind, FrameKind::ack);
  EXPECT_EQ(nic.sent()[0].frame.sequence, 2u);
  EXPECT_EQ(nic.sent()[0].frame.destination, HostId(7));
  EXPECT_FALSE(nic.sent()[0].frame.echoes_congestion());
  data(true, false);
  EXPECT_FALSE(data(false, true));  // packet 4, which is acknowledged itself
  ASSERT_EQ(nic.sent().size(), 2u);
  EXPECT_EQ(nic.sent()[1].frame.sequence, 4u);
  EXPECT_TRUE(nic.sent()[1].frame.echoes_congestion());
  EXPECT_TRUE(data(true, true));  // no packet was unacknowledged
  EXPECT_EQ(nic.sent().size(), 2u);
}

TEST_F(DctcpTest, APacketOutOfOrderAcknowledgesNoMoreThanCame) {  // [DCTCP-ECHO-2]
  data(false, false);
  Frame frame{};
  frame.kind = FrameKind::data;
  frame.sequence = 5;
  frame.set_ecn(Ecn::congestion_experienced);
  policy->on_data(nic, receiver, frame, nullptr);
  ASSERT_EQ(nic.sent().size(), 1u);
  EXPECT_EQ(nic.sent()[0].frame.sequence, 1u);
}

TEST_F(DctcpTest, WithoutAFrameLeftTheNextAnswerCounts) {  // [DCTCP-ECHO-2]
  std::vector<FrameId> taken;
  for (FrameId id = nic.frames().allocate(); id.exists(); id = nic.frames().allocate()) taken.push_back(id);
  data(false, false);
  EXPECT_TRUE(data(true, true));
  EXPECT_TRUE(nic.sent().empty());
}

}  // namespace
}  // namespace weir::dctcp::dctcp_test
