// SPDX-License-Identifier: Apache-2.0
// Queues of the whole switch that are bound to a port when a scheme needs them there, and unbound when they are empty:
// isolation queues by congestion root from a pool, queues by destination behind all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "switch/test_switch.h"

namespace weir::testing_switch::shape_bound_queues_test {
namespace {

using testing::ElementsAre;

constexpr std::size_t kPool = 100;

/// Binds a queue of a pool to the port of the first frame of a tag, and unbinds it when the last frame of the tag has
/// left.
class Pool final : public Classifier {
 public:
  explicit Pool(QueueSpec spec) : spec_(spec) {}
  [[nodiscard]] Hooks hooks() const override { return {.depart = true, .drop = true, .gate = true}; }
  void attach(SwitchContext& context) override {
    owner = context.new_gate_owner();
    for (std::size_t i = 0; i < kPool; ++i) {
      free.push_back(queue_context(context).new_queue({.priority = spec_.priority, .service = Service::released}));
    }
  }
  QueueId classify(QueueContext& context, Frame& frame) override {
    if (frame.tag == 0) return Classifier::classify(context, frame);
    if (!bound[frame.tag].exists()) {
      bound[frame.tag] = free.back();
      free.pop_back();
      QueueSpec spec = spec_;
      spec.port = frame.egress;
      context.bind(bound[frame.tag], spec);
    }
    return bound[frame.tag];
  }
  QueueId on_leave(QueueContext& context, QueueId queue, Frame& frame) override {
    free_if_empty(context, queue, frame.tag);
    return context.default_queue(frame.egress, frame.priority);
  }
  void on_depart(SwitchContext& context, QueueId queue, Frame& frame) override {
    free_if_empty(queue_context(context), queue, frame.tag);
  }
  void on_drop(SwitchContext& context, QueueId, const Frame& frame, DropReason) override {
    if (frame.charged_bytes != 0) free_if_empty(queue_context(context), bound[frame.tag], frame.tag);
  }
  void on_gate(SwitchContext&, PortId port, Priority, QueueId queue, bool open) override {
    if (queue.exists()) gates.emplace_back(port, open);
  }

