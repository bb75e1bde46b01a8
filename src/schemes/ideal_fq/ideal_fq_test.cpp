// SPDX-License-Identifier: Apache-2.0
#include "schemes/ideal_fq/ideal_fq.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <set>

#include "policy/testing/fake_switch.h"

namespace weir::ideal_fq::ideal_fq_test {
namespace {

struct Setting {
  Setting() { policy->attach(context); }
  Frame& frame_of(std::size_t flow, PortId egress = PortId(1), Priority priority = 3) {
    Frame& frame = context.new_frame(PortId(0), egress, priority);
    frame.source = HostId(1);
    frame.destination = HostId(2);
    frame.queue_pair = QueuePairId(flow);
    return frame;
  }
  QueueId enter(Frame& frame) {
    const QueueId queue = policy->classifier()->classify(context, frame);
    ++context.queue_state(queue).frames;
    return queue;
  }
  void depart(Frame& frame, QueueId queue) {
    --context.queue_state(queue).frames;
    policy->on_depart(context, queue, frame);
  }
  FakeSwitch context{2, 8192};
  std::unique_ptr<FlowControl> policy = scheme.flow_control(Parameters(scheme.parameters));
};

TEST(IdealFq, HasAQueueForEachFlow) {
  Setting setting;
  EXPECT_TRUE(scheme.traits.ideal);
  std::set<QueueId> seen;
  for (std::size_t flow = 0; flow < 3'000; ++flow) {
    const QueueId queue = setting.enter(setting.frame_of(flow));
    EXPECT_EQ(setting.enter(setting.frame_of(flow)), queue);
    EXPECT_EQ(setting.context.queue(queue).port, PortId(1));
    EXPECT_EQ(setting.context.queue(queue).priority, 3);
    EXPECT_TRUE(setting.context.queue(queue).ideal);
    seen.insert(queue);
  }
  EXPECT_EQ(seen.size(), 3'000u);  // [IFQ-1]
}

TEST(IdealFq, TellsFlowsApartByAllThatNamesThem) {
  Setting setting;
  std::set<QueueId> seen;
  seen.insert(setting.enter(setting.frame_of(5)));
  seen.insert(setting.enter(setting.frame_of(6)));
  seen.insert(setting.enter(setting.frame_of(5, PortId(0))));
  seen.insert(setting.enter(setting.frame_of(5, PortId(1), 4)));
  Frame& source = setting.frame_of(5);
  source.source = HostId(3);
  seen.insert(setting.enter(source));
  Frame& destination = setting.frame_of(5);
  destination.destination = HostId(3);
  seen.insert(setting.enter(destination));
  Frame& acknowledgement = setting.frame_of(5);
  acknowledgement.kind = FrameKind::ack;
  seen.insert(setting.enter(acknowledgement));
  EXPECT_EQ(seen.size(), 7u);  // [IFQ-1]
}

TEST(IdealFq, UsesAQueueAgainWhenItsFlowHasNothingLeft) {
  Setting setting;
  Frame& first = setting.frame_of(1);
  Frame& second = setting.frame_of(1);
  const QueueId queue = setting.enter(first);
  setting.enter(second);
  setting.depart(first, queue);
  EXPECT_NE(setting.enter(setting.frame_of(2)), queue);
  setting.depart(second, queue);
  const std::size_t queues = setting.context.queues();
  EXPECT_EQ(setting.enter(setting.frame_of(3)), queue);  // [IFQ-2]
  EXPECT_EQ(setting.context.queues(), queues);
}

TEST(IdealFq, CountsWhatIsDroppedAfterItWasAdmitted) {
  Setting setting;
  Frame& refused = setting.frame_of(1);
  refused.charged_bytes = 0;
  setting.policy->on_drop(setting.context, QueueId::none(), refused, DropReason::egress_threshold);
  Frame& flushed = setting.frame_of(1);
  const QueueId queue = setting.enter(flushed);
  --setting.context.queue_state(queue).frames;
  setting.policy->on_drop(setting.context, queue, flushed, DropReason::link_down);
  EXPECT_EQ(setting.enter(setting.frame_of(2)), queue);  // [IFQ-2]
}

}  // namespace
}  // namespace weir::ideal_fq::ideal_fq_test
