// SPDX-License-Identifier: Apache-2.0
// Policies and observers that are notified when gates close and open.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "switch/test_switch.h"

namespace weir::testing_switch::shape_gate_hooks_test {
namespace {

using testing::ElementsAre;

struct Told {
  PortId port;
  Priority priority;
  QueueId queue;
  bool open;
  bool operator==(const Told&) const = default;
};

class Watch final : public CongestionPoint {
 public:
  [[nodiscard]] Hooks hooks() const override { return {.gate = true}; }
  void on_gate(SwitchContext& context, PortId port, Priority priority, QueueId queue, bool open) override {
    const bool is_open =
        queue.exists() ? context.queue(queue).closed_by == 0 : context.priority_gate_open(port, priority);
    EXPECT_EQ(is_open, open);
    told.push_back({port, priority, queue, open});
  }
  std::vector<Told> told;
};

class Observer final : public SwitchObserver {
 public:
  void on_queue_gate(const SwitchContext&, QueueId queue, bool open) override { queues.emplace_back(queue, open); }
  void on_priority_gate(const SwitchContext&, PortId port, Priority priority, bool open) override {
    priorities.emplace_back(port, priority, open);
  }
  std::vector<std::pair<QueueId, bool>> queues;
  std::vector<std::tuple<PortId, Priority, bool>> priorities;
};

struct Lab {
  Lab() : one(new Neighbour), two(new Neighbour), watch(new Watch), at(config_of(), policies()) {
    at.node->observe(&observer);
  }
  SwitchPolicies policies() {
    SwitchPolicies out;
    out.buffer = std::make_unique<Thresholds>();
    out.flow_control.emplace_back(one);
    out.flow_control.emplace_back(two);
    out.congestion_point.emplace_back(watch);
    return out;
  }
  Neighbour* one;
  Neighbour* two;
  Watch* watch;
  Observer observer;
  TestSwitch at;
};

TEST(ShapeGateHooks, TellOfAQueueWhenItsFirstOwnerClosesAndItsLastOpens) {
  Lab lab;
  const QueueId queue = lab.at.queue(1, kLossless);
  lab.at.node->set_gate(queue, lab.one->owner, false);
  lab.at.node->set_gate(queue, lab.two->owner, false);
  lab.at.node->set_gate(queue, lab.one->owner, true);
  lab.at.node->set_gate(queue, lab.one->owner, true);
  EXPECT_THAT(lab.watch->told, ElementsAre(Told{PortId(1), kLossless, queue, false}));
  lab.at.node->set_gate(queue, lab.two->owner, true);
  EXPECT_THAT(lab.observer.queues, ElementsAre(std::pair(queue, false), std::pair(queue, true)));
  EXPECT_EQ(lab.watch->told.back(), (Told{PortId(1), kLossless, queue, true}));
  EXPECT_EQ(lab.watch->told.size(), 2u);
}

TEST(ShapeGateHooks, TellOfAPriorityAndOfOneThatOpensByItself) {
  Lab lab;
  lab.at.node->close_priority_gate_until(PortId(2), kLossless, lab.one->owner, Time() + Duration::picoseconds(5));
  lab.at.node->close_gate_until(lab.at.queue(1, kLossy), lab.two->owner, Time() + Duration::picoseconds(7));
  lab.at.run_for(Duration::picoseconds(10));
  const QueueId none;
  EXPECT_THAT(
      lab.watch->told,
      ElementsAre(Told{PortId(2), kLossless, none, false}, Told{PortId(1), kLossy, lab.at.queue(1, kLossy), false},
                  Told{PortId(2), kLossless, none, true}, Told{PortId(1), kLossy, lab.at.queue(1, kLossy), true}));
  EXPECT_THAT(lab.observer.priorities,
              ElementsAre(std::tuple(PortId(2), kLossless, false), std::tuple(PortId(2), kLossless, true)));
}

TEST(ShapeGateHooks, TellWhenALinkThatFailsOpensAllGates) {
  Lab lab;
  lab.at.node->set_gate(lab.at.queue(1, kLossy), lab.one->owner, false);
  lab.at.link(1, false);
  EXPECT_THAT(lab.observer.queues,
              ElementsAre(std::pair(lab.at.queue(1, kLossy), false), std::pair(lab.at.queue(1, kLossy), true)));
}

}  // namespace
}  // namespace weir::testing_switch::shape_gate_hooks_test