  GateOwner owner = 0;
  std::vector<QueueId> free;
  std::vector<QueueId> bound = std::vector<QueueId>(1'000);  // by tag
  std::vector<std::pair<PortId, bool>> gates;

 private:
  void free_if_empty(QueueContext& context, QueueId queue, std::uint16_t tag) {
    if (tag == 0 || queue != bound[tag] || !context.queue(queue).empty()) return;
    context.unbind(queue);
    bound[tag] = QueueId::none();
    free.push_back(queue);
  }
  QueueSpec spec_;
};

struct Lab {
  explicit Lab(QueueSpec spec) : policy(new Pool(spec)), at(config_of(), policies()) {}
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer = std::make_unique<Thresholds>();
    out.flow_control.emplace_back(policy);
    return out;
  }
  void receive(std::size_t to, std::uint16_t tag, std::uint32_t sequence) {
    const FrameId id = at.make(to, kLossless, 1'000, sequence);
    at.pool[id].tag = tag;
    at.receive(0, id);
  }
  Pool* policy;
  TestSwitch at;
};

TEST(ShapeBoundQueues, AQueueIsOnePortsUntilItIsEmpty) {
  Lab lab({.priority = kLossless, .behind = true});
  lab.receive(1, 5, 0);
  lab.receive(1, 0, 1);
  const QueueId queue = lab.policy->bound[5];
  EXPECT_EQ(lab.at.node->queue(queue).port, PortId(1));
  EXPECT_EQ(lab.at.node->egress_bytes(PortId(1), kLossless), 2'000);
  EXPECT_THAT(lab.at.drain(1), ElementsAre(1, 0));
  EXPECT_FALSE(lab.at.node->queue(queue).port.exists());
  lab.receive(2, 6, 2);  // the same queue, at another port
  EXPECT_EQ(lab.policy->bound[6], queue);
  EXPECT_EQ(lab.at.node->queue(queue).port, PortId(2));
  EXPECT_THAT(lab.at.drain(1), ElementsAre());
  EXPECT_THAT(lab.at.drain(2), ElementsAre(2));
  lab.at.expect_empty();
}

TEST(ShapeBoundQueues, APauseOfThePortsPriorityHoldsItOnlyWhileItIsThere) {
  Lab lab({.priority = kLossless, .behind = true});
  lab.receive(1, 5, 0);
  const QueueId queue = lab.policy->bound[5];
  lab.at.node->set_priority_gate(PortId(1), kLossless, lab.policy->owner, false);
  EXPECT_EQ(lab.at.next(1), -1);
  lab.receive(2, 6, 1);
  EXPECT_EQ(lab.at.next(2), 1);
  lab.at.node->set_priority_gate(PortId(1), kLossless, lab.policy->owner, true);
  EXPECT_EQ(lab.at.next(1), 0);
  lab.at.node->set_priority_gate(PortId(1), kLossless, lab.policy->owner, false);
  lab.receive(2, 7, 2);
  lab.receive(2, 8, 3);
  EXPECT_TRUE(lab.policy->bound[7] == queue || lab.policy->bound[8] == queue);
  EXPECT_THAT(lab.at.drain(2), ElementsAre(2, 3));
}

TEST(ShapeBoundQueues, ItsOwnGateOpensWhenItIsTakenBack) {
  Lab lab({.priority = kLossless});
  lab.receive(1, 5, 0);
  const QueueId queue = lab.policy->bound[5];
  lab.at.node->close_gate_until(queue, lab.policy->owner, Time() + Duration::picoseconds(1'000));
  EXPECT_EQ(lab.at.next(1), -1);
  lab.at.link(1, false);  // it loses its frame, and thus its binding
  lab.at.link(1, true);
  EXPECT_FALSE(lab.at.node->queue(queue).port.exists());
  EXPECT_EQ(lab.at.node->queue(queue).closed_by, 0);
  EXPECT_EQ(lab.at.node->next_deadline(), Time::never());
  EXPECT_THAT(lab.policy->gates, ElementsAre(std::pair(PortId(1), false), std::pair(PortId(1), true)));
  lab.receive(2, 6, 1);
  lab.at.node->close_gate_until(queue, lab.policy->owner, Time() + Duration::picoseconds(1'000));
  EXPECT_EQ(lab.at.next(2), -1);
  lab.at.run_for(Duration::picoseconds(1'000));
  EXPECT_EQ(lab.at.next(2), 1);
}

TEST(ShapeBoundQueues, ItMayBeAStageThatTheClockServes) {
  Lab lab({.priority = kLossless, .stage = 1, .service = Service::at_rate});
  for (std::uint32_t i = 0; i < 3; ++i) lab.receive(1, 5, i);
  lab.receive(2, 6, 10);
  EXPECT_EQ(lab.at.next(1), 0);
  EXPECT_EQ(lab.at.next(1), -1);  // one at a time, at the port's rate
  lab.at.run_for(lab.at.node->port(PortId(1)).serialisation(2 * 1'020));
  EXPECT_THAT(lab.at.drain(1), ElementsAre(1, 2));
  EXPECT_THAT(lab.at.drain(2), ElementsAre(10));
  EXPECT_EQ(lab.policy->free.size(), kPool);
  lab.at.expect_empty();
}

TEST(ShapeBoundQueues, ItMayBeReleasedWithAPortWhoseFailureEmptiesIt) {
  Lab lab({.priority = kLossless, .stage = 1, .service = Service::released});
  lab.receive(1, 5, 0);
  lab.receive(1, 5, 1);
  EXPECT_TRUE(lab.at.node->release(lab.policy->bound[5]));
  EXPECT_EQ(lab.at.next(1), 0);
  lab.at.link(1, false);
  EXPECT_EQ(lab.at.node->drops(DropReason::link_down), 1u);
  EXPECT_EQ(lab.policy->free.size(), kPool);
  lab.at.expect_empty();
}

TEST(ShapeBoundQueues, AllOfAPoolMayBeAtOnePortOrMoveOverAll) {
  Lab lab({.priority = kLossless, .behind = true});
  RandomStream random(1, 2, 3);
  for (int round = 0; round < 20; ++round) {
    for (std::uint16_t tag = 1; tag <= kPool; ++tag) {
      lab.receive(1 + (round == 0 ? 0 : random.below(3)), tag, tag);
    }
    EXPECT_EQ(lab.policy->free.size(), 0u);
    if (round % 5 == 4) lab.at.link(2, false), lab.at.link(2, true);
    for (std::size_t port = 1; port < 4; ++port) lab.at.drain(port);
    EXPECT_EQ(lab.policy->free.size(), kPool);
  }
  lab.at.expect_empty();
}

}  // namespace
}  // namespace weir::testing_switch::shape_bound_queues_test
