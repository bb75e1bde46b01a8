// SPDX-License-Identifier: Apache-2.0
#include "schemes/red/red.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>

#include "policy/testing/fake_switch.h"
#include "schemes/test_parameters.h"

namespace weir::red::red_test {
namespace {

using namespace literals;
using testing::IsEmpty;
using testing::SizeIs;
using testing_scheme::Values;
using testing_scheme::with;

/// A switch of two ports, of 25 and 100 Gbit/s, and the policy attached to it.
struct Setting {
  explicit Setting(const Values& values = {}) : policy(scheme.congestion_point(with(scheme, values))) {
    context.set_rate(PortId(0), 25_Gbps);
    policy->attach(context);
  }
  /// How many of `frames` frames that leave `port` are marked if `bytes` remain queued behind them.
  int marked(std::int64_t bytes, int frames = 1, PortId port = PortId(0)) {
    const QueueId queue = context.default_queue(port, 3);
    context.queue_state(queue).bytes = bytes;
    int count = 0;
    Frame& frame = context.new_frame(PortId(1), port, 3);
    for (int i = 0; i < frames; ++i) {
      frame.set_ecn(Ecn::capable);
      policy->on_depart(context, queue, frame);
      count += frame.ecn() == Ecn::congestion_experienced ? 1 : 0;
    }
    context.frames().release(context.frames().id_of(frame));
    return count;
  }

