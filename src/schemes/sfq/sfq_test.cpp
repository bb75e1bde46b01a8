// SPDX-License-Identifier: Apache-2.0
#include "schemes/sfq/sfq.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/testing/fake_switch.h"

namespace weir::sfq::sfq_test {
namespace {

using namespace literals;

using Values = std::vector<std::pair<std::string_view, ParameterValue>>;

struct Setting {
  explicit Setting(const Values& values = {}) {
    Parameters parameters(scheme.parameters);
    for (const auto& [name, value] : values) EXPECT_TRUE(parameters.set(name, value)) << name;
    policy = scheme.flow_control(parameters);
    policy->attach(context);
  }
  QueueId classify(std::size_t flow, PortId egress = PortId(1), Priority priority = 3) {
    Frame& frame = context.new_frame(PortId(0), egress, priority);
    frame.source = HostId(flow);
    frame.destination = HostId(1'000);
    const QueueId queue = policy->classifier()->classify(context, frame);
    context.frames().release(context.frames().id_of(frame));
    return queue;
  }
  FakeSwitch context{3};
  std::unique_ptr<FlowControl> policy;
};

TEST(Sfq, HasItsQueuesAtEachPortAndPriority) {
  Setting setting({{"queues", std::int64_t{4}}});
  EXPECT_NE(setting.policy->classifier(), nullptr);
  EXPECT_EQ(setting.context.queues(), 3u * kPriorities * 4);
  for (std::size_t port = 0; port < 3; ++port) {
    for (const Priority priority : {Priority{0}, Priority{7}}) {
      std::set<QueueId> seen;
      for (std::size_t flow = 0; flow < 200; ++flow) {
        const QueueId queue = setting.classify(flow, PortId(port), priority);
        EXPECT_EQ(setting.context.queue(queue).port, PortId(port));
        EXPECT_EQ(setting.context.queue(queue).priority, priority);
        EXPECT_EQ(setting.context.queue(queue).service, Service::scheduled);
        seen.insert(queue);
      }
      EXPECT_EQ(seen.size(), 4u);  // [SFQ-1]
      EXPECT_TRUE(seen.contains(setting.context.default_queue(PortId(port), priority)));
    }
  }
}

TEST(Sfq, KeepsAFlowInItsQueueAndSpreadsFlowsEvenly) {
  Setting setting;
  constexpr std::size_t kFlows = 32'000;
  std::map<QueueId, int> flows;
  for (std::size_t flow = 0; flow < kFlows; ++flow) {
    const QueueId queue = setting.classify(flow);
    EXPECT_EQ(setting.classify(flow), queue);  // [SFQ-2]
    ++flows[queue];
  }
  EXPECT_EQ(flows.size(), 32u);
  for (const auto& [queue, count] : flows) EXPECT_NEAR(count, kFlows / 32.0, 5 * 32) << queue.value;
}

TEST(Sfq, HashesAlikeAtEverySwitch) {
  Setting one;
  Setting other;
  other.context.set_id(SwitchId(7));
  Setting reseeded({{"seed", std::int64_t{99}}});
  int moved = 0;
  for (std::size_t flow = 0; flow < 100; ++flow) {
    EXPECT_EQ(one.classify(flow), other.classify(flow));  // [SFQ-2]
    moved += one.classify(flow) != reseeded.classify(flow) ? 1 : 0;
  }
  EXPECT_GT(moved, 80);
}

TEST(Sfq, ChangesItsHashWhenItIsToldTo) {
  Setting setting({{"perturbation", 10_us}});
  Setting still;
  EXPECT_EQ(still.context.timers(), 0u);
  const auto moved = [&] {
    int count = 0;
    for (std::size_t flow = 0; flow < 100; ++flow) count += setting.classify(flow) != still.classify(flow) ? 1 : 0;
    return count;
  };
  setting.context.run_until(Time() + 10_us - 1_ps);
  EXPECT_EQ(moved(), 0);
  setting.context.run_until(Time() + 10_us);
  EXPECT_GT(moved(), 80);  // [SFQ-3]
  EXPECT_EQ(setting.context.deadline(TimerId(0)), Time() + 20_us);
}

TEST(Sfq, ChangesItsHashAlikeWhenTheDriverComesLate) {
  Setting punctual({{"perturbation", 10_us}});
  punctual.context.run_until(Time() + 35_us);
  Setting late({{"perturbation", 10_us}});
  late.context.set_now(Time() + 35_us);
  late.policy->on_timer(late.context, TimerId(0));
  for (std::size_t flow = 0; flow < 100; ++flow) EXPECT_EQ(late.classify(flow), punctual.classify(flow));  // [SFQ-3]
  EXPECT_EQ(late.context.deadline(TimerId(0)), Time() + 40_us);
}

TEST(Sfq, MayHaveASingleQueue) {
  Setting setting({{"queues", std::int64_t{1}}});
  EXPECT_EQ(setting.classify(5), setting.context.default_queue(PortId(1), 3));
}

}  // namespace
}  // namespace weir::sfq::sfq_test
