// SPDX-License-Identifier: Apache-2.0
#include "schemes/qcn/qcn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "policy/testing/fake_nic.h"
#include "policy/testing/fake_switch.h"
#include "schemes/qcn/congestion_point.h"
#include "schemes/test_parameters.h"

namespace weir::qcn::qcn_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scheme::Values;
using testing_scheme::with;

// ---- the congestion point ----

TEST(QcnFeedback, IsTheDistanceFromTheSetPointAndTheChange) {
  CongestionPointSettings settings;
  settings.set_point = 26'000;
  settings.weight = 2;
  // [QCN-CP-1] [QCN-CP-2] In 63 steps of 26,000 (2 x 2 + 1) = 130,000 bytes.
  EXPECT_EQ(quantised_feedback(settings, 26'000, 26'000), 0u);
  EXPECT_EQ(quantised_feedback(settings, 91'000, 91'000), 31u);
  EXPECT_EQ(quantised_feedback(settings, 39'000, 13'000), 31u);  // 13,000 + 2 x 26,000
  EXPECT_EQ(quantised_feedback(settings, 26'000 + 2'064, 26'000 + 2'064), 1u);
  EXPECT_EQ(quantised_feedback(settings, 26'000 + 2'063, 26'000 + 2'063), 0u);
  EXPECT_EQ(quantised_feedback(settings, 156'000, 156'000), 63u);
  EXPECT_EQ(quantised_feedback(settings, 10'000'000, 0), 63u);
  EXPECT_EQ(quantised_feedback(settings, 50'000, 90'000), 0u);  // long, but shrinking
  EXPECT_EQ(quantised_feedback(settings, 0, 0), 0u);
}

struct AtASwitch {
  explicit AtASwitch(const Values& values = {{"jitter", 0.0}}) {
    policy = scheme.congestion_point(with(scheme, values));
    policy->attach(context);
  }
  /// Frames of 1,000 bytes enter a queue of `length` bytes; returns the number of frames until the first notification,
  /// or `most`.
  int enter_until_told(std::int64_t length, int most = 1'000) {
    const QueueId queue = context.default_queue(PortId(0), 3);
    context.queue_state(queue).bytes = length;
    Frame& frame = context.new_frame(PortId(1), PortId(0), 3);
    frame.frame_bytes = 1'000;
    frame.source = HostId(5);
    frame.destination = HostId(9);
    frame.queue_pair = QueuePairId(77);
    int entered = 0;
    while (context.sent().empty() && entered < most) {
      policy->on_enter(context, queue, frame);
      ++entered;
    }
    context.frames().release(context.frames().id_of(frame));
    return entered;
  }
  FakeSwitch context{2};
  std::unique_ptr<CongestionPoint> policy;
};

