// SPDX-License-Identifier: Apache-2.0
#include "schemes/dqa/dqa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "policy/testing/fake_switch.h"

namespace weir::dqa::dqa_test {
namespace {

/// The queues of a switch with two ports, and their frames.
struct Setting {
  explicit Setting(std::int64_t queues = 4, std::int64_t factor = 100) {
    Parameters parameters(scheme.parameters);
    parameters.set("queues", queues);
    parameters.set("flow_table_factor", factor);
    policy = scheme.flow_control(parameters);
    policy->attach(context);
  }
  Frame& frame_of(std::size_t flow, PortId egress = PortId(1), Priority priority = 3) {
    Frame& frame = context.new_frame(PortId(0), egress, priority);
    frame.source = HostId(flow);
    frame.destination = HostId(1'000);
    return frame;
  }
  /// Puts a frame of the flow into its queue.
  QueueId enter(std::size_t flow, PortId egress = PortId(1), Priority priority = 3) {
    Frame& frame = frame_of(flow, egress, priority);
    const QueueId queue = policy->classifier()->classify(context, frame);
    ++context.queue_state(queue).frames;
    held[flow].push_back({&frame, queue});
    return queue;
  }
  struct Held {
    Frame* frame;
    QueueId queue;
  };
  Held take(std::size_t flow) {
    const Held first = held[flow].front();
    held[flow].erase(held[flow].begin());
    --context.queue_state(first.queue).frames;
    return first;
  }
  void depart(std::size_t flow) {
    const Held first = take(flow);
    policy->on_depart(context, first.queue, *first.frame);
  }

  FakeSwitch context{2};
  std::unique_ptr<FlowControl> policy;
  std::map<std::size_t, std::vector<Held>> held;
};

TEST(Dqa, HasItsQueuesAtEachPortAndPriority) {
  Setting setting;
  EXPECT_NE(setting.policy->classifier(), nullptr);
  EXPECT_EQ(setting.context.queues(), 2u * kPriorities * 4);  // [DQA-1]
  for (std::size_t port = 0; port < 2; ++port) {
    std::set<QueueId> seen;
    for (std::size_t flow = 0; flow < 4; ++flow) seen.insert(setting.enter(flow, PortId(port), 5));
    EXPECT_EQ(seen.size(), 4u);
    for (const QueueId queue : seen) {
      EXPECT_EQ(setting.context.queue(queue).port, PortId(port));
      EXPECT_EQ(setting.context.queue(queue).priority, 5);
    }
    EXPECT_TRUE(seen.contains(setting.context.default_queue(PortId(port), 5)));
  }
}

TEST(Dqa, GivesEachFlowAnEmptyQueueWhileThereIsOne) {
  Setting setting(200);
  std::set<QueueId> seen;
  for (std::size_t flow = 0; flow < 200; ++flow) seen.insert(setting.enter(flow));
  // [DQA-2] Except for two flows with the same index (20,000 entries), which share a queue.
  EXPECT_GE(seen.size(), 196u);
}

TEST(Dqa, KeepsAFlowInItsQueueWhileItIsActive) {
  Setting setting;
  const QueueId first = setting.enter(1);
  EXPECT_EQ(setting.enter(1), first);
  EXPECT_NE(setting.enter(2), first);
  setting.depart(1);
  EXPECT_EQ(setting.enter(1), first);  // [DQA-2] one of its frames is still there
  EXPECT_NE(setting.enter(3), first);
}

TEST(Dqa, AssignsAFlowAnewWhenItComesBack) {
  Setting setting;
  const QueueId first = setting.enter(1);
  setting.depart(1);
  EXPECT_EQ(setting.enter(2), first);  // [DQA-4] it was empty
  EXPECT_NE(setting.enter(1), first);  // [DQA-2]
}

TEST(Dqa, SharesAQueueAtRandomWhenNoneIsEmpty) {
  Setting setting(4, 1'000);
  for (std::size_t flow = 0; flow < 4; ++flow) setting.enter(flow);
  std::map<QueueId, int> shared;
  for (std::size_t flow = 10; flow < 410; ++flow) ++shared[setting.enter(flow)];
  EXPECT_EQ(shared.size(), 4u);
  for (const auto& [queue, flows] : shared) EXPECT_NEAR(flows, 100, 40);  // [DQA-2]
}

TEST(Dqa, AQueueThatIsSharedIsEmptyWhenItsLastFrameLeaves) {
  Setting setting(1);
  const QueueId only = setting.enter(1);
  setting.enter(2);
  setting.depart(1);
  const RandomStream before = setting.context.random();
  EXPECT_EQ(setting.enter(3), only);  // drawn at random: another flow uses it
  RandomStream untouched = before;
  EXPECT_NE(setting.context.random().next(), untouched.next());
  setting.depart(2);
  setting.depart(3);
  const RandomStream again = setting.context.random();
  setting.enter(4);  // [DQA-4] not drawn at random
  untouched = again;
  EXPECT_EQ(setting.context.random().next(), untouched.next());
}

TEST(Dqa, FlowsOfOneIndexShareAQueue) {
  Setting setting(4, 1);
  // Four entries: two of five flows share one.
  std::map<QueueId, int> flows;
  for (std::size_t flow = 0; flow < 5; ++flow) ++flows[setting.enter(flow)];
  EXPECT_LT(flows.size(), 5u);  // [DQA-3]
}

TEST(Dqa, CountsWhatIsDroppedAfterItWasAdmitted) {
  Setting setting(1);
  setting.enter(1);
  Frame& refused = setting.frame_of(1);
  refused.charged_bytes = 0;
  setting.policy->on_drop(setting.context, QueueId::none(), refused, DropReason::egress_threshold);
  const Setting::Held flushed = setting.take(1);
  setting.policy->on_drop(setting.context, flushed.queue, *flushed.frame, DropReason::link_down);  // [DQA-4]
  RandomStream untouched = setting.context.random();
  setting.enter(2);  // into an empty queue: not drawn at random
  EXPECT_EQ(setting.context.random().next(), untouched.next());
}

TEST(Dqa, SaysWhenItsTablesTakeMuchMemory) {
  const auto warnings = [](std::int64_t queues, std::int64_t factor) {
    Parameters parameters(scheme.parameters);
    EXPECT_TRUE(parameters.set("queues", queues) && parameters.set("flow_table_factor", factor));
    SchemeSurroundings around;
    around.network.switch_ports = 320;
    return scheme.warnings(parameters, around);
  };
  EXPECT_THAT(warnings(32, 100), testing::IsEmpty());
  // 1,024 x 1,000 entries of 8 bytes, eight times at 320 ports
  EXPECT_THAT(warnings(1'024, 1'000), testing::ElementsAre(testing::AllOf(
                                          testing::HasSubstr("take 20971 MB"),
                                          testing::HasSubstr("flow_table_factor, 47 for 1000 MB"))));  // [DQA-5]
  EXPECT_THAT(warnings(1'024, 47), testing::IsEmpty());
}

}  // namespace
}  // namespace weir::dqa::dqa_test
