// SPDX-License-Identifier: Apache-2.0
#include "schemes/dcqcn/dcqcn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/testing/fake_nic.h"

namespace weir::dcqcn::dcqcn_test {
namespace {

using namespace literals;

Frame data_frame(Ecn ecn) {
  Frame frame{};
  frame.kind = FrameKind::data;
  frame.frame_bytes = 1066;
  frame.set_ecn(ecn);
  return frame;
}

class DcqcnTest : public testing::Test {
 protected:
  DcqcnTest() { make(Parameters(scheme.parameters)); }

  void make(const Parameters& parameters) {
    policy = scheme.congestion_control(parameters);
    ASSERT_LE(policy->sender_bytes(), 96u);
    policy->open(nic, sender);
    policy->open(nic, receiver);
  }
  void data_at(Duration since_start, Ecn ecn) {
    nic.set_now(Time() + since_start);
    Frame frame = data_frame(ecn);
    policy->on_data(nic, receiver, frame, nullptr);
  }
  void cnp_at(Duration since_start) {
    nic.set_now(Time() + since_start);
    policy->on_cnp(nic, sender, Frame{});
  }

  FakeNic nic;
  SendState& sender = nic.open_sender(HostId(7), 3);
  ReceiveState& receiver = nic.open_receiver(HostId(7), 3);
  std::unique_ptr<CongestionControl> policy;
};

TEST_F(DcqcnTest, TheFirstMarkIsAnsweredAtOnce) {  // [DCQCN-NP-1]
  data_at(0_us, Ecn::capable);
  EXPECT_EQ(nic.sent().size(), 0u);
  data_at(3_us, Ecn::congestion_experienced);
  EXPECT_EQ(nic.sent().size(), 1u);
}

TEST_F(DcqcnTest, OneNotificationInFiftyMicroseconds) {  // [DCQCN-NP-1]
  data_at(3_us, Ecn::congestion_experienced);
  data_at(52'999_ns, Ecn::congestion_experienced);
  EXPECT_EQ(nic.sent().size(), 1u);
  data_at(53_us, Ecn::congestion_experienced);
  EXPECT_EQ(nic.sent().size(), 2u);
  data_at(200_us, Ecn::capable);
  EXPECT_EQ(nic.sent().size(), 2u);
}

TEST_F(DcqcnTest, QueuePairsAreNotifiedEachForItself) {  // [DCQCN-NP-1]
  ReceiveState& other = nic.open_receiver(HostId(8));
  policy->open(nic, other);
  data_at(3_us, Ecn::congestion_experienced);
  Frame frame = data_frame(Ecn::congestion_experienced);
  policy->on_data(nic, other, frame, nullptr);
  EXPECT_EQ(nic.sent().size(), 2u);
}

TEST_F(DcqcnTest, ANotificationGoesToTheSenderAheadOfData) {  // [DCQCN-NP-2]
  nic.set_host(HostId(2));
  nic.set_notification_priority(6);
  receiver.entropy = 0xc0de;
  data_at(3_us, Ecn::congestion_experienced);
  ASSERT_EQ(nic.sent().size(), 1u);
  const Frame& cnp = nic.sent()[0].frame;
  EXPECT_TRUE(nic.sent()[0].to_host);
  EXPECT_EQ(cnp.kind, FrameKind::cnp);
  EXPECT_EQ(cnp.source, HostId(2));
  EXPECT_EQ(cnp.destination, HostId(7));
  EXPECT_EQ(cnp.queue_pair, receiver.remote_number);
  EXPECT_EQ(cnp.priority, 6);
  EXPECT_EQ(cnp.entropy, 0xc0de);
  EXPECT_EQ(cnp.frame_bytes, nic.framing().cnp);
  EXPECT_EQ(cnp.ecn(), Ecn::not_capable);
}

TEST_F(DcqcnTest, ANotificationThatFindsNoFrameIsTriedAgain) {  // [DCQCN-NP-2]
  std::vector<FrameId> taken;
  for (FrameId id = nic.frames().allocate(); id.exists(); id = nic.frames().allocate()) taken.push_back(id);
  data_at(3_us, Ecn::congestion_experienced);
  EXPECT_EQ(nic.sent().size(), 0u);
  nic.frames().release(taken.back());
  data_at(4_us, Ecn::congestion_experienced);
  EXPECT_EQ(nic.sent().size(), 1u);
}

TEST_F(DcqcnTest, TheRateFollowsTheReactionPoint) {  // [DCQCN-RP-1] [DCQCN-RP-2]
  EXPECT_EQ(sender.rate, 100_Gbps);
  EXPECT_EQ(sender.window, kUnlimited);
  cnp_at(1_us);
  EXPECT_EQ(sender.rate, 50_Gbps);
  EXPECT_EQ(policy->next_send(nic, sender, nic.now(), 1'000), nic.now() + 160_ns);  // [DCQCN-RP-10]
  nic.set_now(Time() + 56_us);
  Frame frame = data_frame(Ecn::capable);
  policy->on_sent(nic, sender, frame);
  EXPECT_EQ(sender.rate, 75_Gbps);  // [DCQCN-RP-6]
}

TEST_F(DcqcnTest, TheInitialAlphaIsAParameter) {  // [DCQCN-ALPHA-1]
  Parameters parameters(scheme.parameters);
  EXPECT_EQ(parameters.get<double>("initial_alpha"), 1);
  parameters.set("initial_alpha", 0.5);
  make(parameters);
  cnp_at(1_us);
  EXPECT_EQ(sender.rate, 75_Gbps);
}

TEST_F(DcqcnTest, FramesCountForTheByteCounter) {  // [DCQCN-RP-5]
  cnp_at(1_us);
  Frame frame = data_frame(Ecn::capable);
  for (int i = 0; i < 10'000'000 / 1066; ++i) policy->on_sent(nic, sender, frame);
  EXPECT_EQ(sender.rate, 50_Gbps);
  policy->on_sent(nic, sender, frame);
  EXPECT_EQ(sender.rate, 75_Gbps);
}

TEST_F(DcqcnTest, StaysAtTheFlowsOwnLimit) {  // [DCQCN-RP-1]
  sender.line_rate = 25_Gbps;
  policy->open(nic, sender);
  EXPECT_EQ(sender.rate, 25_Gbps);
}

TEST_F(DcqcnTest, RejectsAnAlphaTimerThatRunsOutBetweenNotifications) {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(scheme.errors(parameters).empty());
  parameters.set("alpha_timer", 50_us);
  EXPECT_EQ(scheme.errors(parameters).size(), 1u);
  parameters.set("variant", std::string("hpcc_simulator"));
  EXPECT_TRUE(scheme.errors(parameters).empty());
}

/// The values that the public HPCC simulator's runner sets at 100 Gbit/s: the table in dcqcn.md.
Parameters hpcc_simulator() {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(parameters.set("variant", std::string("hpcc_simulator")));
  EXPECT_TRUE(parameters.set("alpha_timer", 1_us));
  EXPECT_TRUE(parameters.set("increase_timer", 300_us));
  EXPECT_TRUE(parameters.set("fast_recovery_steps", std::int64_t{1}));
  EXPECT_TRUE(parameters.set("additive_increase", 20_Mbps));
  EXPECT_TRUE(parameters.set("hyper_increase", 200_Mbps));
  EXPECT_TRUE(parameters.set("minimum_rate", 1_Gbps));
  EXPECT_TRUE(parameters.set("clamp_target_rate", false));
  return parameters;
}

class PolledDcqcnTest : public DcqcnTest {
 protected:
  PolledDcqcnTest() { make(hpcc_simulator()); }

  bool echo_of(Ecn ecn) {
    Frame data = data_frame(ecn);
    Frame reply{};
    policy->on_data(nic, receiver, data, &reply);
    return reply.echoes_congestion();
  }
  void ack_at(Duration since_start, bool echo) {
    nic.set_now(Time() + since_start);
    Frame ack{};
    ack.kind = FrameKind::ack;
    ack.set_echoes_congestion(echo);
    policy->on_ack(nic, sender, {ack, 1000});
  }
};

TEST_F(PolledDcqcnTest, AcknowledgementsEchoTheMark) {  // [DCQCN-SIM-1]
  EXPECT_FALSE(echo_of(Ecn::capable));
  EXPECT_TRUE(echo_of(Ecn::congestion_experienced));
  EXPECT_FALSE(echo_of(Ecn::capable));
  EXPECT_EQ(nic.sent().size(), 0u);
}

TEST_F(PolledDcqcnTest, AJoinedAcknowledgementEchoesAnyMark) {  // [DCQCN-SIM-1]
  data_at(1_us, Ecn::congestion_experienced);
  data_at(2_us, Ecn::capable);
  EXPECT_TRUE(echo_of(Ecn::capable));
  EXPECT_FALSE(echo_of(Ecn::capable));
}

TEST_F(PolledDcqcnTest, AnEchoCutsAtTheNextCheck) {  // [DCQCN-SIM-2] [DCQCN-SIM-4]
  ack_at(1_us, false);
  ack_at(10_us, true);
  EXPECT_EQ(sender.rate, 100_Gbps);
  ack_at(14_us, false);
  EXPECT_EQ(sender.rate, 100_Gbps);
  ack_at(15_us, false);
  const double alpha = (255.0 / 256) * (255.0 / 256) * (255.0 / 256) * (255.0 / 256);
  EXPECT_EQ(sender.rate, BitRate(static_cast<std::int64_t>(1e11 * (1 - alpha / 2))));
}

TEST_F(PolledDcqcnTest, ThePendingSendKeepsItsInstant) {  // [DCQCN-SIM-7]
  ack_at(10_us, true);
  Frame frame = data_frame(Ecn::capable);
  policy->on_sent(nic, sender, frame);
  const Time last = nic.now();
  ack_at(20_us, false);
  ASSERT_LT(sender.rate, 60_Gbps);
  EXPECT_EQ(policy->next_send(nic, sender, last, 1'000), last + 80_ns);
}

}  // namespace
}  // namespace weir::dcqcn::dcqcn_test