TEST(QcnCongestionPoint, SamplesMoreOftenTheMoreCongestedItIs) {
  AtASwitch setting;
  EXPECT_EQ(setting.enter_until_told(100'000'000), 150);  // [QCN-CP-3] no congestion so far
  setting.context.release_sent();
  EXPECT_EQ(setting.enter_until_told(100'000'000), 19);  // an eighth: 18,750 bytes
  setting.context.release_sent();
  setting.enter_until_told(91'000, 19);  // far below the last sample: no feedback
  EXPECT_THAT(setting.context.sent(), IsEmpty());
  EXPECT_EQ(setting.enter_until_told(91'000), 150);  // 31: 31 / 8 = 3
  setting.context.release_sent();
  EXPECT_EQ(setting.enter_until_told(91'000), 38);  // a fourth: 37,500 bytes
}

TEST(QcnCongestionPoint, JitterMovesTheSamples) {
  int least = 1'000;
  int most = 0;
  for (int i = 0; i < 300; ++i) {
    AtASwitch fresh(Values{});
    fresh.context.set_random(RandomStream(static_cast<std::uint64_t>(i), 0, 0));
    fresh.policy->attach(fresh.context);
    const int entered = fresh.enter_until_told(91'000);
    least = std::min(least, entered);
    most = std::max(most, entered);
  }
  EXPECT_GE(least, 127);  // [QCN-CP-3]
  EXPECT_LE(most, 173);
  EXPECT_GT(most - least, 30);
}

TEST(QcnCongestionPoint, TellsTheSourceOfTheSampledFrame) {
  AtASwitch setting;
  setting.enter_until_told(91'000);
  ASSERT_THAT(setting.context.sent(), SizeIs(1));  // [QCN-CP-4]
  const auto& sent = setting.context.sent().front();
  EXPECT_FALSE(sent.port.exists());  // by the ordinary routes
  EXPECT_EQ(sent.frame.kind, FrameKind::host_control);
  EXPECT_EQ(sent.frame.protocol, kProtocol);
  EXPECT_EQ(sent.frame.destination, HostId(5));
  EXPECT_EQ(sent.frame.source, HostId(9));
  EXPECT_EQ(sent.frame.queue_pair, QueuePairId(77));
  EXPECT_EQ(sent.frame.tag, 63);  // 91,000 - 26,000 + 2 x 91,000 is above 130,000
  EXPECT_EQ(sent.frame.frame_bytes, 66);
  EXPECT_EQ(sent.frame.priority, 7);
}

TEST(QcnCongestionPoint, TellsNobodyWithoutCongestion) {
  AtASwitch setting;
  setting.enter_until_told(5'000, 10'000);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [QCN-CP-4]
}

TEST(QcnCongestionPoint, IsSilentWhenThePoolIsEmpty) {
  AtASwitch setting;
  const QueueId queue = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(queue).bytes = 91'000;
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  while (setting.context.frames().allocate().exists()) {
  }
  for (int i = 0; i < 1'000; ++i) setting.policy->on_enter(setting.context, queue, frame);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [QCN-CP-4]
}

TEST(QcnCongestionPoint, SamplesDataWhereItWaitsForTheWire) {
  AtASwitch setting;
  QueueSpec spec;
  spec.port = PortId(0);
  spec.priority = 3;
  spec.stage = 1;
  spec.service = Service::at_rate;
  const QueueId stage = setting.context.new_queue(spec);
  setting.context.queue_state(stage).bytes = 1'000'000;
  const QueueId last = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(last).bytes = 1'000'000;
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  for (int i = 0; i < 1'000; ++i) setting.policy->on_enter(setting.context, stage, frame);
  frame.kind = FrameKind::ack;
  for (int i = 0; i < 1'000; ++i) setting.policy->on_enter(setting.context, last, frame);
  EXPECT_THAT(setting.context.sent(), IsEmpty());  // [QCN-CP-3]
  frame.kind = FrameKind::datagram;
  for (int i = 0; i < 1'000; ++i) setting.policy->on_enter(setting.context, last, frame);
  EXPECT_THAT(setting.context.sent(), testing::Not(IsEmpty())) << "datagrams are sampled as data are";
}

// ---- the NIC ----

struct AtANic {
  AtANic() {
    nic.set_congestion_control(*policy);
    policy->open(nic, sender);
  }
  bool notify(std::uint16_t feedback, std::uint8_t protocol = kProtocol) {
    Frame frame{};
    frame.kind = FrameKind::host_control;
    frame.protocol = protocol;
    frame.source = sender.remote;
    frame.queue_pair = sender.remote_number;
    frame.tag = feedback;
    return policy->on_feedback(nic, frame);
  }
  void send(int frames) {
    Frame frame{};
    frame.frame_bytes = 1'000;
    for (int i = 0; i < frames; ++i) policy->on_sent(nic, sender, frame);
  }
  FakeNic nic;
  std::unique_ptr<CongestionControl> policy = scheme.congestion_control(with(scheme, {{"jitter", 0.0}}));
  SendState& sender = nic.open_sender();
};

TEST(Qcn, CutsTheRateOfTheFlowThatIsNamed) {
  AtANic at;
  EXPECT_EQ(at.sender.rate, 100_Gbps);
  EXPECT_TRUE(at.notify(32));
  EXPECT_EQ(at.sender.rate, 75_Gbps);  // [QCN-RP-2]
}

TEST(Qcn, IgnoresFeedbackThatNoCongestionPointSends) {
  AtANic at;
  EXPECT_FALSE(at.notify(32, kProtocol + 1));
  EXPECT_TRUE(at.notify(0));
  EXPECT_TRUE(at.notify(64));
  EXPECT_TRUE(at.notify(0xffff));
  EXPECT_EQ(at.sender.rate, 100_Gbps);  // [QCN-RP-9]
  at.nic.close_sender(at.sender);
  EXPECT_TRUE(at.notify(32));
  EXPECT_EQ(at.sender.rate, 100_Gbps);
}

TEST(Qcn, RecoversByBytesAndByTime) {
  AtANic at;
  at.notify(32);
  at.send(149);
  EXPECT_EQ(at.sender.rate, 75_Gbps);
  at.send(1);
  EXPECT_EQ(at.sender.rate, 87'500_Mbps);  // [QCN-RP-3]
  at.nic.run_until(Time() + 15_ms - 1_ps);
  EXPECT_EQ(at.sender.rate, 87'500_Mbps);
  at.nic.run_until(Time() + 15_ms);
  EXPECT_EQ(at.sender.rate, 93'750_Mbps);  // [QCN-RP-4]
  EXPECT_EQ(at.nic.deadline(at.sender), Time() + 30_ms);
}

TEST(Qcn, StopsItsTimerAtLineRate) {
  AtANic at;
  at.notify(1);
  at.nic.run_until(Time() + 2_s);
  EXPECT_EQ(at.sender.rate, 100_Gbps);
  EXPECT_EQ(at.nic.deadline(at.sender), Time::never());  // [QCN-RP-1]
}

}  // namespace
}  // namespace weir::qcn::qcn_test
