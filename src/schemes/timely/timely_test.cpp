// SPDX-License-Identifier: Apache-2.0
#include "schemes/timely/timely.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "policy/testing/fake_nic.h"

namespace weir::timely::timely_test {
namespace {

using namespace literals;

constexpr std::uint16_t kFrame = 1066;
constexpr std::uint16_t kStamped = kFrame + 8;

class TimelyTest : public testing::Test {
 protected:
  TimelyTest() { make({}); }

  using Values = std::vector<std::pair<std::string_view, ParameterValue>>;
  void make(const Values& values) {
    Parameters parameters(scheme.parameters);
    for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
    policy = scheme.congestion_control(parameters);
    policy->attach(nic);
    policy->open(nic, sender);
    policy->open(nic, receiver);
  }
  Frame& new_frame(FrameKind kind) {
    Frame& frame = nic.frames()[nic.frames().allocate()];
    frame.kind = kind;
    return frame;
  }
  /// Sends a packet of 1,000 bytes.
  Frame& send_at(Duration time, bool ends_message = false) {
    nic.set_now(Time() + time);
    Frame& frame = new_frame(FrameKind::data);
    frame.payload_bytes = 1'000;
    frame.frame_bytes = kStamped;  // the NIC adds header_bytes()
    frame.set_ends_message(ends_message);
    policy->on_sent(nic, sender, frame);
    return frame;
  }
  /// The data reaches the receiver, whose acknowledgement returns at `time`.
  void answer_at(Duration time, Frame& data, std::int64_t acknowledged = 0, std::int64_t next = 0) {
    Frame& reply = new_frame(FrameKind::ack);
    policy->on_data(nic, receiver, data, &reply);
    nic.set_now(Time() + time);
    sender.acknowledged_bytes = acknowledged;
    sender.next_bytes = next;
    policy->on_ack(nic, sender, {reply, 1'000});
  }
  /// Two messages of one packet each, with round trips of 100 us and 100 us + `more`: cuts by the second one's
  /// gradient.
  void grow_by(Duration more) {
    const Duration wire = time_to_send(Bytes(kStamped + 20), 100_Gbps);
    answer_at(100_us + wire, send_at(0_us, true));
    answer_at(1'100_us + wire + more, send_at(1'000_us, true));
  }

  FakeNic nic;
  SendState& sender = nic.open_sender(HostId(7), 3);
  ReceiveState& receiver = nic.open_receiver(HostId(7), 3);
  std::unique_ptr<CongestionControl> policy;
};

TEST_F(TimelyTest, StartsAtLineRateWithoutAWindow) {  // [TIMELY-START-1]
  EXPECT_EQ(sender.rate, 100_Gbps);
  EXPECT_EQ(sender.window, kUnlimited);
}

TEST_F(TimelyTest, FramesAndAnswersHaveRoomForTheStamp) {  // [TIMELY-RTT-2]
  EXPECT_EQ(scheme.header_bytes(Parameters(scheme.parameters)).at_source, 8);
  EXPECT_TRUE(scheme.header_bytes(Parameters(scheme.parameters)).echoed);
}

TEST_F(TimelyTest, TheLastPacketOfASegmentIsStamped) {  // [TIMELY-SEG-1]
  for (int packet = 1; packet <= 40; ++packet) {
    EXPECT_EQ(send_at(1_us * packet).extension.exists(), packet % 16 == 0) << packet;
  }
  EXPECT_TRUE(send_at(50_us, true).extension.exists());  // a message ends a segment, too
  for (int packet = 1; packet <= 16; ++packet) {
    EXPECT_EQ(send_at(60_us).extension.exists(), packet == 16) << packet;
  }
}

TEST_F(TimelyTest, ARoundTripIsWithoutThePacketsOwnTime) {  // [TIMELY-RTT-1]
  grow_by(4_us);
  EXPECT_NEAR(sender.rate.gigabits_per_second(), 100 * (1 - 0.8 * 0.875 * 4 / 20), 1e-6);
}

TEST_F(TimelyTest, ASegmentInABurstIsTimedFromItsFirstPacket) {  // [TIMELY-RTT-1] [TIMELY-SEG-2]
  make({{"pacing", std::string("segment")}, {"segment", 2'000_B}});
  const Duration wire = time_to_send(Bytes(2 * (kStamped + 20)), 100_Gbps);
  send_at(0_us);
  answer_at(100_us + wire, send_at(1_us));
  send_at(1'000_us);
  answer_at(1'104_us + wire, send_at(1'003_us));
  EXPECT_NEAR(sender.rate.gigabits_per_second(), 100 * (1 - 0.8 * 0.875 * 4 / 20), 1e-6);
}

TEST_F(TimelyTest, ASegmentGoesAtLineRateAndTheGapMakesTheRate) {  // [TIMELY-SEG-2]
  make({{"pacing", std::string("segment")}, {"segment", 4'000_B}});
  EXPECT_TRUE(policy->hooks().next_send);
  sender.rate = 10_Gbps;
  const std::int64_t wire = kStamped + 20;
  const Duration packet = time_to_send(Bytes(wire), 100_Gbps);
  Time last;
  for (int i = 0; i < 3; ++i) {
    send_at(last.since_start());
    ASSERT_EQ(policy->next_send(nic, sender, last, wire), last + packet);
    last += packet;
  }
  send_at(last.since_start());
  EXPECT_EQ(policy->next_send(nic, sender, last, wire), Time() + time_to_send(Bytes(4 * wire), 10_Gbps));
  sender.rate = 20_Gbps;  // a change of rate moves the waiting packet
  EXPECT_EQ(policy->next_send(nic, sender, last, wire), Time() + time_to_send(Bytes(4 * wire), 20_Gbps));
}

TEST_F(TimelyTest, AnAnswerThatComesLaterTakesTheStampAlong) {  // [TIMELY-RTT-2]
  grow_by(0_us);
  Frame& data = send_at(2'000_us, true);
  policy->on_data(nic, receiver, data, nullptr);
  Frame& other = send_at(2'001_us);
  const BitRate before = sender.rate;
  answer_at(2'300_us, other);
  EXPECT_LT(sender.rate, before);
}

TEST_F(TimelyTest, AStampOfTheFutureOrOfLongAgoIsNotBelieved) {  // [TIMELY-RTT-4]
  grow_by(4_us);
  const BitRate before = sender.rate;
  Frame& ahead = send_at(5'000_us, true);
  answer_at(4'000_us, ahead);
  Frame& old = send_at(5'000_us, true);
  answer_at(20_s, old);
  answer_at(21_s, send_at(20_s));  // no stamp at all
  EXPECT_EQ(sender.rate, before);
}

TEST_F(TimelyTest, TheSimulatorStampsAllAndLooksOnceARoundTrip) {  // [TIMELY-SIM-1]
  make({{"variant", std::string("hpcc_simulator")}});
  answer_at(100_us, send_at(0_us), 1'000, 50'000);
  answer_at(1'400_us, send_at(1'000_us), 50'000, 90'000);  // of the same round trip
  EXPECT_EQ(sender.rate, 100_Gbps);
  answer_at(2'104_us, send_at(2'000_us), 51'000, 90'000);
  EXPECT_NEAR(sender.rate.gigabits_per_second(), 100 * (1 - 0.8 * 0.875 * 4 / 20), 1e-6);
}

TEST_F(TimelyTest, PatchedIsAVariant) {  // [TIMELY-PATCH-1]
  make({{"variant", std::string("patched")}});
  grow_by(4_us);
  EXPECT_NEAR(sender.rate.gigabits_per_second(), 100 * (1 - 0.008 * 0.85 * 1.08) + 0.01 * 0.15, 1e-6);
}

TEST_F(TimelyTest, RejectsWhatMakesNoSense) {
  Parameters parameters(scheme.parameters);
  EXPECT_TRUE(scheme.errors(parameters).empty());
  parameters.set("low_threshold", 600_us);
  EXPECT_EQ(scheme.errors(parameters).size(), 1u);
  parameters.set("variant", std::string("hpcc_simulator"));
  parameters.set("pacing", std::string("segment"));
  EXPECT_EQ(scheme.errors(parameters).size(), 2u);
}

}  // namespace
}  // namespace weir::timely::timely_test