  FakeSwitch context{2};
  std::unique_ptr<CongestionPoint> policy;
};

TEST(Red, MarksNothingUpToKminAndEverythingAboveKmax) {
  Setting setting;
  EXPECT_EQ(setting.marked(0, 1'000), 0);
  EXPECT_EQ(setting.marked(100'000, 1'000), 0);  // [RED-1]
  EXPECT_EQ(setting.marked(400'001, 1'000), 1'000);
}

TEST(Red, MarksWithALinearProbabilityBetween) {
  Setting setting;
  EXPECT_NEAR(setting.marked(175'000, 40'000), 2'000, 200);  // [RED-1] a quarter of 0.2
  EXPECT_NEAR(setting.marked(250'000, 40'000), 4'000, 300);
  EXPECT_NEAR(setting.marked(400'000, 40'000), 8'000, 400);
  Setting steep({{"pmax", 1.0}});
  EXPECT_NEAR(steep.marked(250'000, 40'000), 20'000, 600);
}

TEST(Red, IsAStepWhenTheThresholdsMeet) {
  Setting setting({{"kmin", Bytes(300'000)}, {"kmax", Bytes(300'000)}, {"pmax", 1.0}});
  EXPECT_EQ(setting.marked(300'000, 100), 0);
  EXPECT_EQ(setting.marked(300'001, 100), 100);  // [RED-1]
}

TEST(Red, DrawsOnlyWhereItMatters) {
  Setting setting;
  RandomStream untouched = setting.context.random();
  setting.marked(100'000, 10);
  setting.marked(400'001, 10);
  EXPECT_EQ(setting.context.random().next(), untouched.next());  // [RED-1]
}

TEST(Red, EvaluatesTheLengthTheFlowControlSignals) {
  Setting setting;
  setting.context.set_signalled_length([](QueueId, const Frame&) { return 50'000; });
  EXPECT_EQ(setting.marked(900'000), 0);
  setting.context.set_signalled_length([](QueueId, const Frame&) { return 500'000; });
  EXPECT_EQ(setting.marked(0), 1);  // [RED-2]
}

TEST(Red, MarksDataThatCanBeMarked) {
  Setting setting;
  const QueueId queue = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(queue).bytes = 1'000'000;
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  frame.set_ecn(Ecn::not_capable);
  setting.policy->on_depart(setting.context, queue, frame);
  EXPECT_EQ(frame.ecn(), Ecn::not_capable);  // [RED-3]
  frame.set_ecn(Ecn::congestion_experienced);
  setting.policy->on_depart(setting.context, queue, frame);
  EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);
  for (const FrameKind kind : {FrameKind::ack, FrameKind::nack, FrameKind::cnp, FrameKind::host_control}) {
    frame.kind = kind;
    frame.set_ecn(Ecn::capable);
    setting.policy->on_depart(setting.context, queue, frame);
    EXPECT_EQ(frame.ecn(), Ecn::capable);
  }
}

TEST(Red, MarksDatagramsToo) {
  Setting setting;
  const QueueId queue = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(queue).bytes = 1'000'000;
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  frame.kind = FrameKind::datagram;
  setting.policy->on_depart(setting.context, queue, frame);
  EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);  // [RED-3]
}

TEST(Red, LeavesTheOtherFlagsAlone) {
  Setting setting;
  const QueueId queue = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(queue).bytes = 1'000'000;
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  frame.set_ends_message(true);
  frame.set_wants_ack(true);
  setting.policy->on_depart(setting.context, queue, frame);
  EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);
  EXPECT_TRUE(frame.ends_message() && frame.wants_ack());
  EXPECT_FALSE(frame.corrupt() || frame.echoes_congestion() || frame.retransmitted());
}

TEST(Red, ScalesWithTheRateOfThePort) {
  Setting setting({{"pmax", 1.0}});
  EXPECT_EQ(setting.marked(400'000, 100, PortId(1)), 0);  // [RED-4] 400 KB is kmin at 100 Gbit/s
  EXPECT_EQ(setting.marked(1'600'001, 100, PortId(1)), 100);
  EXPECT_NEAR(setting.marked(1'000'000, 10'000, PortId(1)), 5'000, 300);
  Setting fixed({{"scale_with_rate", false}});
  EXPECT_EQ(fixed.marked(400'001, 100, PortId(1)), 100);
}

TEST(Red, MarksAtDequeueOrAtEnqueue) {
  const Setting dequeue;
  EXPECT_TRUE(dequeue.policy->hooks().depart_if_queued);
  EXPECT_FALSE(dequeue.policy->hooks().enter);

  Setting enqueue({{"mark_at", std::string("enqueue")}});
  EXPECT_FALSE(enqueue.policy->hooks().depart_if_queued);
  EXPECT_TRUE(enqueue.policy->hooks().enter);
  const QueueId queue = enqueue.context.default_queue(PortId(0), 3);
  enqueue.context.queue_state(queue).bytes = 400'001;
  Frame& frame = enqueue.context.new_frame(PortId(1), PortId(0), 3);
  enqueue.policy->on_enter(enqueue.context, queue, frame);
  EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);
}

TEST(Red, EvaluatesOnceAHop) {
  Setting setting({{"mark_at", std::string("enqueue")}});
  const QueueId stage = setting.context.new_queue(
      {.port = PortId(0), .priority = 3, .stage = 1, .service = Service::at_rate, .weight = 1, .ideal = false});
  const QueueId voq = setting.context.new_queue(
      {.port = PortId::none(), .priority = 3, .stage = 1, .service = Service::released, .weight = 1, .ideal = false});
  Frame& frame = setting.context.new_frame(PortId(1), PortId(0), 3);
  for (const QueueId queue : {stage, voq}) {
    setting.context.queue_state(queue).bytes = 1'000'000;
    setting.policy->on_enter(setting.context, queue, frame);
    EXPECT_EQ(frame.ecn(), Ecn::capable);  // [RED-5]
  }
  const QueueId last = setting.context.default_queue(PortId(0), 3);
  setting.context.queue_state(last).bytes = 1'000'000;
  setting.policy->on_enter(setting.context, last, frame);
  EXPECT_EQ(frame.ecn(), Ecn::congestion_experienced);
}

TEST(Red, RejectsThresholdsTheWrongWayRound) {
  EXPECT_THAT(scheme.errors(with(scheme, {})), IsEmpty());
  EXPECT_THAT(scheme.errors(with(scheme, {{"kmin", Bytes(400'001)}})), SizeIs(1));
}

}  // namespace
}  // namespace weir::red::red_test
